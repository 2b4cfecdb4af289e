"""What is installed is what is here: one top-level name, every folder listed, data files included, nothing heavy at import."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
REAL = {"memory_ref", "scenarios", "evaluators", "reports"}


def _folders() -> set[str]:
    """Every folder with Python or data files that should be a package, by its installed name."""
    found = set()
    for top in (ROOT / "memgauge", *(ROOT / name for name in REAL)):
        for folder in (top, *(p for p in top.rglob("*") if p.is_dir() and not p.is_symlink())):
            parts = folder.relative_to(ROOT).parts
            if "__pycache__" in parts or (parts[0] == "memgauge" and len(parts) > 1 and parts[1] in REAL):
                continue
            if any(p.suffix in (".py", ".yaml", ".j2", ".sql", ".json") for p in folder.iterdir() if p.is_file()):
                found.add(".".join(parts if parts[0] == "memgauge" else ("memgauge", *parts)))
    return found


def test_every_folder_is_listed_as_a_package() -> None:
    """A folder missing from the list works in a checkout and is absent from the wheel."""
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == _folders()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built without reaching for the network."""
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return out


@pytest.mark.slow
def test_the_wheel_holds_one_top_level_name_and_all_data(built: Path) -> None:
    """Scenarios, policies, templates, the schema and py.typed are in the wheel; the four folder names are not on the top level."""
    names = zipfile.ZipFile(next(built.glob("*.whl"))).namelist()
    assert {name.split("/", 1)[0].split("-")[0] for name in names} == {"memgauge"}
    for folder, pattern in (
        ("scenarios/suite", "*.yaml"),
        ("memory_ref/policies", "*.yaml"),
        ("reports/templates", "*.j2"),
        ("memgauge/systems/starters", "*.txt"),
    ):
        for path in (ROOT / folder).glob(pattern):
            assert f"memgauge/{folder.removeprefix('memgauge/')}/{path.name}" in names
    assert "memgauge/py.typed" in names
    assert not [name for name in names if name.startswith("tests/")]


@pytest.mark.slow
def test_the_sdist_keeps_the_folders_as_they_are(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"memory_ref/__init__.py", "scenarios/__init__.py", "evaluators/__init__.py", "reports/__init__.py", "README.md", "LICENSE"} <= names


def test_the_command_line_imports_nothing_heavy() -> None:
    """`--help` must be quick: neither duckdb, pandas, matplotlib, tiktoken, scipy, jinja2 nor the runner is imported by it."""
    heavy = ("duckdb", "pandas", "matplotlib", "numpy", "tiktoken", "scipy", "jinja2", "sqlite3", "pebble", "yaml", "memgauge.runner")
    code = f"import sys, memgauge.cli; print(' '.join(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_links_for_type_checkers_point_at_the_folders() -> None:
    for name in REAL:
        assert (ROOT / "memgauge" / name).resolve() == ROOT / name
