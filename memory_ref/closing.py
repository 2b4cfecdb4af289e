"""Which goal a clause closes, puts off or takes up again: "the report is done", "I've renewed the visa", "scrap that plan", "put it on hold".
English; from words alone, so never unsure of more than one.

A clause closes a goal when it says that something is done or dropped and names the goal, or when it says in the perfect or passive what
the goal says in the imperative ("Renew the visa" – "I renewed the visa", "the visa is renewed").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memgauge.memory_ref import cues, phrasing
from memgauge.memory_ref.lexicon import SAME_WORDS
from memgauge.memory_ref.records import Goal
from memgauge.memory_ref.searchtext import STOPS, porter

_DONE_WORD = r"done|finished|complete|completed|shipped|submitted|sorted|over|wrapped up|behind (?:me|us)|ticked off|settled|taken care of"
_DONE = (
    re.compile(
        rf"^(?:(?:yes|yep|yeah|ok|good news|great|finally|update)[,!. ]+)*(?P<what>that|it|this|(?:the |my |our )?[\w' -]{{3,60}}?)(?:'s| is| are| was| has been| have been)\s+(?:all |finally |now |already |officially )*(?:{_DONE_WORD})\b(?! (?:yet|by|on))",
        re.I,
    ),
    re.compile(
        r"^(?:(?:yes|yep|yeah|ok|good news|great|update)[,!. ]+)*(?:i|we)(?:'ve| have)?\s+(?:finally |just |now |already |officially )*(?:finished|completed|submitted|passed|shipped|achieved|reached|wrapped up|am done with|are done with|'m done with|'re done with|done)\s+(?:with )?(?:the |my |our |that )?(?P<what>[\w' -]{2,60})",
        re.I,
    ),
)
_DROPPED = re.compile(
    r"^(?:(?:ok|please|let's|actually|no|just)[,! ]+)*(?:drop|scrap|abandon|cancel|forget(?: about)?|give up on|(?:i|we)(?:'m| am|'re| are) (?:giving up on|dropping|abandoning)|"
    r"(?:i|we)(?:'ve| have)? (?:given up on|gave up on|dropped|abandoned|decided against|changed my mind about)|(?:i|we)(?:'m| am|'re| are) not going to|"
    r"(?:i|we)(?:'ve| have)? decided not to|(?:i|we) (?:no longer|don't) want to) (?:the |my |our |that )?(?P<what>(?:plan|goal|idea|project)?[\w' -]{0,60})",
    re.I,
)
_WHAT = r"(?:the |my |our |that )?(?P<what>[\w' -]{2,60}?)"
_ORDER = r"^(?:(?:ok|please|let's|let us|actually|no|just|so|and|now|i(?:'m| am| want to| will|'ll)|we(?:'re| are| will|'ll| should)|time to|going to)[,! ]+)*"
_MOVED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("dropped", (
        rf"^(?:sadly |unfortunately )?{_WHAT} (?:is|are|was|were|has been|have been|got|gets|'s) (?:now |all )?(?:cancell?ed|called off|off|scrapped|dropped|abandoned|off the table)\W*$",
        rf"{_ORDER}(?:remove|removing|take|taking|cross|crossing|strike|striking|delete|drop) {_WHAT} (?:off|from|out of) (?:the|my|our) (?:list|goals?|goal list|to-?do(?:s| list)?|plans?)\W*$",
    )),
    ("paused", (
        rf"{_ORDER}(?:put|putting|place) {_WHAT} (?:on (?:hold|ice|pause|the back burner)|aside)\b",
        rf"{_ORDER}(?:pause|pausing|postpone|postponing|shelve|shelving|park|suspend) {_WHAT}(?: (?:for|until|till)\b.*)?\W*$",
        rf"^{_WHAT} (?:is|are|has been|have been|'s) (?:now |currently )?(?:on (?:hold|ice|pause|the back burner)|paused|postponed|shelved|suspended)\b",
    )),
    ("active", (
        rf"{_ORDER}(?:pick|picking|take|taking) {_WHAT} (?:back )?up(?: again)?\W*$",
        rf"{_ORDER}(?:pick up|picking up|resume|resuming|restart|restarting|reopen|unpause|revive|get back to|getting back to|go back to|going back to|continue with) {_WHAT}(?: again| now)?\W*$",
        rf"^{_WHAT} (?:is|are|'s) (?:back on|on again|active again|back on track|no longer on hold)\b",
    )),
)  # fmt: skip
"""Status a goal gets → clauses that say or order so."""
_POINTS_BACK = re.compile(r"(?:that|it|this|that plan|the plan|the goal|that goal|plan|goal)", re.I)
_OPEN = re.compile(
    r"\b(?:not|n't|never|nearly|almost|half|partly|still|yet|soon|tomorrow|next|will|'ll|going to|need|needs|must|should|want|hope|plan|try|trying|once|when|if|until|before|after|as soon as|by)\b|n't\b",
    re.I,
)
"""Words beside which a participle tells of no end."""
_PART = re.compile(
    r"\b(?:chapters?|parts?|half|sections?|phases?|steps?|drafts?|pages?|milestones?|rounds?|outlines?|some|most|fully booked|sold out)\b", re.I
)
"""Words of a part: it is done, the whole is not."""
_PUT_OFF = re.compile(r"\b(?:not going to|want to)\b.*\b(?:this|today|tonight|tomorrow|now|yet|next|soon|alone)\b", re.I)
_BY_ME = re.compile(r"^(?:(?:yes|yep|ok|good news|great|finally|update|so|and|today|yesterday)[,!. ]+)*(?:i|we)(?:'ve| have|'m| am)?\b", re.I)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|got|gets)\b", re.I)
_IN_SHORT = re.compile(
    r"^(?!.*\b(?:he|she|they|who|neighbou?r|friend|brother|sister)\b)(?:[\w'-]+ ){1,4}\w+ed\b(?:[,!. ]+(?:finally|at last|today|yesterday|already|now|yay|done))*\W*$",
    re.I,
)
"""A thing and a participle, and no more: "tickets booked"."""
_ENDS_DONE = re.compile(rf"\b(?:{_DONE_WORD})\W*$", re.I)


@dataclass(frozen=True, slots=True)
class Closed:
    """`sure`: the words name the goal; else they only point back at something."""

    goal: str
    status: str
    sure: bool


def closed(clause: str, before: str, goals: Sequence[Goal], *, ordered: bool = False) -> Closed | None:
    """The one goal this clause closes, pauses or takes up again, or None. `before`: what was said in the turn until here, for "that's done".
    `ordered`: the clause is an order, which puts off and drops, but never says that something is done."""
    plain = cues.fold(clause).strip()
    fulfilled = [] if ordered else [goal for goal in goals if _fulfils(goal.text, plain)]
    if len(fulfilled) == 1:
        return Closed(fulfilled[0].id, "done", sure=True)
    told = _told(plain) or _told(plain.rpartition(", ")[2])
    if told is None or (ordered and told[1] == "done"):
        return None
    what, status = told
    goals = [goal for goal in goals if (goal.status == "paused") == (status == "active") or status in ("done", "dropped")]
    pronoun = _POINTS_BACK.fullmatch(what) is not None
    context = f"{before} {plain[: plain.rfind(what)]}" if pronoun else what
    named = [goal for goal in goals if _shares(goal.text, context) and not _of_a_part(goal.text, what)]
    meant = named or (list(goals) if pronoun else [])
    if len(meant) != 1:
        return None
    return Closed(meant[0].id, status, sure=bool(named) or not context.strip())


def _told(plain: str) -> tuple[str, str] | None:
    for status, rules in _MOVED:
        for rule in rules:
            if found := cues.compiled(rule).match(plain):
                return found["what"].strip(), status
    for pattern in _DONE:
        if found := pattern.match(plain):
            return found["what"].strip(), "done"
    found = _DROPPED.match(plain)
    return (found["what"].strip(), "dropped") if found and found["what"].strip() and not _PUT_OFF.search(plain) else None


def _fulfils(goal: str, plain: str) -> bool:
    """Whether the clause says as done what the goal says as wanted: its verb as a participle or past, and something it names."""
    if _OPEN.search(plain) or _of_a_part(goal, plain):
        return False
    verb, *rest = _content(goal)
    said = re.findall(r"[\w'-]+", plain.lower())
    named = {porter(word) for word in rest} & {porter(word) for word in said}
    if not named:
        return False
    if _ENDS_DONE.search(plain) and 2 * len(named) >= len(rest) and len(named) > 1:
        return True
    past = any(word != verb and ((porter(word) == porter(verb) and word.endswith("ed")) or word in _PAST.get(verb, ())) for word in said)
    return past and (_BY_ME.match(plain) is not None or _PASSIVE.search(plain) is not None or _IN_SHORT.match(plain) is not None)


def _of_a_part(goal: str, said: str) -> bool:
    return any(word.lower() not in goal.lower() for word in _PART.findall(said))


def _content(goal: str) -> list[str]:
    words = [word for word in re.findall(r"[\w'-]+", goal.lower()) if word not in STOPS["english"]]
    return words or [goal.lower()]


_PAST = {line.split()[0]: frozenset(line.split()[1:]) for line in SAME_WORDS}
"""Verb → its irregular forms."""


def _shares(goal: str, text: str) -> bool:
    wanted = {porter(w) for w in phrasing.words(goal).split() if len(w) > 3}
    return bool(wanted & {porter(word) for word in phrasing.words(text).split()})
