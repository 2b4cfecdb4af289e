"""A question taken apart into what it asks about, and the full-text expression that finds candidates for it.

A question is a list of concepts. A concept is one content word (or one run of a script without spaces) with every term under
which a record may hold it. Stop words are no concepts. If nothing else stands in the text, all of its words are needed, so that
"don't" finds "don't" and "what is it" finds nothing.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from memgauge.memory_ref.concepts import Concept, of_token, run_concept, seeking, stops_of, word_concept
from memgauge.memory_ref.lexicon import (
    FIRST_PERSON,
    FIRST_PERSON_KOREAN,
    FIRST_PERSON_UNSPACED,
    INTERROGATIVES,
    OTHER_PEOPLE,
    PRONOUN_DROPPING,
    REQUESTS,
    SET_PHRASES,
)
from memgauge.memory_ref.searchtext import (
    Token,
    clusters,
    code_parts,
    fold,
    korean_stem,
    language_of,
    pairs,
    plain,
    tokens,
)

_QUESTION_MARK = re.compile("[?？؟]")
MAX_CONCEPTS = 64
"""Concepts kept of a long text; an index query of a few dozen terms takes milliseconds, one of thousands takes seconds."""


@dataclass(frozen=True, slots=True)
class Question:
    """`all_needed`: the text holds stop words only, and a record must hold every one. `own`: it is in the first person.
    `bare`: words without a sentence, as one searches one's own notes.
    `who`: it asks for a person. `people`: other people it names ("my brother"). `dropped`: concepts that `bounded` left out."""

    concepts: tuple[Concept, ...]
    dropped: int = 0
    all_needed: bool = False
    own: bool = False
    bare: bool = False
    who: bool = False
    people: frozenset[str] = field(default=frozenset())

    def expression(self) -> str:
        """The FTS5 query: every term a quoted string, joined by OR. Empty when the text asks for nothing."""
        found = dict.fromkeys(_quoted(term) for concept in self.concepts for term in concept.search)
        found |= dict.fromkeys(_quoted(concept.prefix) + "*" for concept in self.concepts if concept.prefix)
        return " OR ".join(found)

    def bounded(self, rows_with: Callable[[str], int]) -> Question:
        """This question with at most MAX_CONCEPTS concepts: those in the fewest rows, of those that are in any. `rows_with` counts the
        rows that hold a term."""
        if len(self.concepts) <= MAX_CONCEPTS:
            return self
        counted = [(min((n for form in concept.forms if (n := rows_with(form))), default=0), concept) for concept in self.concepts]
        present = sorted((pair for pair in counted if pair[0]), key=lambda pair: (pair[0], pair[1].word))
        kept = tuple(concept for _, concept in present[:MAX_CONCEPTS])
        return replace(self, concepts=kept, dropped=len(self.concepts) - len(kept))


@functools.lru_cache(maxsize=512)
def ask(text: str) -> Question:
    """Take a text apart. Never fails: a text of symbols alone has no concepts."""
    folded = _SET_PHRASES.sub(lambda m: f"{m.group()} {SET_PHRASES[m.group()]}", _ADDRESSEE.sub(r"\1", fold(text)))
    language = language_of(folded)
    parts = _parts(folded, language)
    found = [token for part in parts for token in part]
    words = [plain(token.text) for token in found if token.sort == "word"]
    own = _is_own(folded, words, found, language)
    bare = _QUESTION_MARK.search(text) is None and sum(word in stops_of(language) for word in words) < 2
    concepts = _distinct(
        replace(concept, part=n)
        for n, part in enumerate(parts)
        for token, before in zip(part, [None, *part], strict=False)
        for concept in of_token(token, before, language)
    )
    if own or bare or not REQUESTS.isdisjoint(words):
        concepts = [seeking(concept) for concept in concepts]
    all_needed = not concepts
    if all_needed:
        concepts = _distinct(word_concept(token.text, language, stops=frozenset()) for token in found if token.sort == "word")
        concepts += _distinct(
            run_concept(token.text, [token.text], pairs(clusters(token.text)), needed=1.0) for token in found if token.sort != "word"
        )
    return Question(
        concepts=tuple(concepts),
        all_needed=all_needed,
        own=own,
        bare=bare,
        who=not {"who", "whos", "whom", "whose"}.isdisjoint(words),
        people=frozenset(_POSSESSED.findall(folded)) if not bare else frozenset(words) & OTHER_PEOPLE,
    )


def _parts(folded: str, language: str) -> list[list[Token]]:
    """The words of each part of a text that asks for several of the asker's things: each names him or asks anew ("my code, and who is my
    dentist?"). What does neither belongs to the part before."""
    first = FIRST_PERSON.get(language, frozenset())
    bounds = [0, *(found.end() for found in _COORDINATION.finditer(folded)), len(folded)]
    parts: list[list[Token]] = [[]]
    for start, end in itertools.pairwise(bounds):
        piece = folded[start:end]
        found = list(tokens(piece))
        words = {plain(token.text) for token in found}
        if parts[0] and (not words.isdisjoint(first | INTERROGATIVES) or any(word in piece for word in FIRST_PERSON_UNSPACED)):
            parts.append(found)
        else:
            parts[-1] += found
    return parts


def _is_own(folded: str, words: Sequence[str], found: Sequence[Token], language: str) -> bool:
    """Whether a question is about the asker's own affairs, or may well be."""
    return (
        language in PRONOUN_DROPPING
        or not FIRST_PERSON.get(language, frozenset()).isdisjoint({fold(word) for word in words})
        or any(word in folded for word in FIRST_PERSON_UNSPACED)
        or any(korean_stem(token.text) in FIRST_PERSON_KOREAN for token in found if token.sort == "hangul")
    )


def plain_expression(text: str) -> str:
    """The bare words of a text without stop words, for the benchmark: no related words, no prefixes."""
    folded = fold(text)
    stops = stops_of(language_of(folded))
    words = [part for token in tokens(folded) for part in (code_parts(token.text) if token.sort == "word" else pairs(token.text))]
    return " OR ".join(dict.fromkeys(_quoted(word) for word in words if word not in stops))


_COORDINATION = re.compile(r"[?;,.!]\s+|[،؟、，。？；]\s*|\s(?:and|und|et|e|y|och|en|и|ve|και)\s")
_POSSESSED = re.compile(rf"(?:\b(?:my|our|his|her|their|your|the)|'s)\s+(?:\w+\s+)?({'|'.join(sorted(OTHER_PEOPLE))})\b")
"""Somebody's somebody: "my older brother", not "a package manager"."""
_ADDRESSEE = re.compile(
    rf"\b(tell|remind|show|write|email|inform|text|message)(?: to)? (?:my|our|the) (?:\w+ )?(?:{'|'.join(sorted(OTHER_PEOPLE))})\b(?=\s+\S)"
)
"""Whom something is to be told is not what it is about."""
_SET_PHRASES = re.compile(r"\b(?:" + "|".join(map(re.escape, SET_PHRASES)) + r")\b")


def _distinct(concepts: Iterable[Concept | None]) -> list[Concept]:
    kept: dict[frozenset[str] | str, Concept] = {}
    for concept in concepts:
        if concept is not None:
            kept.setdefault(concept.forms or concept.word, concept)
    return list(kept.values())


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
