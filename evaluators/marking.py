"""Whether a label marks its item as past: "superseded", "former address", "(expired 2026-01-02)", "replaced by Lyon".

A reader must be able to tell from the label that *this* item is not the present value. A heading of many things ("former notes,
expired offers"), a hedge ("may be outdated") or a denial ("not superseded") leaves it open, so it excuses nothing.
"""

from __future__ import annotations

import re

from memgauge.anchors import fold
from memgauge.boundaries import stands_at

PAST_WORDS = ("superseded", "outdated", "obsolete", "replaced", "former", "formerly", "no longer", "expired", "rejected", "historical")
"""Words that say a value is not the present one."""

_SEGMENTS = re.compile(r"[,;|·:()\[\]{}<>\"'=.!?/]+|\s-+\s")
_OPEN = frozenset((
    "not", "never", "no", "may", "might", "could", "can", "maybe", "perhaps", "possibly", "sometimes", "some", "any", "or", "and", "also",
    "including", "if", "whether", "check", "current",
))  # fmt: skip
"""Words before a past word that leave open whether it holds of the item, or say that it does not."""
_LINKS = frozenset((
    "by", "on", "at", "since", "in", "from", "until", "till", "after", "before", "as", "of", "for", "with", "to", "because", "through", "when",
))  # fmt: skip
"""Words behind which anything may follow: when, by what, or why it is past."""
_MOST = 3
"""Words beside a past word that still make one mark of it, as in "this address is outdated"."""


def says_past(label: str) -> bool:
    """Whether one segment of a label marks the item beside it as past."""
    return any(_marks(segment.strip(), word) for segment in _SEGMENTS.split(fold(label)) for word in PAST_WORDS)


def _marks(segment: str, word: str) -> bool:
    at = segment.find(word)
    if at < 0 or not stands_at(segment, at, at + len(word)):
        return False
    before, after = _words(segment[:at]), _words(segment[at + len(word) :])
    if len(before) > _MOST or _OPEN & set(before):
        return False
    if not after or after[0] in _LINKS:
        return True
    return len(after) <= _MOST and (word == "no longer" or not any(map(_plural, after)))


def _words(text: str) -> list[str]:
    """Without ids, numbers and dates."""
    return [word for word in text.split() if word.isalpha()]


def _plural(word: str) -> bool:
    """Whether an English noun stands for several things, by its ending."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))
