"""The pages that show the reference memory as a library run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def _run(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, **names: Any) -> dict[str, Any]:
    """Every Python block of the page, in order, in one namespace and an empty folder."""
    monkeypatch.chdir(folder)
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        exec(compile(block, str(page), "exec"), names)
    return names


def test_an_assistant_in_ten_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said on Monday reaches the prompt on Tuesday; after the user forgets it, it is in no list."""
    prompts: list[list[dict[str, str]]] = []

    def model(messages: list[dict[str, str]]) -> str:
        prompts.append(messages)
        return "Noted."

    names = _run(ROOT / "docs" / "how-to" / "use-the-reference-memory.md", tmp_path, monkeypatch, model=model)
    assert "7:40" in str(prompts[-1])
    ana = names["open_memory"]("data").session(names["Scope"](user="ana", thread="later"))
    kept = str(ana.list(kind="all").data)
    assert "7:40" not in kept
    assert "8:10" not in kept


def test_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = _run(ROOT / "README.md", tmp_path, monkeypatch)
    assert "7731" in str(names["prompt"].data["messages"])


def test_recovery_after_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The three lists before and after a look at the world, the torn line, and what is left when the thread is forgotten."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    names = _run(ROOT / "docs" / "tutorial" / "recover-after-a-crash.md", tmp_path, monkeypatch)
    assert names["crashed"].returncode == 9
    lists = [{name: found[name] for name in ("retry", "confirm", "never")} for found in (names["blind"], names["informed"], names["left"])]
    assert lists[0] == {"retry": ["c2"], "confirm": ["c3", "c4"], "never": ["c5", "c6"]}
    assert lists[1] == {"retry": ["c2", "c4"], "confirm": [], "never": ["c6"]}
    assert lists[2] == {"retry": ["c2"], "confirm": ["c4"], "never": ["c6"]}
    assert names["torn"].startswith(b"0123456789abcdef")
    assert "the tool's name" in names["told"]
    assert names["after"]["calls"] == {}
    assert (tmp_path / "ticket.txt").read_text() == "seat 21A"
