"""The stage that a failure names is the one that was broken on purpose: planted faults of which the place is known."""

from __future__ import annotations

import pytest

from memgauge.evaluators import diagnose, judge
from memgauge.runner import RunOptions
from memgauge.saboteurs import SABOTEURS
from memgauge.saboteurs.opener import open_system
from memgauge.saboteurs.selftest import Bench, assess
from memgauge.scenarios import builtin, compile_case
from memgauge.systems.spec import SystemSpec

PLANS = {scenario.id: compile_case(scenario, 0) for scenario in builtin()}
BENCH = Bench(judge=judge, diagnose=diagnose, open_system=open_system, options=RunOptions(in_process=True))
BROKEN = (
    # what was to be kept and was not, or the other way round
    ("captures-nothing", "captured", "capture/what-if"),
    ("captures-tools", "captured", "capture/tool-output"),
    ("captures-assistant", "captured", "capture/assistants-own-words"),
    ("captures-failed-turns", "captured", "capture/failed-reply"),
    # a change that was said and not done
    ("correct-adds", "stored", "supersession/nuevo-trabajo"),
    ("forget-says-ok", "stored", "deletion/only-my-own"),
    ("expiry-forgotten", "stored", "time/edges-of-expiry.by-the-hour"),
    ("not-durable", "stored", "durability/closed-and-opened"),
    # the store is right and the index is not
    ("recall-misses-first", "retrievable", "recall/gate-code"),
    ("stale-beside-new", "retrievable", "supersession/moved-city"),
    ("forgotten-in-recall", "retrievable", "deletion/by-source-message"),
    ("leak-users", "retrievable", "leak/one-name-two-people"),
    # found, in the wrong order
    ("rank-reversed", "ranked", "recall/best-first"),
    # only the prompt, or only one answer, is wrong
    ("listed-not-rendered", "rendered", "recall/spare-key"),
    ("stale-in-label", "rendered", "supersession/moved-city"),
    ("stale-in-tool-call", "rendered", "supersession/moved-city"),
    ("forgotten-in-export", "rendered", "deletion/forgotten-project-name"),
    ("drops-pins", "rendered", "long-thread/early-rule"),
)


@pytest.mark.parametrize(("name", "stage", "scenario"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_a_failure_is_laid_to_the_stage_that_was_broken(name: str, stage: str, scenario: str) -> None:
    catch = assess(SystemSpec(name="reference", target="reference"), [SABOTEURS.get(name)], [PLANS[scenario]], BENCH)[1]
    told = {place: n for place, n in catch.stages.items() if place != "not told"}
    assert catch.caught, catch.line()
    assert list(told) == [stage], told
