"""Seeded random sequences. What a step acts on is drawn from what earlier steps made, as if all had been acknowledged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta

from memgauge.clock import DEFAULT_START, format_instant, parse_instant
from memgauge.fuzz.moves import AGAIN, PRIVATE, THREADS, Move, View
from memgauge.fuzz.words import FILLER, Statement, Words
from memgauge.protocol import Manifest

# fmt: off
WEIGHTS = {
    "remember": 20, "keep": 5, "say": 12, "end_turn": 6, "chat": 4, "correct": 11, "forget": 9, "forget_message": 4, "forget_all": 2,
    "goal_add": 5, "goal_update": 6, "doc_write": 8, "doc_edit": 4, "doc_delete": 1, "advance": 6, "expire": 2, "consolidate": 2,
    "rebuild": 1, "reopen": 4, "set_access": 4, "again": 4,
}
"""How often each step is drawn. Own choice: about as many writes as changes of what was written."""
VERB_OF = {
    "keep": "remember", "say": "append", "chat": "append", "forget_message": "forget",
}
# fmt: on
RETRIED = ("remember", "correct", "goal_add", "doc_write")
"""Requests that come again; a message has an id of its own, which is a key already."""
DOCUMENTS = ("house", "trip")


class Generator:
    """An endless sequence for one seed. Only what the manifest offers is drawn: its verbs, a clock that can be told, a store that lasts.

    `retries`: requests may come again under their key.
    """

    def __init__(self, seed: str, manifest: Manifest, *, retries: bool) -> None:
        self._draw = random.Random(seed)
        self._words = Words(self._draw)
        self._timed = manifest.clock in ("argument", "backdated")
        own = {"advance": self._timed, "reopen": manifest.durable, AGAIN: retries}
        self._steps = {step: weight for step, weight in WEIGHTS.items() if own.get(step, manifest.supports(VERB_OF.get(step, step)))}
        self._n = 0
        self._now = parse_instant(DEFAULT_START)
        self._ends: list[str] = []
        self._facts: dict[str, tuple[View, Statement]] = {}
        self._messages: dict[str, tuple[View, Statement]] = {}
        self._goals: dict[str, tuple[View, Statement]] = {}
        self._paused: set[str] = set()
        self._writes: list[Move] = []

    def moves(self) -> Iterator[Move]:
        while True:
            move = getattr(self, f"_{self._draw.choices(list(self._steps), list(self._steps.values()))[0]}")()
            if move is not None:
                self._n += 1
                self._writes += [move] if move.op in RETRIED else []
                yield move

    def _view(self, *, private: bool = False) -> View:
        actor = self._draw.choices(("ana", "ben", "shout", "elsewhere"), (6, 3, 1, 1))[0]
        threads = [thread for thread in THREADS if private or thread != PRIVATE]
        return View(actor=actor, thread=self._draw.choices(threads, [4, 2, 2, 1, 1][: len(threads)])[0])

    def _some(self, made: dict[str, tuple[View, Statement]]) -> tuple[str, View, Statement] | None:
        """One of the last dozen: what is new is changed more often than what is old."""
        if not made:
            return None
        key = self._draw.choice(list(made)[-12:])
        return key, *made[key]

    def _remember(self) -> Move:
        view, said, args = self._view(), self._words.fact(), {}
        if self._timed and self._draw.random() < 0.25:
            self._ends.append(format_instant(self._now + timedelta(days=self._draw.randint(1, 6))))
            args["expires_at"] = self._ends[-1]
        if view.project and self._draw.random() < 0.6:
            args["reach"] = "project"
        self._facts[said.key] = (view, said)
        return Move(n=self._n, op="remember", view=view, told=said, args=args)

    def _keep(self) -> Move | None:
        """Remember what a message said."""
        found = self._some({key: made for key, made in self._messages.items() if made[0].thread != PRIVATE and key not in self._facts})
        if found is None:
            return None
        self._facts[found[0]] = (found[1], found[2])
        return Move(n=self._n, op="remember", view=found[1], target=found[0])

    def _say(self) -> Move:
        view, said = self._view(private=True), self._words.fact()
        self._messages[said.key] = (view, said)
        return Move(n=self._n, op="append", view=view, told=said, args={"private": True} if view.thread == PRIVATE else {})

    def _chat(self) -> Move:
        view = self._view()
        return Move(n=self._n, op="append", view=view, args={"role": "assistant", "text": " ".join(self._draw.sample(FILLER, 2))})

    def _end_turn(self) -> Move:
        return Move(n=self._n, op="end_turn", view=self._view())

    def _correct(self) -> Move | None:
        found = self._some(self._facts)
        if found is None:
            return None
        key, view, old = found
        said = self._words.about(old.topic)
        self._facts[said.key] = (view, said)
        return Move(n=self._n, op="correct", view=view, told=said, target=key)

    def _forget(self) -> Move | None:
        found = self._some(self._goals if self._goals and self._draw.random() < 0.15 else self._facts)
        return None if found is None else Move(n=self._n, op="forget", view=found[1], target=found[0])

    def _forget_message(self) -> Move | None:
        found = self._some(self._messages)
        return None if found is None else Move(n=self._n, op="forget", view=found[1], target=found[0], args={"by": "message"})

    def _forget_all(self) -> Move:
        return Move(n=self._n, op="forget_all", view=View(actor=self._view().actor))

    def _goal_add(self) -> Move:
        view, said = self._view(), self._words.goal()
        self._goals[said.key] = (view, said)
        return Move(n=self._n, op="goal_add", view=view, told=said)

    def _goal_update(self) -> Move | None:
        found = self._some(self._goals)
        status = self._draw.choice(("done", "done", "dropped", "paused", "active"))
        return None if found is None else Move(n=self._n, op="goal_update", view=found[1], target=found[0], args={"status": status})

    def _doc_write(self) -> Move:
        expected = "stale" if self._draw.random() < 0.25 else "current"
        return Move(n=self._n, op="doc_write", view=self._document_view(), told=self._words.line(), args=self._document(expected))

    def _doc_edit(self) -> Move:
        expected = "stale" if self._draw.random() < 0.25 else "current"
        return Move(n=self._n, op="doc_edit", view=self._document_view(), told=self._words.line(), args=self._document(expected))

    def _doc_delete(self) -> Move:
        return Move(n=self._n, op="doc_delete", view=self._document_view(), args=self._document("current"))

    def _document_view(self) -> View:
        return View(actor=self._view().actor)

    def _document(self, expected: str) -> dict[str, str]:
        return {"name": self._draw.choice(DOCUMENTS), "expected": expected}

    def _advance(self) -> Move:
        """To the very instant at which something ends, or some days on."""
        due = sorted(end for end in self._ends if parse_instant(end) > self._now)
        target = parse_instant(due[0]) if due and self._draw.random() < 0.6 else self._now + timedelta(days=self._draw.randint(1, 4), hours=1)
        self._now = target
        return Move(n=self._n, op="advance", args={"to": format_instant(target)})

    def _expire(self) -> Move:
        return Move(n=self._n, op="expire", view=View(actor=self._view().actor))

    def _consolidate(self) -> Move:
        return Move(n=self._n, op="consolidate", view=View(actor=self._view().actor))

    def _rebuild(self) -> Move:
        return Move(n=self._n, op="rebuild", view=View(actor=self._view().actor))

    def _reopen(self) -> Move:
        return Move(n=self._n, op="reopen")

    def _again(self) -> Move | None:
        """A late retry of one of the last few writes."""
        if not self._writes:
            return None
        earlier = self._draw.choice(self._writes[-6:])
        return Move(n=self._n, op=AGAIN, view=earlier.view, target=str(earlier.n))

    def _set_access(self) -> Move:
        """Switched off it is soon switched on again: a sequence in which nothing is kept finds nothing."""
        off = sorted(self._paused)
        actor = self._draw.choice(off) if off and self._draw.random() < 0.8 else self._view().actor
        enabled = actor in self._paused
        (self._paused.discard if enabled else self._paused.add)(actor)
        return Move(n=self._n, op="set_access", view=View(actor=actor), args={"enabled": enabled})
