"""A long text, shortened to the whole sentences that answer a question best, with a visible mark for what was left out."""

from __future__ import annotations

import re

from memgauge.memory_ref.question import Question
from memgauge.memory_ref.searchtext import terms

LEFT_OUT = "[…]"
_SENTENCE = re.compile(r"[^.!?…。！？।\n]*(?:[.!?…]+(?=\s|$)|[。！？।]+|\n+|$|[.!?…])\s*")


def excerpt(text: str, question: Question, limit: int) -> str:
    """The text itself when it has at most `limit` characters. Else the best sentence with as many neighbours as fit, or, where that
    sentence alone is too long, as many of its words as fit. Never half a word or half a character with its marks."""
    if len(text) <= limit:
        return text
    sentences = [part for part in _SENTENCE.findall(text) if part.strip()]
    best = max(range(len(sentences)), key=lambda i: (_value(sentences[i], question), -i))
    first, past = best, best + 1
    size = len(sentences[best])
    if size > limit:
        return _words(sentences[best], question, limit)
    while True:
        if past < len(sentences) and size + len(sentences[past]) <= limit:
            size += len(sentences[past])
            past += 1
        elif first and size + len(sentences[first - 1]) <= limit:
            first -= 1
            size += len(sentences[first])
        else:
            break
    return _marked("".join(sentences[first:past]), before=first > 0, after=past < len(sentences))


def _words(sentence: str, question: Question, limit: int) -> str:
    """A window of whole words around the first word that the question names; a single endless word is left out altogether."""
    words = sentence.split()
    at = next((i for i, word in enumerate(words[:2000]) if _value(word, question)), 0)
    first = max(0, at - 3)
    taken: list[str] = []
    size = 0
    for word in words[first:]:
        size += len(word) + 1
        if size > limit:
            break
        taken.append(word)
    return _marked(" ".join(taken), before=first > 0 or not taken, after=True)


def _value(text: str, question: Question) -> float:
    held = terms(text)
    return sum(concept.weight * concept.cover(held) for concept in question.concepts)


def _marked(text: str, *, before: bool, after: bool) -> str:
    body = text.strip()
    return f"{LEFT_OUT + ' ' if before and body else ''}{body}{' ' + LEFT_OUT if after and body else ''}" or LEFT_OUT
