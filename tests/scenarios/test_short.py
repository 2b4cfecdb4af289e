from __future__ import annotations

import pytest

from memgauge.errors import InputError
from memgauge.scenarios import builtin, compile_case, expand
from memgauge.scenarios.loader import read
from memgauge.strict_yaml import parse

SHORT = """
id: incident/4711-old-address
say: ["I live at Elm Road 4.", "We moved. New address: Birch Lane 9."]
ask: Where should the parcel go?
expect: Birch Lane 9
never: Elm Road 4
"""


def test_the_proof_is_asked_for_just_before_the_change() -> None:
    (scenario,) = read(parse(SHORT, "f.yaml"))
    plan = compile_case(scenario, 0)
    assert [s.id for s in plan.steps if s.op == "context"] == ["before-1", "after"]
    order = [s.args.get("text") for s in plan.steps if s.op in ("append", "context") and s.args.get("role") != "assistant"]
    assert order == ["I live at Elm Road 4.", "Where should the parcel go?", "We moved. New address: Birch Lane 9.", "Where should the parcel go?"]
    assert len({s.scope.thread for s in plan.steps if s.op in ("append", "context")}) == 3
    assert "after.stale.never_1" in {e.id for e in plan.expectations}
    assert plan.facts["expected_1"].replaces == "never_1"


def test_expanding_gives_the_same_case() -> None:
    for scenario in [*read(parse(SHORT, "f.yaml")), *builtin()]:
        (again,) = read(parse(expand(scenario), "expanded.yaml"))
        assert compile_case(again, 1).digest == compile_case(scenario, 1).digest


def test_the_long_form_shows_what_a_step_does_first() -> None:
    (scenario,) = read(parse(SHORT, "f.yaml"))
    steps = [line for line in expand(scenario).splitlines() if line.startswith(("- say", "- ask"))]
    assert steps[:2] == ['- say: "I live at Elm Road 4."', '- ask: "Where should the parcel go?"']
    assert scenario.spec.facts["never_1"].like == ["I live at Elm Road 4."]
    assert "Where should the parcel go?" in scenario.spec.facts["never_1"].unlike


def test_expanding_keeps_words_that_yaml_would_change() -> None:
    (scenario,) = read(parse(SHORT.replace('"I live at', '"no: 12:30 # I live at'), "f.yaml"))
    (again,) = read(parse(expand(scenario), "expanded.yaml"))
    assert again.spec == scenario.spec


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("never: Elm Road 4", "never: Oak Street"), "f.yaml:6:1: never: stands in nothing that was said"),
        (("never: Elm Road 4", "never: [Birch Lane 9]"), "f.yaml:6:9: never.0: nothing is said after it"),
        (("ask:", "aks:"), "f.yaml:4:1: aks: unknown key"),
        (("say: [", "say: [3, "), "f.yaml:3:7: say.0: must be text"),
    ],
)
def test_faults_stand_at_the_authors_own_lines(change: tuple[str, str], message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(parse(SHORT.replace(*change), "f.yaml"))
    assert any(line.startswith(message) for line in raised.value.lines()), raised.value.lines()


def test_a_scenario_that_would_check_nothing_is_refused() -> None:
    """Neither expect nor never: it would hold whatever the memory did."""
    with pytest.raises(InputError, match="nothing would be checked"):
        read(parse("id: incident/parcel\nsay: [One., Two.]\nask: Which?\n", "f.yaml"))
