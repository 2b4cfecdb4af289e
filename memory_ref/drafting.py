"""The session note: a handoff to the next session, drafted for the user to rule on. To carry nothing is a normal outcome.

Four classes are surfaced: framing (a changed view), boundary, tension (kept open), correction. Beside them stands a small sample of
what was not surfaced; the share of it that the user keeps measures what surfacing misses. Which sentences are drawn depends on the
thread alone, so that asking again gives the same draft.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memgauge.memory_ref import access, cues, intents, reviews, slots, utterance
from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.facts import Statement
from memgauge.memory_ref.policy import Review
from memgauge.memory_ref.records import Item, Message, Reply, from_row, items
from memgauge.memory_ref.screen import screen
from memgauge.memory_ref.store import Store

Class = Literal["framing", "boundary", "tension", "correction"]
CLASSES: tuple[Class, ...] = ("correction", "boundary", "framing", "tension")
"""In the order in which a sentence is tried and, when there are too many, kept: a correction can be tested, a tension only be felt."""
_NOT_MEANT = ("question", "joke", "reported", "refuted", "hypothetical")
_MIN_WORDS = 3
"""Words from which a sentence says anything to a later session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """One line of the draft. `class_` None and `control` true: drawn from what was not surfaced."""

    text: str
    message_id: str
    span: tuple[int, int]
    class_: Class | None = None
    control: bool = False


def drafted(messages: Sequence[Message], policy: Review, *, user: str = "") -> tuple[Drafted, ...]:
    """The draft of a thread's messages: what is surfaced, best class first, then the control sample. Pure."""
    surfaced: list[Drafted] = []
    rest: list[Drafted] = []
    for message in messages:
        if message.role != "user" or message.origin != "typed" or message.state != "live" or message.speaker not in (None, user):
            continue
        for _, group in itertools.groupby(utterance.clauses(message.text), key=lambda clause: clause.sentence):
            clauses = list(group)
            span = (clauses[0].span[0], clauses[-1].span[1])
            text = message.text[span[0] : span[1]].strip(" \t,;")
            if clauses[0].mood in _NOT_MEANT or len(text.split()) < _MIN_WORDS:
                continue
            found = _class_of(text)
            line = Drafted(text=text, message_id=message.id, span=span, class_=found, control=found is None)
            (rest if found is None else surfaced).append(line)
    surfaced.sort(key=lambda line: CLASSES.index(line.class_ or "tension"))
    size = min(policy.control_max, math.ceil(len(rest) * policy.control_share), len(rest))
    return (*surfaced[: policy.draft_max], *sorted(rest, key=_lot)[:size])


def draft(store: Store) -> Reply:
    """Put the draft of the scope's thread before the user: `items` of kind review, the control sample among them. Sensitive and secret
    text is left out. Raises Refused in a private thread or when memory may not be written."""
    access.require_writable(store)
    if store.scope.thread is None:
        raise Refused("a draft is made of one thread; the scope names none")
    rows = store.database.all("SELECT * FROM messages WHERE thread = ? AND on_branch = 1 ORDER BY seq", (store.scope.thread,))
    found: list[Item] = []
    for line in drafted([from_row(Message, row) for row in rows], store.policy.review, user=store.scope.user):
        kept = screen(line.text, store.policy, origin="stated")
        if kept.verdict == "reject" or _ruled_on(store, line):
            continue
        said = Statement(
            text=kept.text,
            kind=_kind(line),
            slot=slots.read_slot(kept.text, store.scope.user),
            message_id=line.message_id,
            span=line.span,
            project=store.scope.project,
            task=store.scope.task,
            sensitivity=kept.sensitivity,
        )
        review = reviews.add(
            store,
            said,
            "drawn at random from what was not surfaced" if line.control else f"{line.class_} of this session",
            class_=line.class_,
            control=line.control,
        )
        found.append(
            Item(
                id=review,
                kind="review",
                text=kept.text,
                source_ids=(line.message_id,),
                label="control" if line.control else line.class_,
                status="pending",
            )
        )
    return items(found)


def missed_by_surfacing(store: Store) -> tuple[int, int]:
    """(control items the user kept, control items he ruled on): the share of what surfacing should have found."""
    kept = store.database.value("SELECT count(*) FROM reviews WHERE control = 1 AND status = 'approved'")
    ruled = store.database.value("SELECT count(*) FROM reviews WHERE control = 1 AND status != 'pending'")
    return int(kept), int(ruled)


def _class_of(text: str) -> Class | None:
    folded = cues.fold(text)
    found = next((name for name in CLASSES if cues.pattern(name).search(folded)), None)
    return found or ("boundary" if intents.is_rule(text) else None)


def _kind(line: Drafted) -> str:
    """A boundary becomes a decision, a correction a way of working; the rest is an episode."""
    return {"boundary": "boundary", "correction": "procedural"}.get(line.class_ or "", "episodic")


def _ruled_on(store: Store, line: Drafted) -> bool:
    return any(store.mark(known.text) == store.mark(line.text) for known in reviews.listed(store, "approved", "deleted", "dont_carry"))


def _lot(line: Drafted) -> str:
    return hashlib.sha256(f"{line.message_id}\0{line.span}\0{line.text}".encode("utf-8", "surrogatepass")).hexdigest()
