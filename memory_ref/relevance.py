"""How well a record answers a question, as a number from 0 to 1 and in words.

relevance = Σ weight × cover over the question's concepts / Σ of the three greatest weights (nine tenths of it for a question about the asker),
at most 1;
weight = base × (1 + ½ log10((M + 1) / (n + 1))), where n counts the records that hold the concept itself and M those that hold any concept of
this question; a concept that no record holds keeps its base, since it tells the records not apart. The idf is smoothed and not clamped,
and both counts are over records that share a word with the question, never over the whole store. So a row that shares none
changes no number: it can neither swap two records nor carry one across the minimum (a property test).

score = relevance × max(floor, 0.5 ^ (age / half-life)) × trust × specificity. Half-life and floor depend on the kind of record:
a deadline rots, a preference does not. A bare half-life cost 24 points of recall on LoCoMo, hence the floors.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memgauge.memory_ref.concepts import RELATED, Concept
from memgauge.memory_ref.lexicon import FIRST_PERSON, OTHER_PEOPLE
from memgauge.memory_ref.policy import Recall
from memgauge.memory_ref.question import Question, ask
from memgauge.memory_ref.searchtext import fold

FULL_QUESTION = 3
"""A record that holds the weight of this many concepts is wholly relevant, however long the question is: people ask in whole sentences, and
half of all good answers share one telling word with their question."""
OWN_QUESTION = 0.9
"""Factor of that weight for a question about the asker's own affairs (or bare words, as one searches one's notes), which memory is
likelier to answer. With a minimum just above a third, one telling word of three is enough there; in a question about the world it is
chance ("on what account do herons…"), see `_by_chance`."""
SOMEBODY_ELSE = 0.4
"""Factor for a record about "my brother" when the question is about the asker and names no brother, and the other way round."""
SAID = 0.7
"""Cover from which a record holds the concept itself, in whatever form; below it holds something related."""
ONE_PART = 0.9
"""Factor for a record that is held against one part of a question only: its words in one of two scripts, or one of several things it asks
for. Own choice: a little below full."""
SUBJECT = 0.25
"""Share of a sensitive record's words that a question must hold to invite it: one of four."""
CLASS_EDGE = 0.5
"""Relevance that parts strong from weak matches. Within one class a confirmed record comes before an unconfirmed one."""

_OTHERS = re.compile(
    r"(?:^|[.!?;:,]\s*|\b(?:that|because|and|but|so|when|while|if|as|remember|mind)\s+)"
    rf"(?:my|our|his|her|their|your)\s+(?:\w+\s+)?({'|'.join(sorted(OTHER_PEOPLE))})\b(?! tongue\b)"
)  # fmt: skip
"""Other people where a sentence or clause begins, so that they are what it is about: "my brother lives", not "the coach to my parents"."""


_Row = tuple[float, ...]
"""How much of each concept of a question a record holds."""


@dataclass(frozen=True, slots=True)
class Match:
    """Relevance of one record, the words of the question it holds, and whether it was lowered for being about somebody else."""

    relevance: float
    words: tuple[str, ...]
    content: bool
    other: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """The four factors, their product, and the sentence that explains them."""

    value: float
    reason: str


def match_all(
    question: Question, records: Mapping[str, tuple[str, frozenset[str]]], *, quoted: frozenset[str] = frozenset(), least: float = 0.0
) -> dict[str, Match]:
    """Match every record (id → text and terms) that shares something with the question. `quoted`: records in somebody's running words, in
    which a related word is often there by chance; it counts half. `least`: below it a relevance may be given too high, since whom such a
    record is about is not looked at."""
    covers = {key: row for key, row in _rows(question, records, quoted) if any(row) and (not question.all_needed or min(row) == 1.0)}
    alike = _by_row(question, Counter(covers.values()))
    found: dict[str, Match] = {}
    for key, row in covers.items():
        match = alike[row]
        other = _somebody_else(question, records[key][0]) if match.relevance >= least else ""
        found[key] = replace(match, relevance=match.relevance * SOMEBODY_ELSE, other=other) if other else match
    return found


def _rows(question: Question, records: Mapping[str, tuple[str, frozenset[str]]], quoted: frozenset[str]) -> Iterator[tuple[str, _Row]]:
    """The covers of each record. Records that share the same of the words asked for have the same, so that few are worked out."""
    wanted = frozenset[str]().union(*(concept.vocabulary() for concept in question.concepts))
    prefixes = tuple(concept.prefix for concept in question.concepts if concept.prefix)
    known: dict[tuple[frozenset[str], bool], _Row] = {}
    for key, (_, terms) in records.items():
        held = wanted & terms
        if prefixes:
            held |= {term for term in terms if term.startswith(prefixes)}
        place = held, key in quoted
        if place not in known:
            related = RELATED / 2 if key in quoted else RELATED
            known[place] = tuple([concept.cover(held, related) for concept in question.concepts])
        yield key, known[place]


def _by_row(question: Question, rows: Mapping[_Row, int]) -> dict[_Row, Match]:
    """The match of each row of covers (and how many records have it): the same whichever record has it."""
    weights = _weights(question.concepts, rows)
    factor = OWN_QUESTION if question.own or question.bare else 1.0
    whole = _full([*weights, *[1.0] * min(question.dropped, FULL_QUESTION)]) * factor
    scripts = _split(question, lambda concept: concept.latin)
    parts = _split(question, lambda concept: concept.part) if question.own else []
    found = {}
    for row in rows:
        share = min(1.0, sum(weight * value for weight, value in zip(weights, row, strict=True)) / whole)
        if _by_chance(question, row):
            share = min(share, 1 / FULL_QUESTION)
        for part in (*scripts, *parts):  # a record is written in one script, and answers one of several things asked
            share = max(share, ONE_PART * _share(part, weights, row))
        named = [(concept, value) for concept, value in zip(question.concepts, row, strict=True) if value]
        content = any(value >= SAID and concept.weight == 1.0 and not concept.says_when for concept, value in named)
        found[row] = Match(share, tuple(concept.word for concept, _ in named), content)
    return found


def _split(question: Question, by: Callable[[Concept], int]) -> list[list[int]]:
    """The places of the concepts of each part, where there are several and each holds a word of weight."""
    groups: dict[int, list[int]] = {}
    for i, concept in enumerate(question.concepts):
        groups.setdefault(by(concept), []).append(i)
    telling = [group for group in groups.values() if any(question.concepts[i].weight == 1.0 and not question.concepts[i].says_when for i in group)]
    return telling if len(groups) > 1 else []


def _full(weights: list[float]) -> float:
    return sum(sorted(weights, reverse=True)[:FULL_QUESTION])


def _share(part: Sequence[int], weights: list[float], row: _Row) -> float:
    return min(1.0, sum(weights[i] * row[i] for i in part) / _full([weights[i] for i in part]))


def _by_chance(question: Question, row: _Row) -> bool:
    """Whether a record shares one word only with a question about the world that has three or more of weight."""
    asked = sum(concept.weight == 1.0 for concept in question.concepts)
    return not (question.own or question.bare) and asked >= FULL_QUESTION and sum(value > 0 for value in row) == 1


def _weights(concepts: tuple[Concept, ...], rows: Mapping[_Row, int]) -> list[float]:
    total = sum(rows.values())
    held = [sum(number for row, number in rows.items() if row[i] >= SAID) for i in range(len(concepts))]
    idf = [1 + 0.5 * math.log10((total + 1) / (n + 1)) if n else 1.0 for n in held]
    return [concept.weight * value for concept, value in zip(concepts, idf, strict=True)]


def _somebody_else(question: Question, text: str) -> str:
    """Whom the record is about, when the question is about somebody else: about the asker alone, or about other people alone."""
    if not question.own or question.who:
        return ""
    folded = fold(text)
    if question.people:
        said = set(re.findall(r"\w+", folded))
        return "the user" if said & FIRST_PERSON["english"] and not said & OTHER_PEOPLE else ""
    named = _OTHERS.search(folded)
    return named[1] if named else ""


def names_subject(question: Question, asked: frozenset[str], text: str) -> bool:
    """Whether a question names what a record is about: at least a quarter of the record's own content words. `asked`: the question's terms."""
    concepts = [concept for concept in ask(text).concepts if not concept.says_when]
    held = sum(concept.weight * concept.cover(asked) for concept in concepts)
    return held > 0 and held >= SUBJECT * sum(concept.weight for concept in concepts)


def decay(age: timedelta, half_life_days: float, floor: float) -> float:
    """max(floor, 0.5 ^ (age / half-life)). A date in the future counts as age zero."""
    days = max(0.0, age.total_seconds() / 86_400)
    return max(floor, math.pow(0.5, days / half_life_days))


def score(match: Match, *, kind: str, trust: str, reach: str, since: datetime, now: datetime, policy: Recall) -> Score:
    """The score of a matched record. `kind` is a fact's kind, `note` or `message`; `trust` and `reach` name fields of the policy;
    `since` is when the record was last confirmed, or made."""
    aged = decay(now - since, policy.half_life_days.of(kind), policy.floor.of(kind))
    trusted = float(getattr(policy.trust, trust))
    specific = float(getattr(policy.specificity, reach))
    words = ", ".join(match.words[:6])
    about = f" (about {match.other})" if match.other else ""
    days = max(0, (now - since).days)
    age = f"age {aged:.2f} ({days} d)"
    reason = f"holds {words}{about}: relevance {match.relevance:.2f} × {age} × trust {trusted:.2f} ({trust}) × scope {specific:.2f} ({reach})"
    return Score(match.relevance * aged * trusted * specific, reason)
