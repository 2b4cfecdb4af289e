from __future__ import annotations

from collections.abc import Sequence

from memgauge.events import CaseFinished, Event, RunFinished, RunStarted
from memgauge.records import CasePlan
from memgauge.runner.options import RunOptions
from memgauge.runner.run import run
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import FAULTY, TOY, diagnose, judge, opener, told


def events(plans: Sequence[CasePlan], system: SystemSpec = TOY, arms: Sequence[str] = ("on",), **options: object) -> list[Event]:
    return list(run(plans, arms, [system], judge, diagnose, RunOptions(**options), open_system=opener))  # type: ignore[arg-type]


def cases(found: Sequence[Event]) -> dict[str, CaseFinished]:
    return {str(event.id): event for event in found if isinstance(event, CaseFinished)}


BREAKS = {
    "hang": "no result within 2 s",
    "exit": "ended with exit code 7",
    "exit-0": "no result within 2 s",
    "kill": "signal 9 (SIGKILL)",
    "raise": "append raised ValueError: this text is not to my taste (faulty.py:",
    "leave": "append raised SystemExit: 3",
    "nonsense": "append answered with a dict, not a Receipt",
    "raise-on-close": "close raised RuntimeError: cannot let go",
}


def test_each_way_of_breaking_costs_exactly_its_own_case() -> None:
    plans = [told(f"good-{i}") for i in range(3)] + [told(word, f"{word} please", f"{word} please") for word in BREAKS] + [told("last")]
    found = events(plans, FAULTY, jobs=2, limit_s=2)
    by_id = cases(found)
    assert isinstance(found[0], RunStarted)
    assert found[0].planned == len(plans) == len(by_id)
    assert found[-1] == RunFinished(status="complete")
    broken = {event.id.scenario.split("/")[1]: event for event in by_id.values() if event.error}
    assert set(broken) == set(BREAKS)
    for word, event in broken.items():
        assert BREAKS[word] in event.error
        assert "\n" not in event.error
        assert [(v.outcome, v.reason) for v in event.judgement.verdicts] == [("error", event.error)]
    for event in by_id.values():
        if not event.error:
            assert [v.outcome for v in event.judgement.verdicts] == ["pass"]


def test_one_worker_two_workers_and_none_yield_the_same_cases() -> None:
    plans = [told(f"case-{i}") for i in range(5)]
    arms = ("on", "off", "recent-equal")
    one, two, none = (cases(events(plans, arms=arms, **how)) for how in ({"jobs": 1}, {"jobs": 2}, {"in_process": True}))
    assert sorted(one) == sorted(two) == sorted(none)
    assert len(one) == 15
    for name, event in one.items():
        assert not event.error
        assert event.history
        assert event.history == two[name].history == none[name].history
        assert event.judgement == two[name].judgement == none[name].judgement
