"""One pass over the clauses of a message, from words to candidates. Pure; see `capture` for which messages are read at all."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from memgauge.clock import parse_instant
from memgauge.memory_ref import closing, cues, dates, intents, phrasing, slots, utterance
from memgauge.memory_ref.candidates import Candidate, Intent, Turn
from memgauge.memory_ref.earlier import Earlier
from memgauge.memory_ref.policy import Policy
from memgauge.memory_ref.records import Fact, Message
from memgauge.memory_ref.screen import REMOVED, screen
from memgauge.memory_ref.sensitive import NEEDS, find_sensitive
from memgauge.memory_ref.slot_makers import Reading
from memgauge.memory_ref.utterance import Clause


def latest(found: list[Candidate]) -> Iterator[Candidate]:
    """Of two statements on one slot in one turn, the later."""
    last = {c.slot: at for at, c in enumerate(found) if c.slot and c.intent != "goal"}
    for at, candidate in enumerate(found):
        if not candidate.slot or candidate.intent == "goal" or last[candidate.slot] == at or candidate.rule != found[last[candidate.slot]].rule:
            yield candidate


class Reader:
    """One pass over a message's clauses. Keeps what later clauses refer to: the statement before, a change without its value."""

    def __init__(self, message: Message, turn: Turn, existing: Sequence[Fact], policy: Policy, now: datetime) -> None:
        self.message, self.turn, self.existing, self.policy, self.now = message, turn, existing, policy, now
        self.said_at = parse_instant(message.created_at)
        self.zone = policy.notes.zone
        self.found: list[Candidate] = []
        self.before = Earlier(message, turn, existing, self.found)
        self.wished: int | None = None
        self.topic = ""
        self.told: int | None = None
        self.turned: int | None = None

    def candidates(self) -> Iterator[Candidate]:
        foreign = False
        for clause in self._asserted():
            if not clause.english:
                self._foreign(clause, first=not foreign)
                foreign = True
            elif not self._repaired(clause):
                self._english(clause)
        return latest(self.found)

    def _asserted(self) -> Iterator[Clause]:
        """Clauses that can be memory. A wish to keep reaches to the end of its sentence: as several statements when each can be read by
        itself, else as one."""
        found = [c for c in utterance.clauses(self.message.text) if c.mood in ("asserted", "tentative", "request")]
        for sentence, group in itertools.groupby(found, key=lambda c: c.sentence):
            first, *rest = group
            wish = intents.keeping(first.whole) if first.english else None
            self.wished = sentence if wish is not None and wish.text else None
            reads = wish is not None and (len(wish.text.split()) > 3 or slots.read(wish.text, self.turn.user) is not None)
            if self.wished is not None and rest and not (reads and all(self._stands_alone(c) for c in rest)):
                first, rest = replace(first, text=self.message.text[first.span[0] : rest[-1].span[1]], span=(first.span[0], rest[-1].span[1])), []
            yield from (first, *rest)

    def _stands_alone(self, clause: Clause) -> bool:
        return (
            slots.read(clause.whole, self.turn.user) is not None or intents.is_imperative(clause.whole) or intents.keeping(clause.whole) is not None
        )

    # --- one clause ----------------------------------------------------------------------------------------------------

    def _english(self, clause: Clause) -> None:
        wish = intents.keeping(clause.whole) or (intents.Keeping(clause.whole.strip(_EDGES)) if clause.sentence == self.wished else None)
        if wish is not None and not wish.text:
            self._promote(clause)
            return
        text = self._named(wish.text if wish is not None else clause.whole.strip(_EDGES))
        rule = self.policy.capture.pins and clause.sentence != self.told and intents.is_rule(text)
        if clause.mood == "asserted" and wish is None and not rule:
            self.told = clause.sentence  # "… and never give up" behind a statement is its second verb, no order
        if rule:
            self._add(text, clause, "rule", Reading(slot="", value="", kind="procedural"), rule=True)
        if wish is not None:
            kept = self.before.resolved(slots.read(text, self.turn.user)) or Reading(slot="", value="")
            self._add(text, clause, "explicit", replace(kept, kind="procedural") if intents.is_imperative(text) else kept)
            return
        if rule or clause.mood == "tentative" or self._closes_goal(clause) or clause.mood == "request":
            return
        reading = self.before.resolved(slots.read(text, self.turn.user)) or self._introduction(text) or self._plan(text)
        if reading is None:
            if any(category != NEEDS for category in find_sensitive(text)):
                self._add(text, clause, "stated", Reading(slot="", value="", known=False))
            self.turned = clause.sentence if _TURNED.search(cues.fold(text)) else self.turned
        else:
            if self.turned == clause.sentence:  # "no longer in X, we live in Y"
                reading = replace(reading, change=True)
            self._add(self._worded(text, reading), clause, "stated", reading)
            if reading.slot in ("role", "work") and (base := _BASED.search(text)):
                self._add(f"I live in {base['v']}", clause, "stated", Reading(slot="home", value=base["v"]))

    def _worded(self, text: str, reading: Reading) -> str:
        """ "It's not X but Y" says nothing by itself: the sentence it corrects, with the right value in it."""
        if not _PRONOUN.match(cues.fold(text)) or not reading.slot or not reading.retires:
            return text
        texts = [c.text for c in self.found] + [f.text for f in reversed(self.existing)]
        gone = _ANCHORED.sub("", reading.retires)
        when = re.match(r"(?:on|at|by|in|until)\s", gone)
        new = when[0] + reading.value if when and not reading.value.startswith(when[0]) else reading.value
        plain = [_ANCHORED.sub("", one) for one in texts]
        return next(
            (t.replace(gone, new) for t in plain if gone in t and (old := slots.read(t, self.turn.user)) is not None and old.value == gone), text
        )

    def _introduction(self, text: str) -> Reading | None:
        """ "Hi, I'm Ana": a name, where the message opens with a greeting."""
        found = re.search(r"\b(?:I'm|I am|this is)\s+(?P<v>(?-i:[A-Z])[\w'-]+)$", cues.fold(text), re.I)
        greeted = re.match(r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|nice to meet you)\b", self.message.text.strip(), re.I)
        return Reading(slot="name", value=found["v"]) if found and greeted else None

    def _named(self, text: str) -> str:
        """ "The X is old, so we sold it": the thing is named in place of the pronoun."""
        plain = cues.fold(text)
        found = _SOLD_IT.match(plain)
        if found and self.topic:
            text = f"{text[: found.start('it')]}the {self.topic}{text[found.end('it') :]}"
        about = _ABOUT.match(plain)
        self.topic = about["n"] if about else self.topic
        return text

    def _foreign(self, clause: Clause, *, first: bool) -> None:
        """A language without rules: an explicit wish is understood in some, all else waits for the user."""
        wish = intents.keeping_elsewhere(clause.text)
        if wish is not None and wish.text:
            self._add(wish.text, clause, "explicit", Reading(slot="", value=""))
        elif wish is not None:
            self.found[:] = [replace(c, intent="explicit") if c.intent == "foreign" else c for c in self.found]
        elif first and len(self.message.text) <= _SHORT:
            self._add(clause.text, clause, "foreign", Reading(slot="", value=""))

    def _repaired(self, clause: Clause) -> bool:
        """ "I live in X, I mean Y": the value before it is put right."""
        found = _REPAIR.match(cues.fold(clause.text))
        if not found:
            return False
        if not self.found or not self.found[-1].value:
            reading = self.before.corrected(Reading(slot="", value=found["v"].strip(" .!"), change=True))
            if not reading.slot:
                return False
            self._add(self._worded(clause.text, reading), clause, "stated", reading)
            return True
        last = self.found[-1]
        self.found[-1] = replace(
            last, text=last.text.replace(last.value, found["v"].strip(" .!")), value=found["v"].strip(" .!"), span=(last.span[0], clause.span[1])
        )
        return True

    def _promote(self, clause: Clause) -> None:
        """ "… Remember that.": what was said just before is what the user wants kept."""
        before = [c for c in self.found if c.intent == "stated"]
        if before:
            sentence = before[-1]
            self.found[:] = [replace(c, intent="explicit") if c is sentence else c for c in self.found]
            return
        text = self.message.text[: clause.span[0]].strip(" \t\n,;.!–—-")
        previous = [c for c in utterance.clauses(self.message.text[: clause.span[0]]) if c.mood == "asserted" and c.english]
        if text and previous and len(previous[-1].text.split()) >= 2:
            self._add(previous[-1].whole.strip(" ,;.!"), previous[-1], "explicit", Reading(slot="", value=""))

    def _plan(self, text: str) -> Reading | None:
        """A statement of the user about a day to come: useful until that day is over."""
        if not _PLANS.match(cues.fold(text)) or _NO_PLAN.match(cues.fold(text)):
            return None
        found = dates.find_dates(text, self.said_at, self.zone)
        today = self.said_at.date()
        if not found or found[-1].last <= today:
            return None
        rest = phrasing.words(re.sub(r"\s+(?:on|by|in|at|this|next)?\s*$", "", text[: found[0].span[0]]))
        return Reading(slot=f"plan:{rest}", value=found[0].words, kind="working", planned=True)

    def _closes_goal(self, clause: Clause) -> bool:
        if not self.turn.goals:
            return False
        before = " ".join(m.text for m in self.turn.messages if m.seq < self.message.seq) + " " + self.message.text[: clause.span[0]]
        closes = closing.closed(clause.text, before, self.turn.goals, ordered=clause.mood == "request")
        if closes is None:
            return False
        self._add(clause.text, clause, "goal", Reading(slot="", value=""), goal=closes.goal, status=closes.status, sure=closes.sure)
        return True

    # --- a candidate ---------------------------------------------------------------------------------------------------

    def _add(
        self, text: str, clause: Clause, intent: Intent, reading: Reading, *, rule: bool = False, goal: str = "", status: str = "", sure: bool = True
    ) -> None:
        kept = screen(text, self.policy, origin="stated")
        if kept.verdict == "reject" and not kept.removed and REMOVED in text:
            return  # nothing but a secret, and it was cut out, and told, when the message was stored
        kept = replace(kept, text=_OPENER.sub("", kept.text)) if intent == "stated" else kept
        found = dates.find_dates(kept.text, self.said_at, self.zone) if clause.english else ()
        bound = clause.english and (
            reading.kind in ("working", "episodic") or reading.slot.startswith("date:") or dates.TIME_BOUND.search(kept.text) is not None
        )
        expires = dates.expiry(kept.text, self.said_at, self.zone) if bound and intent != "goal" else None
        if expires is None and reading.kind == "working":
            expires = self.said_at + timedelta(days=self.policy.capture.working_days)
        if rule:
            expires = expires or self.said_at + timedelta(days=self.policy.capture.pin_days)
        self.found.append(
            Candidate(
                text=dates.anchor(kept.text, found),
                intent=intent,
                message_id=self.message.id,
                span=clause.span,
                slot=reading.slot or None,
                value=reading.value,
                kind=reading.kind,
                change=reading.change and not reading.planned,
                retires=reading.retires,
                known=reading.known and sure,
                rule=rule,
                reach=_reach(kept.text, reading),
                sensitivity=kept.sensitivity,
                verdict=kept.verdict if kept.text.strip() and kept.text != REMOVED else "reject",
                reason=kept.reason,
                expires_at=expires,
                goal=goal,
                goal_status=status,
            )
        )


def _reach(text: str, reading: Reading) -> Literal["user", "project", "task"]:
    if re.search(r"\b(?:for|in|on|within) (?:this|the current) (?:task|ticket|issue|run)\b", text, re.I):
        return "task"
    return (
        "project"
        if reading.project or re.search(r"\b(?:for|in|on|within) (?:this|the current) (?:project|repo(?:sitory)?|codebase)\b", text, re.I)
        else "user"
    )


_OPENER = re.compile(
    r"^(?:(?:actually|well|oh|by the way|btw|fyi|anyway|no|yes|ok|okay|so|also|hi|hey|hello|correction|and|but)"
    r"(?:[,:–—-]+\s*|(?<=and)\s|(?<=but)\s|(?<=so)\s))+(?=\S)",
    re.I,
)
_TURNED = re.compile(r"\b(?:no longer|any ?more|any longer|used to)\b", re.I)
_SOLD_IT = re.compile(
    r"(?:and |so |but |then )*(?:i|we)(?:'ve| have)? (?:just |finally |already )?"
    r"(?:sold|gave away|given away|got rid of|scrapped|donated|returned|traded in) (?P<it>it|them)\b",
    re.I,
)
_ABOUT = re.compile(
    r"(?:(?:good|bad) news[:,]? )?(?:my|our|the) (?P<n>[\w' -]{2,40}?) "
    r"(?:is|are|was|were|has|have|had|got|broke|needs|needed|never|just|finally|kept)\b",
    re.I,
)
_PRONOUN = re.compile(
    rf"(?:(?:no|actually|sorry|wait|oops|correction|well|i)[,. ]+)*"
    rf"(?:(?:it|that|this)(?:'s| is| was| isn't)\b|not\s|meant\b|{cues.pattern('repair').pattern})",
    re.I,
)
_ANCHORED = re.compile(r" \(\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?\)")
"""A date that was set behind relative words; a text that is worded anew is anchored anew."""
_BASED = re.compile(r"\b(?:based|living) in (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")
_EDGES = " \t\n,;.!–—-"
_SHORT = 240
"""Characters up to which a message in a language without rules is put to the user: two sentences he can judge at a glance."""
_REPAIR = re.compile(
    rf"(?:(?:and|oh|ah|well|but|no|wait|sorry|actually|oops)[\s,.!]+)*(?:{cues.pattern('repair').pattern})[\s,:]+"
    r"(?P<v>(?:(?!(?:i|we|my|it)\b)[\w'.&-]+\s*){1,4})[.!]*$",
    re.I,
)
_PLANS = re.compile(r"^(?:(?:and|also|so|ok|hi|hey|by the way|btw|well)[, ]+)*(?:i|we|i'm|we're|i'll|we'll|i've|we've)\s", re.I)
_NO_PLAN = re.compile(
    r"^(?:(?:and|also|so|ok|by the way|btw|well)[, ]+)*(?:i|we)\s*(?:'d|would|meant|mean|need|want|wish|hope|think|guess|wonder|have to|should|must|"
    r"am (?:not|looking|trying)|'m (?:not|looking|trying|thinking|wondering)|"
    r"can(?:'t|not)?|could|do(?:n't| not))\b"
    r"|^\W*(?:\w+,? )?(?:i|we)(?:'ve| have)? (?:just )?\w+ed (?:it|that|this|them)\b",
    re.I,
)
