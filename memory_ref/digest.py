"""An extractive summary: whole sentences in the speakers' own words, each with the message it stands in. Nothing is reworded.

So nothing can be invented: no request, approval or quotation is in a summary that is not in a message. Sentences are weighed; what
forbids, obliges, decides, or names a code, number or name goes before small talk. A question tells nothing later on.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from memgauge.memory_ref.excerpts import sentences
from memgauge.memory_ref.sensitive import find_sensitive
from memgauge.tokens import TokenCount

HEADER = "Summary of earlier turns, in the speakers' own words. What was said then, not settled facts."

_LINE = re.compile(r"- \[(?P<id>[^\]\n]*)\] (?P<who>[^:\n]{1,80}): (?P<text>.*)")
_FORBIDS = re.compile(
    r"\b(?:never|not|no longer|must|mustn't|avoid|only|always|without|stop|under no circumstances|make sure)\b|n't\b", re.I
)  # fmt: skip
_DECIDES = re.compile(
    r"\b(?:decided|decide|agreed|chose|choose|going with|settled on|we'll use|instead|switched|changed|correction|actually|deadline|due)\b", re.I
)  # fmt: skip
_NUMBER = re.compile(r"\d|`|\b[A-Z]{2,}\b")
_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?!(?:19|20)\d\d\b)[\w-]{4,}\b")
"""A code or number of four characters or more: an order, an account, a part. Years are left out."""
_NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
_OWN = re.compile(r"\b(?:i|i'm|i've|my|we|our)\b", re.I)
_QUESTION = re.compile(r"[?？؟]\s*$")
_SMALL_TALK = re.compile(
    r"^(?:hi|hello|hey|thanks|thank you|ok|okay|sure|yes|no|great|noted|got it|understood|of course|you're welcome|good (?:morning|evening|night)|"
    r"alright|right|done)\b", re.I
)  # fmt: skip
_CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.\w+|(?<!\w)\+?\(?\d[\d()]*(?:[ ()/-]+\d+){2,}(?!\w)")
"""Mail addresses and telephone numbers: personal data that no later turn needs from a summary."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of one message."""

    message_id: str
    who: str
    text: str

    def __str__(self) -> str:
        return f"- [{self.message_id}] {self.who}: {self.text}"


def lines_of(message_id: str, who: str, text: str, most: int, count: TokenCount) -> list[Line]:
    """The sentences of a message that a summary may hold: not longer than `most` tokens, without personal or sensitive data."""
    return [Line(message_id, who, sentence) for sentence in _sentences(text) if count(sentence) <= most]


def compose(lines: Sequence[Line], most: int, count: TokenCount) -> str:
    """The weightiest lines within `most` tokens, in the order they were said; "" when none is worth a place. A newer line goes before an
    older one of the same weight."""
    order = sorted(range(len(lines)), key=lambda i: (-weight(lines[i].text, lines[i].who), -i))
    left = most - count(HEADER + "\n")
    kept: set[int] = set()
    for i in order:
        tokens = count(f"{lines[i]}\n") + 1
        if weight(lines[i].text, lines[i].who) > 0 and tokens <= left:
            kept.add(i)
            left -= tokens
    return "\n".join((HEADER, *(str(lines[i]) for i in sorted(kept)))) if kept else ""


def parse(text: str) -> list[Line]:
    """The lines of a summary made by `compose`."""
    return [Line(found["id"], found["who"], found["text"]) for line in text.split("\n") if (found := _LINE.fullmatch(line))]


@functools.lru_cache(maxsize=8192)
def weight(text: str, who: str) -> int:
    """How much a sentence is worth in a summary; 0 or less: no place."""
    if _SMALL_TALK.match(text) and len(text.split()) < 6:
        return 0
    value = 2 if who == "user" else 0
    value += 3 * bool(_FORBIDS.search(text)) + 2 * bool(_NUMBER.search(text)) + 2 * bool(_DECIDES.search(text))
    value += 2 * bool(_IDENTIFIER.search(text)) + bool(_NAME.search(text)) + bool(_OWN.search(text))
    return value - 6 * bool(_QUESTION.search(text))


@functools.lru_cache(maxsize=8192)
def _sentences(text: str) -> tuple[str, ...]:
    whole = (" ".join(part.split()) for part in sentences(text))
    return tuple(part for part in whole if part and not _CONTACT.search(part) and not find_sensitive(part))
