"""Each broken file names in its first line the fault that must be reported for it, with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.errors import InputErrors
from memgauge.scenarios import load

FILES = sorted((Path(__file__).parent / "broken").glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_fault_is_reported_at_its_place(path: Path) -> None:
    expected = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# fault: ").strip()
    with pytest.raises(InputErrors) as raised:
        load([path])
    assert f"{path}:{expected}" in [line.strip() for line in raised.value.lines()]


def test_all_files_are_reported_at_once() -> None:
    with pytest.raises(InputErrors) as raised:
        load([Path(__file__).parent / "broken"])
    assert {str(path) for path in FILES} == {line.split(":", 1)[0] for line in raised.value.lines()}
