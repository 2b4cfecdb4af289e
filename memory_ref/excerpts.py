"""A long text, shortened to the whole sentences that answer a question best, with a visible mark for what was left out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from memgauge.memory_ref.question import Question
from memgauge.memory_ref.searchtext import clusters, terms

LEFT_OUT = "[…]"
LOOKED_AT = 20_000
"""Words of one endless sentence in which the question's words are looked for."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_PASSAGE = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)]) )")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？।]+\s*|\n+")
"""Where a sentence or line ends. A full stop inside a word, number or address ends nothing."""


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, as they stand there, with the white space behind each."""
    edges = [0, *(found.end() for found in _END.finditer(text)), len(text)]
    return [part for first, past in itertools.pairwise(edges) if (part := text[first:past]).strip()]


def passages(text: str) -> list[str]:
    """The paragraphs and list lines of a document."""
    return [part for part in _PASSAGE.split(text) if part.strip()]


def excerpt(text: str, question: Question, limit: int) -> str:
    """The text itself when it has at most `limit` characters. Else the best sentence with as many neighbours as fit, or, where that
    sentence alone is too long, as many of its words as fit. Never half a word or half a character with its marks."""
    if len(text) <= limit:
        return text
    parts = sentences(text)
    best = max(range(len(parts)), key=lambda i: (_value(parts[i], question), -i))
    first, past = best, best + 1
    size = len(parts[best])
    if size > limit:
        return _words(parts[best], question, limit)
    while True:
        if past < len(parts) and size + len(parts[past]) <= limit:
            size += len(parts[past])
            past += 1
        elif first and size + len(parts[first - 1]) <= limit:
            first -= 1
            size += len(parts[first])
        else:
            break
    return _marked("".join(parts[first:past]), before=first > 0, after=past < len(parts))


def _words(sentence: str, question: Question, limit: int) -> str:
    """A window of whole words around the first word that the question names. A sentence in a script without spaces is one word: of it
    as many letters as fit; any other endless word is left out altogether."""
    words = sentence.split()
    at = next((i for i, word in enumerate(words[:LOOKED_AT]) if _value(word, question)), 0)
    first = max(0, at - 3)
    taken: list[str] = []
    size = 0
    for word in words[first:]:
        size += len(word) + 1
        if size > limit:
            break
        taken.append(word)
    if not taken and _UNSPACED.match(words[at]):
        return _marked("".join(_up_to(clusters(words[at]), limit)), before=at > 0, after=True)
    return _marked(" ".join(taken), before=first > 0 or not taken, after=True)


def _up_to(letters: list[str], limit: int) -> Iterator[str]:
    size = 0
    for letter in letters:
        size += len(letter)
        if size > limit:
            return
        yield letter


def _value(text: str, question: Question) -> float:
    held = terms(text)
    return sum(concept.weight * concept.cover(held) for concept in question.concepts)


def _marked(text: str, *, before: bool, after: bool) -> str:
    body = text.strip()
    return f"{LEFT_OUT + ' ' if before and body else ''}{body}{' ' + LEFT_OUT if after and body else ''}" or LEFT_OUT
