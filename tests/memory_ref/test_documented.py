"""The reference memory explains itself: every module, public name and policy value; and no module is long."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from importlib import resources
from pathlib import Path

import pytest

import memgauge.memory_ref as library
from memgauge.memory_ref.policy import PRESETS
from memgauge.memory_ref.session import Session
from memgauge.protocol import VERBS

FOLDER = Path(library.__path__[0])
MODULES = sorted(path.stem for path in FOLDER.glob("*.py"))
LONGEST = 400


@pytest.mark.parametrize("module", MODULES)
def test_every_module_and_public_name_has_its_sentence(module: str) -> None:
    tree = ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))
    assert ast.get_docstring(tree)
    bare = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and not ast.get_docstring(node) and not _a_row(node)
    ]
    assert bare == []


def _a_row(node: ast.stmt) -> bool:
    """What its fields or its table say: annotated fields alone, or a function of the table that reads a match as a slot."""
    if isinstance(node, ast.FunctionDef):
        return ast.unparse(node.returns or ast.Constant(0)).startswith(("Reading", "Make"))
    return isinstance(node, ast.ClassDef) and all(isinstance(part, ast.AnnAssign) for part in node.body)


def test_every_exported_name_is_documented() -> None:
    for name in library.__all__:
        found = getattr(library, name)
        assert inspect.getdoc(found), name
        assert importlib.import_module(found.__module__).__doc__, name


def test_every_method_of_a_session_is_a_documented_verb() -> None:
    methods = {name.rstrip("_") for name, _ in inspect.getmembers(Session, inspect.isfunction) if not name.startswith("_")}
    assert methods <= set(VERBS)
    assert [name for name in sorted(methods) if not VERBS[name].doc] == []


@pytest.mark.parametrize("preset", PRESETS)
def test_every_policy_value_says_why_it_is_what_it_is(preset: str) -> None:
    """Also a switch, and what another preset changes."""
    text = resources.files("memgauge.memory_ref.policies").joinpath(f"{preset}.yaml").read_text("utf-8")
    silent = [line.strip() for line in text.splitlines() if re.match(r"^\s+[a-z_0-9]+:\s+[^#\s]", line) and not re.search(r"#.*\w{3,}", line)]
    assert silent == []


def test_every_number_of_the_default_names_its_source() -> None:
    """Our own choice, a source of docs/reference/sources.md, a published figure, or what is usual."""
    text = resources.files("memgauge.memory_ref.policies").joinpath("default.yaml").read_text("utf-8")
    numbers = [line.strip() for line in text.splitlines() if re.match(r"^\s+[a-z_0-9]+:\s+[0-9.]+\s", line)]
    said = re.compile(r"# .*(?:\bown\b|seed \d{3}|LoCoMo|usual)")
    ranks = re.compile(r"^(?:approved|stated|imported|note|message|inferred|task|project|user): [01]\.\d")  # their group names it
    assert len(numbers) > 60
    assert [line for line in numbers if not said.search(line) and not ranks.match(line)] == []


def test_no_module_is_long() -> None:
    sizes = {module: len((FOLDER / f"{module}.py").read_text("utf-8").splitlines()) for module in MODULES}
    assert {module: size for module, size in sizes.items() if size > LONGEST} == {}
    assert sorted(sizes.values())[len(sizes) // 2] <= 120
