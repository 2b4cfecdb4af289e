from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.errors import InputError, InputErrors, NothingSelected
from memgauge.scenarios import builtin, load

GOOD = """id: recall/{name}
facts: {{home: {{anchors: [Oslo]}}}}
steps:
  - say: I live in Oslo.
    tells: [home]
  - ask: Where do I live?
    thread: t2
    needs: [home]
"""


def write(folder: Path, file: str, name: str) -> Path:
    path = folder / file
    path.write_text(GOOD.format(name=name), encoding="utf-8")
    return path


def test_folders_are_searched_and_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    path = write(tmp_path, "b.yml", "b")
    write(tmp_path / "deep", "a.yaml", "a")
    (tmp_path / "notes.txt").write_text("no scenario")
    assert [s.id for s in load([tmp_path, path])] == ["recall/a", "recall/b"]


def test_an_id_twice_in_one_load_names_both_places(tmp_path: Path) -> None:
    one, two = write(tmp_path, "a.yaml", "same"), write(tmp_path, "b.yaml", "same")
    with pytest.raises(InputErrors) as raised:
        load([one, two])
    assert raised.value.lines() == [f"{two}:1:1: id: 'recall/same' is also the id of {one}:1:1 (ids are unique in a load)"]


def test_nothing_to_load(tmp_path: Path) -> None:
    with pytest.raises(NothingSelected, match="no scenario file"):
        load([tmp_path])
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load([tmp_path / "missing.yaml"])
    with pytest.raises(NothingSelected):
        load([])


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("id: recall/é\n".encode() + b"\xff\xfe")
    with pytest.raises(InputError, match=r"a\.yaml:2:1: not UTF-8 at byte 14"):
        load([path])


def test_the_built_in_suite_loads() -> None:
    scenarios = builtin()
    assert [s.id for s in scenarios] == sorted({s.id for s in scenarios})
    assert {"smoke", "core"} <= {tag for s in scenarios for tag in s.tags}


def test_a_link_that_leads_to_itself_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").symlink_to("two.yaml")
    (tmp_path / "two.yaml").symlink_to("one.yaml")
    with pytest.raises(InputError, match=r"one\.yaml: cannot be read: Too many levels"):
        load([tmp_path / "one.yaml"])
