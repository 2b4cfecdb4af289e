from __future__ import annotations

import json
from typing import Any

import pytest

from memgauge.errors import InputError
from memgauge.systems.spec import SystemSpec, parse_entry, parse_system


@pytest.mark.parametrize(
    ("text", "kind", "target", "argv", "saboteur"),
    [
        ("reference", "named", "reference", (), ""),
        (" off ", "named", "off", (), ""),
        ("my.memory:Mine", "python", "my.memory:Mine", (), ""),
        ("folder/mine.py:Mine", "python", "folder/mine.py:Mine", (), ""),
        ("command: node 'my memory.js' --x=1", "command", "", ("node", "my memory.js", "--x=1"), ""),
        ("reference+leak-counts", "named", "reference", (), "leak-counts"),
        ("mine:Memory+leak-counts", "python", "mine:Memory", (), "leak-counts"),
    ],
)
def test_a_system_is_named_as_a_user_would(text: str, kind: str, target: str, argv: tuple[str, ...], saboteur: str) -> None:
    spec = parse_system(text)
    assert (spec.name, spec.kind, spec.target, spec.argv, spec.saboteur) == (text.strip(), kind, target, argv, saboteur)
    assert spec.child == (kind == "command")


@pytest.mark.parametrize("text", ["", "+x", "reference+", "mod ule:X", "module:", ":attr", "command:", "command: 'open"])
def test_what_names_no_system_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_system(text)
    assert "\n" not in str(refused.value)


def test_names_of_the_project_file_win_and_take_a_saboteur() -> None:
    entries = {"off": parse_entry("off", {"python": "mine:Off", "config": {"k": 3}})}
    assert parse_system("off", entries).target == "mine:Off"
    broken = parse_system("off+leak-counts", entries)
    assert (broken.name, broken.target, broken.saboteur, broken.config) == ("off+leak-counts", "mine:Off", "leak-counts", {"k": 3})


def test_an_entry_of_the_project_file() -> None:
    given = {"env": ["API_KEY"], "timeout_s": 5, "allow": ["prod-7"], "folder": "sub"}
    spec = parse_entry("mine", {"command": ["node", "m.js"], **given})
    assert (spec.kind, spec.argv, spec.child) == ("command", ("node", "m.js"), True)
    assert (spec.env, spec.timeout_s, spec.allow, spec.folder) == (("API_KEY",), 5, ("prod-7",), "sub")
    tuned = parse_entry("tuned", {"system": "reference", "config": {"preset": "strict"}, "child": True})
    assert (tuned.name, tuned.kind, tuned.target, tuned.child) == ("tuned", "named", "reference", True)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "one of system, python, command is needed, got none"),
        ({"python": "a:B", "command": "x"}, "got python, command"),
        ({"pyhton": "a:B"}, 'did you mean "python"?'),
        ({"python": "a"}, "'a' is not module:attr"),
        ({"python": 3}, "python must be a text, got 3"),
        ({"python": "a:B", "timeout_s": True}, "timeout_s must be a number, got True"),
        ({"python": "a:B", "config": ["k"]}, "config must be a mapping"),
    ],
)
def test_a_wrong_entry_says_what_and_where(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_entry("mine", entry)
    assert said in refused.value.lines()[0]


def test_a_spec_survives_json() -> None:
    spec = parse_entry("mine", {"command": ["a", "b"], "env": ["X"], "config": {"k": [1, {"a": 2}]}, "assemble": {"k": 3}})
    assert SystemSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_configuration_changes_leave_the_original_alone() -> None:
    spec = SystemSpec(name="x", config={"a": 1, "b": 2})
    assert spec.with_config({"b": 3}).config == {"a": 1, "b": 3}
    assert spec.config == {"a": 1, "b": 2}
