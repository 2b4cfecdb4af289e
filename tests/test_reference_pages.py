"""Pages made from tables in the code are current, and every link of the documentation leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_generated_parts_are_current() -> None:
    """`python docs/generate.py` brings them up to date."""
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_kind_of_source_is_explained() -> None:
    """What scenarios and checks call their source is told on one page."""
    page = (ROOT / "docs" / "reference" / "sources.md").read_text(encoding="utf-8")
    named = {
        found for path in (ROOT / "scenarios" / "suite").glob("*.yaml") for found in re.findall(r"^source: (?:seed )?(\w+)", path.read_text(), re.M)
    }
    assert {name for name in named if name not in page} == set()
