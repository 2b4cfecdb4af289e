"""Recognise a planted fact in text a memory may have reworded.

A fact is recognised by values that survive rewording (a name, number, place or code), not by its sentence. Text is folded
(NFKC, case); an anchor counts on token boundaries, or as a substring in scripts that write no spaces; all anchors must stand
in one item, in a long item in one sentence or bullet. See `records.Fact` for the parts of a fact.
"""

from __future__ import annotations

import enum
import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence

from memgauge.records import Fact

LONG_ITEM = 240
"""Characters from which an item is taken sentence by sentence: about three spoken sentences, more than one atomic fact."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？।])\s*|\n+|(?:^|\s)[-*•]\s")
_UNSPACED = re.compile(r"[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF]")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


class Match(enum.Enum):
    """`UNSURE`: the anchors stand there without any word of the claim. Unscored, listed, for a person to rule on."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


def fold(text: str) -> str:
    """NFKC, case folded, invisible joiners dropped, white space runs to one blank."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_INVISIBLE)
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def sentences(text: str) -> list[str]:
    """Sentences, lines and bullets of a text, without empty ones."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


@functools.lru_cache(maxsize=8192)
def _pattern(spelling: str) -> re.Pattern[str]:
    folded = fold(spelling)
    body = re.escape(folded)
    left = r"(?<!\w)" if folded[:1].isalnum() and not _UNSPACED.match(folded) else ""
    right = r"(?!\w)" if folded[-1:].isalnum() and not _UNSPACED.match(folded[-1:]) else ""
    return re.compile(left + body + right)


def stands_in(spelling: str, folded_text: str) -> bool:
    """Whether one spelling stands in already folded text, on token boundaries."""
    return bool(spelling.strip()) and _pattern(spelling).search(folded_text) is not None


def _any(spellings: Sequence[str], folded_text: str) -> bool:
    return any(stands_in(s, folded_text) for s in spellings)


class Matcher:
    """Matches the facts of one case. Knows which fact replaces which: a passage with old and new value is not stale."""

    def __init__(self, facts: Mapping[str, Fact]) -> None:
        self.facts = facts
        self._successors: dict[str, list[Fact]] = {}
        for fact in facts.values():
            if fact.replaces is not None:
                self._successors.setdefault(fact.replaces, []).append(fact)

    def match(self, fact_id: str, text: str) -> Match:
        """Whether the text states the fact."""
        fact = self.facts[fact_id]
        whole = fold(text)
        if not self._anchored(fact, whole):
            return Match.NO
        units = [fold(s) for s in sentences(text)] if len(text) > LONG_ITEM else [whole]
        result = Match.NO
        for unit in units:
            found = self._unit(fact, unit)
            if found is Match.YES:
                return found
            if found is Match.UNSURE:
                result = found
        return result

    def _unit(self, fact: Fact, unit: str) -> Match:
        if not self._anchored(fact, unit) or _any(fact.not_if, unit):
            return Match.NO
        if any(self._anchored(later, unit) for later in self._successors.get(fact.id, ())):
            return Match.NO
        if fact.claim and not _any(fact.claim, unit):
            return Match.UNSURE
        return Match.YES

    @staticmethod
    def _anchored(fact: Fact, folded: str) -> bool:
        return all(_any(group, folded) for group in fact.anchors)
