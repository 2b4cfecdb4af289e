"""The source of a system as one hash: another byte is another hash, another place is not, and nothing is imported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memgauge.systems.adapter import adapter_hash
from memgauge.systems.spec import SystemSpec


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_adapter.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "helper.py").write_text("X = 1\n")
    (tmp_path / "serve").write_text("#!/bin/sh\n")
    (tmp_path / "serve").chmod(0o755)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "package" / "deep.py").write_text("X = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "file"),
    [
        (SystemSpec(name="m", kind="python", target="mine_adapter.py:Mine"), "mine_adapter.py"),
        (SystemSpec(name="m", kind="python", target="mine_adapter.py:Mine"), "helper.py"),
        (SystemSpec(name="m", kind="python", target="mine_adapter:Mine"), "mine_adapter.py"),
        (SystemSpec(name="m", kind="python", target="package.deep:Mine"), "package/deep.py"),
        (SystemSpec(name="m", kind="command", argv=("python3", "mine_adapter.py")), "mine_adapter.py"),
        (SystemSpec(name="m", kind="command", argv=("./serve", "--fast")), "serve"),
    ],
)
def test_another_byte_is_another_hash(folder: Path, spec: SystemSpec, file: str) -> None:
    before = adapter_hash(spec)
    assert before
    assert adapter_hash(spec) == before
    (folder / file).write_text((folder / file).read_text() + "# one byte more")
    assert adapter_hash(spec) != before
    assert "mine_adapter" not in sys.modules


def test_the_folder_is_no_part_of_it_and_what_is_not_found_has_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SystemSpec(name="m", kind="python", target="mine_adapter.py:Mine")
    here = adapter_hash(spec)
    folder.rename(folder.with_name("moved"))
    monkeypatch.chdir(folder.with_name("moved"))
    assert adapter_hash(spec) == here
    for target in ("gone.py:Mine", "no_such_module_at_all:Mine"):
        assert adapter_hash(SystemSpec(name="m", kind="python", target=target)) == ""
    assert adapter_hash(SystemSpec(name="m", kind="command", argv=("python3", "-m", "http.server"))) == ""
    assert adapter_hash(SystemSpec(name="reference", target="reference")) != ""
