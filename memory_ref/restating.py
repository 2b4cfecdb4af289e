"""What the user says anew: the earlier passage leaves the read paths, as every superseded fact does, and stands in the audit chain.

Slot rules read the common statements, in English. This is for the rest, and for other languages; see `frames` for when one statement
says another anew.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memgauge.memory_ref import cues, eligibility, facts, frames, phrasing, reviews, tombstones, utterance, vocabulary
from memgauge.memory_ref.facts import Statement
from memgauge.memory_ref.question import ask
from memgauge.memory_ref.records import Fact, Message, from_row
from memgauge.memory_ref.screen import screen
from memgauge.memory_ref.searchtext import porter, terms
from memgauge.memory_ref.store import Store
from memgauge.memory_ref.utterance import Clause

CANDIDATES = 20
"""Earlier messages that are held against a clause, the best of the index."""


@dataclass(frozen=True, slots=True)
class Older:
    """Words said earlier: the live fact that holds them, or where they stand (message, first, past) when no fact was read from them."""

    words: str
    fact: Fact | None = None
    place: tuple[str, int, int] = ("", 0, 0)


@dataclass(frozen=True, slots=True)
class Anew:
    """A passage that says earlier ones anew. `text` is what holds now, as a sentence; `span` its characters of the message."""

    text: str
    span: tuple[int, int]
    older: tuple[Older, ...]


def settle(store: Store, message: Message) -> list[tuple[str, str]]:
    """Keep what a message says anew as active facts, where they are not yet, and retire what they replace. Returns (id, text) of each."""
    kept = [(_carried_out(store, message, anew), anew.text) for anew in _found(store, message)]
    return [(record, text) for record, text in kept if record]


def _found(store: Store, message: Message) -> Iterator[Anew]:
    clauses = utterance.clauses(message.text)
    for before, clause in zip((None, *clauses), clauses, strict=False):
        if clause.mood != "asserted" or len(clause.text) > phrasing.LONGEST:
            continue
        if before is not None and before.mood == "asserted" and (announced := _announced(store, message, before, clause)) is not None:
            yield announced
            continue
        text = phrasing.opened(clause.whole).strip(" ,;.!")
        for part in frames.parts(clause.text):
            older = [one for one in _earlier(store, message, part) if frames.says_anew(part, one.words)] if frames.marked(part) else []
            if older := _of_one_thing(part, older):
                yield Anew(text, clause.span, tuple(older))
                break
        else:
            if (pointed := _pointed(store, message, clause)) is not None:
                yield pointed


def _of_one_thing(part: str, older: list[Older]) -> list[Older]:
    """What is replaced by another number: nothing where it could be several things, unless the new words name one ("the fee" is not clear
    where the gym's and the club's are known)."""
    new = frames.things(part)
    things = {frames.things(one.words) for one in older}
    if not new.numbers or all(a.words <= b.words or b.words <= a.words for a, b in itertools.combinations(things, 2)):
        return older
    return [one for one in older if frames.things(one.words).words <= new.words]


def _earlier(store: Store, message: Message, part: str) -> Iterator[Older]:
    """Live facts, and clauses of the user's earlier messages that recall may quote."""
    yield from (Older(fact.text, fact) for fact in facts.live(store) if fact.message_id != message.id)
    expression = ask(frames.bare(part)).expression()
    if not expression:
        return
    condition, values = eligibility.messages(store, "m")
    rows = store.database.all(
        f"""SELECT m.* FROM (SELECT rowid AS n FROM search_index WHERE search_index MATCH ? ORDER BY bm25(search_index), rowid LIMIT -1) best
            CROSS JOIN search_rows r ON r.n = best.n CROSS JOIN messages m ON m.id = r.record
            WHERE r.kind = 'message' AND m.role = 'user' AND m.seq < ? AND {condition} LIMIT ?""",
        (expression, message.seq, *values, CANDIDATES),
    )
    for earlier in (from_row(Message, row) for row in rows):
        for clause in utterance.clauses(earlier.text):
            if clause.mood == "asserted":
                yield from (Older(text, place=(earlier.id, *clause.span)) for text in frames.parts(clause.text))


def _pointed(store: Store, message: Message, clause: Clause) -> Anew | None:
    """ "We changed it to X": the sentence before, with X in the place of its one value of that sort."""
    told = _CHANGED_IT.match(cues.fold(clause.text).strip())
    row = store.database.one(
        "SELECT * FROM messages WHERE thread = ? AND role = 'user' AND seq < ? AND on_branch = 1 ORDER BY seq DESC LIMIT 1",
        (message.thread, message.seq),
    )
    if told is None or row is None or not row["recallable"]:
        return None
    said = next((c for c in reversed(utterance.clauses(row["text"])) if c.mood == "asserted"), None)
    sort = next((sort for sort in _SORTS if sort.match(told["v"])), None)
    if said is None or sort is None:
        return None
    values = list(sort.finditer(said.text, 1))
    if len(values) != 1 or values[0].group() == told["v"]:
        return None
    text = said.text[: values[0].start()] + told["v"] + said.text[values[0].end() :]
    live = [Older(fact.text, fact) for fact in facts.live(store) if fact.message_id == row["id"] and values[0].group() in fact.text]
    return Anew(text.strip(" ,;.!"), clause.span, tuple(live) or (Older(said.text, place=(row["id"], *said.span)),))


def _announced(store: Store, message: Message, before: Clause, clause: Clause) -> Anew | None:
    """ "The fare has gone up, it is 14 francs now": a change told without its value, and right behind it the value. It replaces what was
    said of that thing with one number of the same unit, where that was one number only."""
    told = _ANNOUNCES.search(cues.fold(before.text))
    new = _amounts(clause.text)
    if told is None or len(new) != 1 or _amounts(before.text):
        return None
    [(unit, number)] = new.items()
    named = ask(told["n"]).concepts
    older: dict[str, list[Older]] = {}
    for one in _earlier(store, message, told["n"]):
        held, amounts = terms(one.words), _amounts(one.words)
        if unit in amounts and named and all(concept.cover(held, 0.0) == 1.0 for concept in named):
            older.setdefault(amounts[unit], []).append(one)
    if len(older) != 1 or number in older:
        return None
    span = (before.span[0], clause.span[1])
    return Anew(phrasing.opened(message.text[slice(*span)]).strip(" ,;.!"), span, tuple(*older.values()))


def _amounts(text: str) -> dict[str, str]:
    """Unit → number of a text, as "euro" → "1,350"; a unit that stands there twice is left out, since nothing tells which is meant."""
    found: dict[str, list[str]] = {}
    for amount in _AMOUNT.finditer(text):
        if unit := amount["sign"] or amount["percent"] or porter((amount["unit"] or "").lower()):
            found.setdefault(unit, []).append(amount["number"])
    return {unit: numbers[0] for unit, numbers in found.items() if len(numbers) == 1}


def _carried_out(store: Store, message: Message, anew: Anew) -> str:
    """The id of the fact that holds now; empty when there is nothing to do, or nothing may be kept."""
    kept = screen(anew.text, store.policy, origin="stated")
    first, past = anew.span
    rows = store.database.all("SELECT child FROM edges WHERE parent = ? AND first < ? AND past > ?", (message.id, past, first))
    here = {row["child"] for row in rows}
    old = {one.fact.id: one.fact for one in anew.older if one.fact is not None and one.fact.id not in here}
    places = {one.place: one.words for one in anew.older if one.fact is None}
    if kept.verdict != "keep" or not (old or places) or tombstones.stops(store, store.mark(kept.text), message.id):
        return ""
    new = next((fact.id for fact in facts.live(store) if fact.id in here), "")
    if not new:
        slot = next((fact.slot for fact in old.values()), None)
        said = Statement(text=kept.text, slot=slot, explicit=True, message_id=message.id, span=anew.span, sensitivity=kept.sensitivity)
        new = facts.keep(store, said).id
    if not new:
        return ""
    for fact in old.values():
        facts.retire(store, fact, by=new)
    for (source, first, past), words in places.items():
        facts.bury(store, Statement(text=words, message_id=source, span=(first, past), status="proposed"), by=new)
        reviews.settle(store, source, record=None)
    reviews.settle(store, message.id, record=new)
    return new


_CHANGED_IT = re.compile(
    r"(?:(?:actually|update|so|and|but|well|ok|okay|sorry|oh)[,: ]+)*"
    rf"(?:(?:i|we|they)(?:'ve| have)? (?:just |now |since )?(?:{frames.CHANGED}|set|put) (?:it|that|this|them)"
    rf"|(?:it|that|this)(?:'s| is| has| was|'s been| has been)(?: now| just)?(?: been)? (?:{frames.CHANGED}|set))"
    r"(?: back| forward| up| down)? (?:to|for) (?P<v>[^,;:!?]+?)[.! ]*$",
    re.I,
)
_ANNOUNCES = re.compile(
    r"\b(?:the|my|our|your) (?P<n>[\w' -]{2,40}?) (?:(?:has|have|had|is|was|were|got|'s)\b ?)?(?:(?:just|now|since|been) )*"
    rf"(?:{frames.CHANGED}|went|gone|going|rose|risen|fell|fallen|grew|grown|shrunk)(?: up| down| again)?\W*$",
    re.I,
)
_AMOUNT = re.compile(r"(?P<sign>[€$£¥])? ?(?<![\w.,])(?P<number>\d(?:[\d.,]*\d)?) ?(?:(?P<percent>%)|(?P<unit>[^\W\d_]+))?")
_SORTS = (
    re.compile(rf"(?:{vocabulary.WEEKDAYS})s?\b", re.I),
    re.compile(r"\d{1,2}[:.]\d\d\b"),
    re.compile(r"[€$£]?\d[\d,.]*\d|\d"),
    re.compile(r"(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+)*"),
)
"""Sorts of values, the narrowest first: a day for a day, a number for a number, a name for a name."""
