from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.runner.ledger import Breach, Ledger, State, Written
from memgauge.runner.soak import soak
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import opener


def written(text: str, state: State) -> Written:
    return Written("note_add", {"text": text}, text, text, text, state)


@pytest.mark.parametrize(
    ("state", "shown", "breaches"),
    [
        ("ok", ["Crate one."], []),
        ("ok", [], ["lost"]),
        ("ok", ["Crate one.", "Crate one."], ["duplicated"]),
        ("open", [], []),
        ("open", ["Crate one."], []),
        ("open", ["Crate one.", "Crate one."], ["duplicated"]),
        ("open", ["Crate o"], ["half"]),
        ("gone", ["Crate one."], ["resurrected"]),
        ("gone", ["[removed]"], []),
        ("fading", ["Crate one."], []),
        ("fading", [], []),
    ],
)
def test_what_a_reader_may_see_of_a_write(state: State, shown: list[str], breaches: list[Breach]) -> None:
    ledger = Ledger()
    ledger.add(written("Crate one.", state))
    assert ledger.compare(shown) == breaches


def test_a_breach_is_counted_once_and_a_wipe_takes_everything() -> None:
    ledger = Ledger()
    for n in range(3):
        ledger.add(written(f"Crate {n}.", "ok"))
    assert ledger.compare(["Crate 0.", "Crate 1."]) == ["lost"]
    assert ledger.compare(["Crate 0.", "Crate 1."]) == []
    ledger.wiped()
    assert ledger.compare(["Crate 1."]) == ["resurrected"]
    assert [one.text for one in ledger.removed(5)] == ["Crate 0."]


def soaked(root: Path, name: str) -> dict[str, int]:
    spec = SystemSpec(name=name, kind="python", target=f"tests.runner.shared:{name}")
    root.mkdir()
    result = soak(spec, opener, root, seconds=0.1, seed=1)
    assert result.rounds == 1
    assert result.kills >= 1
    assert result.calls["ok"] > 0
    return {name: count for name, count in result.breaches.items() if count}


def test_a_memory_that_keeps_its_promises_holds(tmp_path: Path) -> None:
    assert soaked(tmp_path / "safe", "Safe") == {}


def test_a_memory_that_loses_updates_does_not(tmp_path: Path) -> None:
    assert soaked(tmp_path / "losing", "Losing")["lost"] > 0


def test_a_memory_that_shows_nothing_cannot_be_soaked(tmp_path: Path) -> None:
    spec = SystemSpec(name="off", target="off")
    with pytest.raises(InputError, match="cannot be soaked"):
        soak(spec, opener, tmp_path, seconds=0.1, seed=0)
