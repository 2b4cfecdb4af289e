from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.systems.load import names, open_system
from memgauge.systems.off import Off
from memgauge.systems.simple import SimpleSystem
from memgauge.systems.spec import parse_system


def test_built_ins_are_found_by_name() -> None:
    assert {"reference", "off", "transcript", "embed-all"} <= set(names())
    assert isinstance(open_system(parse_system("off")), Off)


def test_a_file_and_a_module_of_the_working_folder_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_memory_one.py").write_text(
        "class Mine:\n    def write(self, user, text): ...\n    def search(self, user, query, k): return []\n"
    )
    (tmp_path / "own_memory_two.py").write_text("from own_memory_one import Mine\nmade = Mine()\nanswer = 42\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for text in ("own_memory_one:Mine", f"{tmp_path}/own_memory_one.py:Mine", "own_memory_two:made"):
        assert isinstance(open_system(parse_system(text)), SimpleSystem)
    with pytest.raises(InputError, match="neither call"):
        open_system(parse_system("own_memory_two:answer"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("refrence", 'did you mean "reference"?'),
        ("no_such_module_here:X", "there is no module no_such_module_here (run it from the folder that holds no_such_module_here.py)"),
        ("nowhere/memory.py:X", "there is no file nowhere/memory.py"),
        ("memgauge.systems.off:Of", 'memgauge.systems.off has no Of (did you mean "Off"?)'),
        ("off+leak-counts", "knows no saboteurs"),
    ],
)
def test_what_is_not_there_is_one_clear_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        open_system(parse_system(text))
    assert said in refused.value.lines()[0]


def test_a_module_that_lacks_something_is_not_called_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_more.py").write_text("import a_package_nobody_has\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match="needs a module that is not installed: a_package_nobody_has"):
        open_system(parse_system("needs_more:X"))


def test_a_worker_imports_none_of_the_heavy_packages() -> None:
    code = (
        "import sys, memgauge.runner.task, memgauge.saboteurs.opener, memgauge.evaluators; "
        "print([m for m in ('duckdb', 'matplotlib', 'typer', 'rich', 'pandas', 'scipy', 'numpy', 'pydantic') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def x(:\n", "importing broken_one raised SyntaxError"),
        ("raise RuntimeError('no key')\n", "importing broken_one raised RuntimeError: no key (broken_one.py:1)"),
        ("class X:\n    def __init__(self, url): ...\n    def call(self, request): ...\n", "cannot be made without arguments: TypeError"),
    ],
)
def test_a_user_s_file_that_breaks_is_told_as_the_user_s(tmp_path: Path, source: str, said: str) -> None:
    (tmp_path / "broken_one.py").write_text(source)
    with pytest.raises(InputError) as refused:
        open_system(parse_system(f"{tmp_path}/broken_one.py:X"))
    sys.modules.pop("broken_one", None)
    assert said in str(refused.value)
