"""Plays moves on one system on a fresh folder, keeps the model beside it, and looks after every move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from memgauge.clock import DEFAULT_START, ManualClock, parse_instant
from memgauge.errors import SystemFault
from memgauge.fuzz.looks import Look, sight
from memgauge.fuzz.model import ACKNOWLEDGED, Model
from memgauge.fuzz.moves import ACTORS, AGAIN, Move, View
from memgauge.fuzz.promises import Breach, judge_document, judge_prompt, judge_receipt, judge_repeats, judge_sight, required
from memgauge.records import Json, Scope
from memgauge.runner.options import Opener
from memgauge.runner.session import Session
from memgauge.systems.spec import SystemSpec
from memgauge.tokens import counter

STEP_TIME = timedelta(seconds=1)
"""As in a run of scenarios: every step but `advance` takes one second."""
RETRIED_WITHIN = timedelta(hours=12)
"""How late a request may come again; nobody need keep its key for ever."""


@dataclass(frozen=True, slots=True)
class Seen:
    """When a claim was first rightly seen on a read path: after how many played moves, and through which look."""

    after: int
    look: Look


class Play:
    """One system under one sequence. `played`: the moves that were sent; `sent`: their arguments by `n`; `seen`: by claim and read path.

    `skip` names promises that are not asked for.
    """

    def __init__(self, spec: SystemSpec, opener: Opener, root: Path, skip: frozenset[str] = frozenset()) -> None:
        self._skip = skip
        self.clock = ManualClock(DEFAULT_START)
        self.session = Session(spec, opener, root, self.clock, namespace="memgauge-fuzz-")
        self.model = Model()
        self.played: list[Move] = []
        self.acknowledged = 0
        self.seen: dict[tuple[str, str], Seen] = {}
        self.sent: dict[int, Json] = {}
        self._kept: dict[int, tuple[datetime, Move]] = {}
        self._turns: dict[View, set[str]] = {}
        self._listed: dict[str, bool] = {}
        self._count = counter()
        self.session.open()

    def close(self) -> None:
        self.session.abandon()

    def step(self, move: Move, looks: Sequence[Look] | None = None) -> Breach | None:
        """Send one move and look: by `looks`, else by the usual ones. A move that cannot be sent is left out."""
        if not self._sendable(move):
            return None
        self.played.append(move)
        breach = self._made(lambda: self._send(move))
        for look in self.usual(move) if looks is None else looks:
            breach = breach or self._made(partial(self.look, look), look)
        if move.op != "advance":
            self.clock.advance(STEP_TIME)
        return breach

    def _made(self, call: Callable[[], Breach | None], look: Look | None = None) -> Breach | None:
        """The breach of one call, unless it is not asked for. A system that raises or dies has not answered."""
        try:
            breach = call()
        except SystemFault as fault:
            breach = Breach(invariant="answer", look=look, detail=str(fault))
        return None if breach is None or breach.invariant in self._skip else breach

    def _sendable(self, move: Move) -> bool:
        if move.op == "advance":
            return parse_instant(str(move.args["to"])) > self.clock.now()
        if move.op == AGAIN:
            return int(move.target) in self._kept and self.clock.now() - self._kept[int(move.target)][0] < RETRIED_WITHIN
        return move.op == "reopen" or (self.session.supports(move.op) and self.model.possible(move))

    def _send(self, move: Move) -> Breach | None:
        if move.op == "advance":
            self.clock.set(parse_instant(str(move.args["to"])))
            return None
        if move.op == "reopen":
            self.session.close()
            self.session.open()
            return None
        if move.op == AGAIN:
            return self._again(int(move.target))
        args = self.model.arguments(move)
        stale, paused = move.args.get("expected") == "stale", self.model.paused.get(move.view.actor) is True
        receipt = self.session.call(move.op, move.view.scope(), args, key=f"fuzz/{move.n}")
        self._settle()
        if move.op == "append":
            self._turns.setdefault(move.view, set()).add(str(args["text"]))
        self.acknowledged += receipt["status"] in ACKNOWLEDGED and self.session.manifest.verbs[move.op] == "native"
        self.model.learn(move, receipt, self.clock.now())
        self.sent[move.n] = args
        if receipt["status"] in ACKNOWLEDGED:
            self._kept[move.n] = (self.clock.now(), move)
        breach = judge_receipt(move.op, stale, paused, receipt)
        return breach if breach is None or move.told is None else Breach(invariant=breach.invariant, detail=breach.detail, claim=move.told.key)

    def _again(self, n: int) -> Breach | None:
        """The same request under the same key: nothing changes, whatever has happened since."""
        move = self._kept[n][1]
        receipt = self.session.call(move.op, move.view.scope(), self.sent[n], key=f"fuzz/{n}")
        self._settle()
        if move.told is not None:
            self.model.repeated.add(move.told.key)
        return judge_receipt(move.op, False, False, receipt)

    def _settle(self) -> None:
        if self.session.manifest.reads_see_writes == "after_settle":
            self.session.call("settle", Scope(), {})

    # --- looking ------------------------------------------------------------------------------------------------------

    def usual(self, move: Move) -> Iterator[Look]:
        """The list of everybody, the export of the one who acted, and questions about what the move touched and one thing more."""
        claims = self.model.claims
        actors = dict.fromkeys(claim.view.actor for claim in claims.values())
        yield from (Look(view=View(actor=actor), path="list-all") for actor in actors)
        if move.view.actor in actors:
            yield from (Look(view=move.view, path=path) for path in ("list-all", "list", "list-messages", "list-goals", "export"))
        yield from (Look(view=View(actor=actor), path="document", topic=name) for actor, name in self.model.documents)
        touched = [key for key in (move.told.key if move.told else "", move.target) if key in claims]
        others = [key for key in claims if key not in touched]
        for key in [*touched, *others[move.n % len(others) :][:1]] if others else touched:
            yield from self._questions(key)

    def _questions(self, key: str) -> Iterator[Look]:
        claim = self.model.claims[key]
        owner, names = claim.view.actor, list(ACTORS)
        elsewhere = ("side" if claim.view.thread == "main" else "main", "birch" if claim.view.thread == "atlas" else "atlas")
        threads = dict.fromkeys((claim.view.thread, *elsewhere))
        stranger = names[(names.index(owner) + 1 + sum(map(ord, key)) % 3) % len(names)]
        for view in (*(View(actor=owner, thread=thread) for thread in threads), View(actor=stranger)):
            yield from (Look(view=view, path=path, topic=claim.said.topic) for path in ("recall", "context"))

    def look(self, look: Look) -> Breach | None:
        """Make one read and hold it against the promises. What the system has no verb for is not looked at."""
        if not self.session.supports(look.op):
            return None
        receipt = self.session.call(look.op, look.view.scope(), look.arguments())
        if receipt["status"] == "error" and not receipt.get("retryable"):
            return Breach(invariant="answer", look=look, detail=f"{look.op} was answered error: {receipt.get('reason', '')}")
        if look.path == "document":
            return judge_document(self.model, look, receipt)
        if receipt["status"] == "unsupported":
            return None
        now = self.clock.now()
        shown = sight(look, receipt, self._turns.get(look.view, ()))
        breach = judge_sight(self.model, look, shown, now, self.session.manifest, self._skip)
        if breach is None and look.path == "context":
            breach = judge_prompt(look, receipt, self._count)
        if breach is None and look.path == "list-all" and receipt["status"] == "ok":
            breach = judge_repeats(self.model, look, receipt)
        if breach is None and look.path.startswith("list"):
            breach = self._lost(look, receipt, shown.everything)
        if breach is None:
            self._note(look, shown.everything)
        return breach

    def _note(self, look: Look, shown: str) -> None:
        for key, claim in self.model.claims.items():
            if claim.said.value.casefold() in shown and claim.view.actor == look.view.actor:
                self.seen.setdefault((key, look.path), Seen(len(self.played), look))

    def _lost(self, look: Look, receipt: Mapping[str, Any], shown: str) -> Breach | None:
        """An acknowledged claim that its list does not have. Whether a system lists messages and goals at all is seen at the first one;
        `list` by itself may show less than all, where there is a list of all."""
        if receipt["status"] != "ok" or look.path == "list":
            return None
        for key, claim in self.model.claims.items():
            if not required(self.model, claim, look, self.clock.now()):
                continue
            found = claim.said.value.casefold() in shown
            if self._listed.setdefault(claim.kind, found or claim.kind == "fact") and not found:
                detail = f"{claim.said.text!r} was acknowledged and is not in the {look.path} of {look.view.actor}"
                return Breach(invariant="lost", claim=key, look=look, detail=detail)
        return None


def play(played: Play, moves: Iterable[Move], looks: Sequence[Look] | None = None) -> Breach | None:
    """Play moves until one breaks a promise. The system is closed when it is over."""
    try:
        for move in moves:
            breach = played.step(move, looks)
            if breach is not None:
                return breach
        return None
    finally:
        played.close()
