"""Hypothesis drives the reference memory, with the independent model of `memgauge.fuzz` beside it.

500 steps by default; `MEMGAUGE_STEPS=5000 pytest -s tests/stateful` does more. Seeds are counted up from 0 and printed, so that
every run is the same run.
"""

from __future__ import annotations

import itertools
import os
import random
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule, run_state_machine_as_test

from memgauge.clock import format_instant
from memgauge.fuzz.moves import AGAIN, PRIVATE, THREADS, Move, View
from memgauge.fuzz.play import Play
from memgauge.fuzz.words import Statement, Words
from memgauge.systems.load import open_system
from memgauge.systems.spec import SystemSpec

STEPS = int(os.environ.get("MEMGAUGE_STEPS", "500"))
REFERENCE = SystemSpec(name="reference", target="reference")
A_SEED = settings(
    max_examples=5,
    stateful_step_count=40,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)

users = st.sampled_from(("ana", "ben"))
threads = st.sampled_from([thread for thread in THREADS if thread != PRIVATE])
views = st.builds(lambda actor, thread: View(actor=actor, thread=thread), users, threads)
Made = tuple[View, Statement]


class BesideTheModel(RuleBasedStateMachine):
    """Every rule is one request; `Play` sends it, tells the model, and holds lists, exports, recall and prompts against it."""

    facts: Bundle[Made] = Bundle("facts")
    messages: Bundle[Made] = Bundle("messages")
    goals: Bundle[Made] = Bundle("goals")
    sent = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="memgauge-stateful-")
        self.play = Play(REFERENCE, open_system, Path(self.folder.name))
        self.words = Words(random.Random(0))
        self.n = 0

    def teardown(self) -> None:
        self.play.close()
        self.folder.cleanup()

    def do(self, op: str, view: View | None = None, told: Statement | None = None, target: str = "", **args: Any) -> None:
        move = Move(n=self.n, op=op, view=view or View(), told=told, target=target, args=args)
        self.n += 1
        BesideTheModel.sent += 1
        breach = self.play.step(move)
        assert breach is None, f"{breach.invariant}: {breach.detail}"

    @rule(target=messages, view=views)
    def append(self, view: View) -> Made:
        said = self.words.fact()
        self.do("append", view, said)
        return view, said

    @rule(actor=users)
    def append_in_private(self, actor: str) -> None:
        self.do("append", View(actor=actor, thread=PRIVATE), self.words.fact(), private=True)

    @rule(view=views, ok=st.booleans())
    def end_turn(self, view: View, ok: bool) -> None:
        self.do("end_turn", view, ok=ok)

    @rule(target=facts, view=views, narrow=st.booleans())
    def remember(self, view: View, narrow: bool) -> Made:
        said = self.words.fact()
        self.do("remember", view, said, **({"reach": "project"} if narrow and view.project else {}))
        return view, said

    @rule(target=facts, view=views, days=st.integers(1, 5))
    def remember_for_some_days(self, view: View, days: int) -> Made:
        said = self.words.fact()
        self.do("remember", view, said, expires_at=format_instant(self.play.clock.now() + timedelta(days=days)))
        return view, said

    @rule(target=facts, made=consumes(messages))
    def remember_what_was_said(self, made: Made) -> Made:
        self.do("remember", made[0], target=made[1].key)
        return made

    @rule(target=facts, made=facts)
    def correct(self, made: Made) -> Made:
        said = self.words.about(made[1].topic)
        self.do("correct", made[0], said, target=made[1].key)
        return made[0], said

    @rule(made=consumes(facts))
    def forget(self, made: Made) -> None:
        self.do("forget", made[0], target=made[1].key)

    @rule(made=consumes(messages))
    def forget_message(self, made: Made) -> None:
        self.do("forget", made[0], target=made[1].key, by="message")

    @rule(actor=users)
    def forget_all(self, actor: str) -> None:
        self.do("forget_all", View(actor=actor))

    @rule(target=goals, view=views)
    def goal_add(self, view: View) -> Made:
        said = self.words.goal()
        self.do("goal_add", view, said)
        return view, said

    @rule(made=goals, status=st.sampled_from(("active", "paused", "done", "dropped")))
    def goal_update(self, made: Made, status: str) -> None:
        self.do("goal_update", made[0], target=made[1].key, status=status)

    @rule(actor=users, name=st.sampled_from(("house", "trip")), expected=st.sampled_from(("current", "current", "stale")), edit=st.booleans())
    def document(self, actor: str, name: str, expected: str, edit: bool) -> None:
        self.do("doc_edit" if edit else "doc_write", View(actor=actor), self.words.line(), name=name, expected=expected)

    @rule(actor=users, op=st.sampled_from(("consolidate", "expire", "rebuild")))
    def maintain(self, actor: str, op: str) -> None:
        self.do(op, View(actor=actor))

    @rule(days=st.integers(1, 3), to_the_end=st.booleans())
    def advance(self, days: int, to_the_end: bool) -> None:
        """Some days on, or to the very instant at which the next fact ends."""
        now = self.play.clock.now()
        ends = sorted(claim.expires_at for claim in self.play.model.claims.values() if claim.expires_at is not None and claim.expires_at > now)
        self.do("advance", to=format_instant(ends[0] if ends and to_the_end else now + timedelta(days=days)))

    @rule(back=st.integers(1, 8))
    def send_again(self, back: int) -> None:
        """One of the last few requests comes once more, under its old key; the ones that cannot are left out."""
        self.do(AGAIN, target=str(max(0, self.n - back)))

    @rule()
    def reopen(self) -> None:
        self.do("reopen")

    @rule(target=facts, actor=users)
    def pause_and_resume(self, actor: str) -> Any:
        """Off, a request that must not be kept, on again."""
        self.do("set_access", View(actor=actor), enabled=False)
        self.do("remember", View(actor=actor), self.words.fact())
        self.do("set_access", View(actor=actor), enabled=True)
        return multiple()


@pytest.mark.slow
def test_the_reference_and_the_model_agree(capsys: pytest.CaptureFixture[str]) -> None:
    BesideTheModel.sent = 0
    for number in itertools.count():
        with capsys.disabled():
            print(f"\nstate machine: seed {number}, {BesideTheModel.sent} of {STEPS} steps done", end="", flush=True)
        run_state_machine_as_test(seed(number)(BesideTheModel), settings=A_SEED)
        if BesideTheModel.sent >= STEPS:
            break
    with capsys.disabled():
        print(f"\nstate machine: {BesideTheModel.sent} steps, seeds 0 to {number}, no disagreement")
