"""Whatever one slip of the hand does to a scenario file, it loads or is refused at a place in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import InputError
from memgauge.scenarios import Scenario, compile_case
from memgauge.scenarios.loader import read
from memgauge.strict_yaml import load, parse

PLACED = re.compile(r"slip\.yaml:\d+:\d+: .+", re.DOTALL)
TEXTS = sorted((Path(__file__).parents[2] / "scenarios" / "suite").glob("*.yaml"))
CHARACTERS = st.one_of(st.sampled_from("\t\n :-[]{}\"'#&*!|>%@`,?$~\\0é\u200b\u2028\ud7ff🙂"), st.characters(codec="utf-8"))


@st.composite
def slips(draw: st.DrawFn) -> str:
    """A file of the suite with one character or one line changed."""
    with open(draw(st.sampled_from(TEXTS)), encoding="utf-8") as file:
        text = file.read()
    if draw(st.booleans()):
        at = draw(st.integers(0, len(text) - 1))
        return text[:at] + draw(st.one_of(st.just(""), CHARACTERS, CHARACTERS.map(lambda c: c + text[at]))) + text[at + 1 :]
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    other = draw(st.integers(0, len(lines) - 1))
    change = draw(st.sampled_from(("drop", "double", "swap", "indent", "outdent")))
    if change == "drop":
        del lines[at]
    elif change == "double":
        lines.insert(at, lines[at])
    elif change == "swap":
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at] = f"  {lines[at]}" if change == "indent" else lines[at].removeprefix("  ")
    return "\n".join(lines)


@st.composite
def misfits(draw: st.DrawFn) -> str:
    """A file of the suite with one value, at any depth, replaced by something of another sort."""
    data = load(Path(draw(st.sampled_from(TEXTS)))).data
    parent, key = draw(st.sampled_from(list(places(data))))
    parent[key] = draw(st.sampled_from((None, [], {}, "", " ", 0, -3, True, 1.5, "x", "$x", "#x", "{x}", [None], [[]], {"a": None}, ["x", "y"])))
    return json.dumps(data)


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of plain data."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield data, key
        yield from places(value)


@given(st.one_of(slips(), misfits()))
@settings(max_examples=400, deadline=None)
def test_loads_or_names_the_place(text: str) -> None:
    scenarios, lines = outcome(text)
    assert all(PLACED.fullmatch(line) for line in lines), lines
    assert all(compile_case(scenario, 0).expectations for scenario in scenarios)
    assert bool(scenarios) is not bool(lines)


def outcome(text: str) -> tuple[list[Scenario], list[str]]:
    """What loading gives: scenarios, or lines of complaint."""
    try:
        return read(parse(text, "slip.yaml")), []
    except InputError as error:
        return [], error.lines()


@pytest.mark.parametrize(
    "text", ["", "[]", "a", "3", "null", "cases: []", "cases: [1]\nid: a/b", "id: 3\nsay: 4", "steps: {}", "say:\nask:", "- - - -", "{a: {b: {}}}"]
)
def test_no_scenario_at_all(text: str) -> None:
    with pytest.raises(InputError) as raised:
        read(parse(text, "slip.yaml"))
    assert all(PLACED.fullmatch(line) for line in raised.value.lines())
