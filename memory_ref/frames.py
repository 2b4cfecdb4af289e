"""Whether one statement says another anew with another value: "the limit is 100" – "the limit went up to 250". From the words alone.

The new one marks that something is different now, in one of the languages of `lexicon.NEW_STATE`, or opens by correcting; and it shares
every content word with the older one but for one value of the same sort: a number for a number, a name for a name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memgauge.memory_ref import cues, phrasing
from memgauge.memory_ref.concepts import Concept
from memgauge.memory_ref.lexicon import ENDED, MADE_NEW, NEW_STATE
from memgauge.memory_ref.question import ask
from memgauge.memory_ref.searchtext import fold, terms

LONGEST_FRAME = 10
"""Content words of a statement that is compared: a longer one says several things."""
LONGEST_VALUE = 4
INFLECTED = 0.7
"""Cover from which a word counts as said again: the word itself, or its stem in an inflected language."""


def marked(text: str) -> bool:
    """Whether the words themselves say that something is different now, or put something right; and not that it comes on top."""
    plain = cues.fold(text)
    return (_NEW.search(plain) is not None or phrasing.phrase(text).corrects) and not _ON_TOP.search(plain)


def says_anew(new: str, old: str) -> bool:
    """Whether `new` fills the frame of `old` with another value, or says that it is over. The words alone; see `marked`."""
    a, b = _Frame.of(new), _Frame.of(old)
    if not (a.concepts and b.concepts) or max(len(a.concepts), len(b.concepts)) > LONGEST_FRAME or _others(new) != _others(old):
        return False
    told, gone = a.missing_in(old), b.missing_in(new)
    if len(told) == len(gone) == 1 and _alike_runs(a.concepts[told[0]].word, b.concepts[gone[0]].word):
        return True
    shared = [c for n, c in enumerate(a.concepts) if n not in told]
    if not any(c.weight == 1.0 for c in shared) or bool(_NAMING.search(old)) != bool(_NAMING.search(new)):
        return False
    if not told:
        return len(shared) > 1 and _OVER.search(new) is not None and not _OVER.search(old)
    numbers = [n for n in gone if b.is_number(n)]
    if all(a.is_number(n) for n in told):
        return len(numbers) == len(told) and (len(numbers) == len(gone) or len(shared) > 1) and not a.names_by(told[0])
    return bool(gone) and a.together(told) and b.together(gone) and _fits(a, told, b, gone)


class Things(NamedTuple):
    """The content words of a statement and its numbers, apart."""

    words: frozenset[str]
    numbers: frozenset[str]


def things(statement: str) -> Things:
    """What a statement speaks of, and its numbers."""
    frame = _Frame.of(statement)
    numbers = frozenset(concept.word for n, concept in enumerate(frame.concepts) if frame.is_number(n))
    return Things(frozenset(concept.word for concept in frame.concepts) - numbers, numbers)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The content words of a statement with their places in it, the words that only mark the change left out."""

    text: str
    concepts: tuple[Concept, ...]
    places: tuple[int, ...]

    @classmethod
    def of(cls, statement: str) -> _Frame:
        text = bare(statement)
        folded = fold(text)
        concepts = ask(text).concepts
        places, at = [], 0
        for concept in concepts:
            at = max(folded.find(concept.word, at), 0)
            places.append(at)
            at += len(concept.word)
        return cls(text if len(text) == len(folded) else folded, concepts, tuple(places))

    def missing_in(self, other: str) -> list[int]:
        held = terms(bare(other))
        return [n for n, concept in enumerate(self.concepts) if concept.cover(held, 0.0) < INFLECTED]

    def is_number(self, n: int) -> bool:
        word = self.concepts[n].word
        return any(char.isdigit() for char in word) or word in _NUMBERS

    def names_by(self, n: int) -> bool:
        """Whether a number stands before the verb, and so tells which one is meant ("room 4 is …", "in 2023 I …"), not how much."""
        return _VERB_FOLLOWS.search(self.text, self.places[n]) is not None

    def together(self, part: Sequence[int]) -> bool:
        """Whether these words are one phrase: neighbours, with nothing but space between them."""
        if len(part) > LONGEST_VALUE:
            return False
        return all(
            after == before + 1 and not self.text[self.places[before] + len(self.concepts[before].word) : self.places[after]].strip(" -.のは")
            for before, after in itertools.pairwise(part)
        )

    def value(self, part: Sequence[int]) -> str:
        return self.text[self.places[part[0]] : self.places[part[-1]] + len(self.concepts[part[-1]].word)]

    def link(self, part: Sequence[int]) -> str:
        """The word before the value, articles left out."""
        words = re.findall(r"[^\W\d_]+", fold(self.text[: self.places[part[0]]]))
        return next((word for word in reversed(words) if word not in _ARTICLES), "")


def _fits(a: _Frame, told: Sequence[int], b: _Frame, gone: Sequence[int]) -> bool:
    """Whether one value may stand in the place of the other: a name for a name, behind the same small word."""
    new, old = a.value(told), b.value(gone)
    exact = [value[:1].isupper() or any(char.isdigit() for char in value) or not value.isascii() for value in (new, old)]
    if exact[1] and not exact[0]:
        return False
    links = {a.link(told), b.link(gone)}
    return len(links) == 1 or not links.isdisjoint(_TOWARDS) or not new.isascii()


def _alike_runs(new: str, old: str) -> bool:
    """Whether two runs of a script without spaces differ in one part only: "works at company A", which is one run there."""
    if min(len(new), len(old)) < 3 or not (_UNSPACED.match(new) and _UNSPACED.match(old)):
        return False
    common = sum(len(list(itertools.takewhile(bool, map(str.__eq__, *pair)))) for pair in ((new, old), (new[::-1], old[::-1])))
    return 2 <= common < min(len(new), len(old))


def bare(statement: str) -> str:
    """The statement without the words that only mark the change."""
    return " ".join(_MARKS.sub(" ", cues.fold(statement)).split())


def parts(text: str) -> list[str]:
    """The clause and, where commas part it, its parts: in a language without clause rules a sentence says two things."""
    parts = [part for part in re.split(r"[,;，、،]\s*", text) if part.strip()]
    return [text, *parts] if len(parts) > 1 else [text]


def _others(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\b(?:he|she|they|his|her|their|your)\b", fold(text)))


def _any_of(phrases: Sequence[str]) -> str:
    """A pattern of phrases, on word edges where a phrase begins or ends in a script with spaces."""
    made = []
    for phrase in sorted(phrases, key=len, reverse=True):
        edge = "" if phrase[0] >= "\u3000" else r"\b"
        made.append(f"{edge}{re.escape(phrase)}{edge}")
    return "|".join(made)


CHANGED = "|".join(MADE_NEW)
_NEW = re.compile(rf"{_any_of(NEW_STATE)}|{_any_of(ENDED)}|\b(?:{CHANGED})\b(?: [\w' -]+)? to\b", re.I)
_OVER = re.compile(_any_of(ENDED), re.I)
_MARKS = re.compile(
    rf"{_any_of(NEW_STATE)}|{_any_of(ENDED)}|\b(?:has|have|was|were|got)? ?(?:been )?(?:{CHANGED})\b"
    rf"|{cues.pattern('repair').pattern}|{cues.pattern('refute').pattern}"
    r"|^(?:(?:no|wait|actually|correction|sorry|oops|wrong|update|oh|ah|hmm|well|and|so|but)\b[\s,:;.!–—-]*)+|\b(?:called|named|renamed)\b",
    re.I,
)
_NAMING = re.compile(r"\b(?:called|named|renamed)\b", re.I)
_ON_TOP = re.compile(
    r"\b(?:also|too|as well|another|second|auch|aussi|también|também|anche|тоже)\b|也|还有|\b(?:have|has|got|adopted|bought) an?\b", re.I
)
_ARTICLES = frozenset(["mr", "mrs", "ms", "dr", "the", "a", "an", "my", "our", "about", "around", "only", "is", "are", "was", "der", "die", "das",
                       "den", "dem", "le", "la", "les", "l", "el", "los", "las", "il", "lo", "un", "une", "uno", "una"])  # fmt: skip
_NUMBERS = frozenset(
    ["noon", "midnight", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty", "thirty"]
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+$")
_VERB_FOLLOWS = re.compile(
    r"\s(?:is|are|was|were|has|have|had|will|does|do|did|can|must|i|we|he|she|they|it|ist|sind|hat|ich|wir|est|sont|je|nous|es|son|tiene|è|ha|é|tem)\b",
    re.I,
)
_TOWARDS = frozenset(["to", "for", ""])
