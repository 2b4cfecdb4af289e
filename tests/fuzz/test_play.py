"""Single sequences: a step that cannot be sent is left out, and a request sent again changes nothing whatever came between."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from memgauge.fuzz.moves import AGAIN, Move
from memgauge.fuzz.play import Play, play
from memgauge.fuzz.promises import Breach
from memgauge.fuzz.words import Words
from memgauge.saboteurs.opener import open_system
from memgauge.systems.spec import parse_system

SAID = Words(random.Random(1)).fact()
REMEMBER = Move(n=0, op="remember", told=SAID)


def played(system: str, root: Path, *moves: Move) -> tuple[Play, Breach | None]:
    one = Play(parse_system(system), open_system, root)
    return one, play(one, moves)


@pytest.mark.parametrize("between", [Move(n=1, op="forget", target=SAID.key), Move(n=1, op="forget_all"), Move(n=1, op="reopen")], ids=lambda m: m.op)
def test_a_request_sent_again_changes_nothing(between: Move, tmp_path: Path) -> None:
    _, breach = played("reference", tmp_path, REMEMBER, between, Move(n=2, op=AGAIN, target="0"))
    assert breach is None


def test_a_memory_that_ignores_the_key_is_found(tmp_path: Path) -> None:
    forget, again = Move(n=1, op="forget", target=SAID.key), Move(n=2, op=AGAIN, target="0")
    _, breach = played("reference+retry-doubles", tmp_path, REMEMBER, forget, again)
    assert breach is not None
    assert (breach.invariant, breach.claim) == ("forgotten", SAID.key)


def test_what_acts_on_nothing_is_left_out(tmp_path: Path) -> None:
    lost = [Move(n=5, op="forget", target="c9"), Move(n=6, op=AGAIN, target="4"), Move(n=7, op="advance", args={"to": "2020-01-01T00:00:00+00:00"})]
    one, breach = played("reference", tmp_path, *lost, REMEMBER)
    assert breach is None
    assert one.played == [REMEMBER]
    assert one.acknowledged == 1
    assert one.seen[SAID.key, "recall"].after == 1
