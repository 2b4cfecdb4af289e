from __future__ import annotations

import pytest

from memgauge.errors import InputError
from memgauge.scenarios import compile_case
from memgauge.scenarios.loader import read
from memgauge.strict_yaml import parse

TABLE = """
id: time/expiry
values: {code: code}
cases:
  - {case: just-before, gap: PT59M, count: 3, word: short}
  - {case: on-the-dot, gap: PT1H, count: 5, word: long}
facts: {pin: {anchors: ["{code}"]}}
steps:
  - say: "A {word} note: {code}."
    tells: [pin]
  - filler: {messages: "{count}"}
  - advance: "{gap}"
  - ask: Which digits?
    thread: t2
    needs: [pin]
"""


def test_each_row_is_a_scenario_with_its_values_in_place() -> None:
    scenarios = read(parse(TABLE, "f.yaml"))
    assert [s.id for s in scenarios] == ["time/expiry.just-before", "time/expiry.on-the-dot"]
    plan = compile_case(scenarios[1], 0)
    assert plan.steps[0].args["text"].startswith("A long note: ")
    assert len(next(s for s in plan.steps if s.op == "append_many").args["messages"]) == 5
    assert next(s for s in plan.steps if s.kind == "advance").args == {"by": "PT1H"}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("gap: PT1H", "gapp: PT1H"), "f.yaml:6:5: cases.1: a row has the keys of the first row"),
        (("case: on-the-dot", "case: On The Dot"), "f.yaml:6:6: cases.1.case: got 'On The Dot'"),
        (("count: 5", "count: five"), "f.yaml:11:14: steps.1.filler.messages: must be a whole number"),
        (("case: on-the-dot", "case: just-before"), "f.yaml:6:6: cases.1.case: case 'just-before' stands twice"),
    ],
)
def test_faulty_tables(change: tuple[str, str], line: str) -> None:
    with pytest.raises(InputError) as raised:
        read(parse(TABLE.replace(*change), "f.yaml"))
    assert any(text.startswith(line) for text in raised.value.lines()), raised.value.lines()
