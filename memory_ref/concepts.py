"""One thing a question asks about: a content word, or a run of a script without spaces, with every term under which a record may hold it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from memgauge.memory_ref.lexicon import (
    CALENDAR_WORDS,
    CONTRACTED,
    KINDS_OF,
    KOREAN_STOPS,
    RELATED_GROUPS,
    SAME_WORDS,
    SCRIPT_STOPS,
    SOUGHT_SLOTS,
    WEAK_WORDS,
)
from memgauge.memory_ref.searchtext import (
    STOPS,
    Token,
    clusters,
    code_parts,
    fold,
    is_code,
    korean_stem,
    pairs,
    plain,
    porter,
    word_language,
    word_stems,
)

WEAK = 1 / 3
"""Weight of a word that says little of the subject, against 1 for a content word."""
RELATED = 0.62
"""Cover by a related word: above half, so that one related word can carry a one-word question; below a word of the question itself."""
SINGLE = 0.4
"""Cover of a Chinese character that is there without its neighbour."""
PAIRS_NEEDED = 0.4
"""Share of a run's pairs from which the run counts as found: two unrelated sentences of one language share about a quarter."""
CHUNK = 6
"""Longest run, in letters, that counts as one concept in a script without spaces: about two words."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing a question asks about. `search`: what the index is asked for (words as they are written, since FTS5 stems them itself).
    `forms`: any of these terms covers it whole. `parts`: terms that cover it by their share, from `needed` on.
    `related`: any of these covers it by RELATED. `prefix`: a term that begins so covers it by 0.7 (inflected languages).
    `part`: which part of the question it stands in, where that asks for several things."""

    word: str
    search: tuple[str, ...]
    forms: frozenset[str]
    parts: tuple[str, ...] = ()
    needed: float = 1.0
    part_value: float = 0.9
    single: bool = False
    related: frozenset[str] = frozenset()
    prefix: str = ""
    weight: float = 1.0
    part: int = 0

    @property
    def says_when(self) -> bool:
        """Whether it is a number, or a word of the calendar."""
        return self.word in CALENDAR_WORDS or self.word[:1].isdigit()

    @property
    def latin(self) -> bool:
        """Whether it is written in Latin letters."""
        return self.word < "\u0250"

    def vocabulary(self) -> frozenset[str]:
        """Every term that `cover` looks for by itself, prefixes left out."""
        return self.forms | self.related | frozenset(self.parts) | (_characters(self.word) if self.single else frozenset())

    def cover(self, terms: frozenset[str], related: float = RELATED) -> float:
        """How much of the concept a record with these terms holds, from 0 to 1; `related`: what a related word is worth."""
        if not self.forms.isdisjoint(terms):
            return 1.0
        best = 0.0
        if self.single:
            best = _characters_covered(self.word, terms)
        elif self.parts:
            share = sum(part in terms for part in self.parts) / len(self.parts)
            best = share * self.part_value if share >= self.needed else 0.0
        if best < 0.7 and self.prefix and any(term.startswith(self.prefix) for term in terms):
            best = 0.7
        if best < related and not self.related.isdisjoint(terms):
            best = related
        return best


def of_token(token: Token, before: Token | None, language: str) -> Iterator[Concept]:
    """The concepts of one token; `before` is the one it follows. Function words have none."""
    text, sort = token.text, token.sort
    if sort == "word":
        word = word_concept(text, language, stops=stops_of(language))
        if word is not None:
            yield word
    elif sort == "hangul":
        stem = korean_stem(text)
        if stem not in KOREAN_STOPS and text not in KOREAN_STOPS:
            yield run_concept(stem, [stem, text], pairs(stem) if len(stem) > 1 else [], needed=0.5)
    elif sort == "han":
        for run in _cut(text, "han"):
            for chunk in _chunks(list(run)):
                yield replace(run_concept(chunk, [chunk] if len(chunk) <= 2 else [], pairs(chunk), more=chunk), single=True)
    elif sort == "kata":
        yield run_concept(text, [text], pairs(text), needed=0.6)
    else:
        after_kanji = sort == "kana" and before is not None and before.sort == "han"
        for run in _cut(text, sort):
            for chunk in _chunks(clusters(run)):
                units = clusters(chunk)
                if len(units) > 1:
                    made = run_concept(chunk, [], pairs(units), needed=PAIRS_NEEDED)
                    yield replace(made, part_value=1.0, weight=WEAK if after_kanji else 1.0)


def seeking(concept: Concept) -> Concept:
    """The concept with the slots it asks for ("deliver" asks for an address), which then cover it whole: a record's terms hold its slot."""
    sought = frozenset(slot for form in (concept.word, *concept.forms) for slot in _words().sought.get(form, ()))
    if not sought:
        return concept
    return replace(concept, search=tuple(dict.fromkeys((*concept.search, *sorted(sought)))), forms=concept.forms | {porter(slot) for slot in sought})


def run_concept(word: str, forms: list[str], parts: list[str], *, needed: float = 1.0, more: str = "") -> Concept:
    """A run of a script that is compared by pairs. `more`: single characters that the index is asked for as well."""
    related = _in_groups(_words().related, [word])
    search = tuple(dict.fromkeys((*forms, *parts, *more, *sorted(related))))
    return Concept(word, search, frozenset(forms), tuple(parts), needed=needed, related=related)


def word_concept(text: str, language: str, stops: frozenset[str]) -> Concept | None:
    """A word or a code as a concept, with its other forms, related words and, for inflected languages, a prefix; None for one of `stops`."""
    if is_code(text):
        parts = code_parts(text)
        if all(part in stops for part in parts) and len(parts) > 1:
            return None
        whole = [text, "".join(parts)] if len(parts) > 1 else [text]
        stems = tuple(sorted({porter(part) for part in parts})) if not re.search(r"\d", text) and len(parts) > 1 else ()
        return Concept(text, tuple(dict.fromkeys((*whole, *parts))), frozenset(whole), stems, needed=0.5, part_value=1.0)
    word = plain(text)
    if not word or word in stops or (stops and word != text and word in CONTRACTED):
        return None
    own_forms = word_stems(word, language)
    same = _in_groups(_words().same, own_forms)
    forms = own_forms | {porter(other) for other in same}
    related = _in_groups(_words().related, forms)
    search = tuple(dict.fromkeys((word, *sorted(own_forms - {porter(word)}), *sorted(same), *sorted(related))))
    own = word_language(word, language)
    prefix = "" if own == "english" or len(word) < 5 else word[: max(4, round(len(word) * 0.6)) if own else max(5, round(len(word) * 0.75))]
    kin = frozenset(map(porter, related)) - forms
    weight = WEAK if word in WEAK_WORDS or porter(word) in _words().weak else 1.0
    return Concept(word, search, frozenset(forms), related=kin, prefix=prefix, weight=weight)


def _characters(run: str) -> frozenset[str]:
    return frozenset(run) | frozenset(pairs(run))


def _characters_covered(run: str, terms: frozenset[str]) -> float:
    if len(run) == 1:
        return 1.0 if run in terms else 0.0
    value = [SINGLE if char in terms else 0.0 for char in run]
    for i in range(len(run) - 1):
        if run[i : i + 2] in terms:
            value[i] = value[i + 1] = 1.0
    return sum(value) / len(run)


def _chunks(units: list[str]) -> Iterator[str]:
    for start in range(0, len(units), CHUNK):
        yield "".join(units[start : start + CHUNK])


@functools.lru_cache(maxsize=2048)
def _cut(run: str, script: str) -> tuple[str, ...]:
    """The pieces of a run between its function words."""
    stops = SCRIPT_STOPS.get(script)
    if stops is None:
        return (run,)
    pieces = re.split("|".join(re.escape(fold(stop)) for stop in stops), run)
    if script == "kana":
        pieces = [piece for whole in pieces for piece in re.split("[はがをにのでとも]", whole)]
    return tuple(piece for piece in pieces if piece)


@functools.cache
def stops_of(language: str) -> frozenset[str]:
    """Stop words of the text's language with those of scripts of their own, which no other language shares."""
    shared = frozenset().union(*(STOPS[name] for name in ("russian", "greek", "arabic", "hebrew", "hindi")))
    return STOPS.get(language, frozenset()) | shared


def _groups(lines: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Stem → the words of every group it stands in. "ate" is left out of the keys: its stem is "at"."""
    table: dict[str, set[str]] = {}
    for line in lines:
        words = {fold(word) for word in line.split()}
        for stem in {porter(word) for word in words}:
            if len(stem) > 2 or not stem.isascii():
                table.setdefault(stem, set()).update(word for word in words if len(porter(word)) > 2 or not word.isascii())
    return {stem: frozenset(words) for stem, words in table.items()}


def _with_kinds(table: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """The table, with each kind leading to its things."""
    found = dict(table)
    for kinds, things in KINDS_OF.items():
        for kind in kinds.split():
            found[porter(kind)] = found.get(porter(kind), frozenset()) | frozenset(things.split())
    return found


@dataclass(frozen=True, slots=True)
class _Words:
    """The word lists by stem. Stemming them takes a tenth of a second, so they wait for the first question."""

    same: Mapping[str, frozenset[str]]
    related: Mapping[str, frozenset[str]]
    sought: Mapping[str, frozenset[str]]
    weak: frozenset[str]


@functools.cache
def _words() -> _Words:
    sought = {porter(fold(word)): frozenset(slots.split()) for slots, words in SOUGHT_SLOTS.items() for word in words.split()}
    return _Words(_groups(SAME_WORDS), _with_kinds(_groups(RELATED_GROUPS)), sought, frozenset(map(porter, WEAK_WORDS)))


def _in_groups(table: Mapping[str, frozenset[str]], forms: Iterable[str]) -> frozenset[str]:
    """The words that share a group with any of the forms, the forms themselves left out."""
    known = set(forms)
    return frozenset(word for form in known for word in table.get(form, ()) if porter(word) not in known)
