"""Rulings of people on sentences that no rule could read: does this text state that fact? They are passed in, and used only where unsure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from memgauge.anchors import fold

DIGITS = 16
"""Hexadecimal digits of a text's hash: enough that two texts of one scenario never share it."""


class LabelKey(NamedTuple):
    """A ruling holds for one fact of one scenario and one text, whatever its spaces and capitals; another text needs another ruling."""

    scenario: str
    fact: str
    text: str

    @classmethod
    def of(cls, scenario: str, fact: str, text: str) -> LabelKey:
        """The key of a text, which it holds only as a hash."""
        return cls(scenario, fact, hashlib.sha256(fold(text).encode("utf-8", "replace")).hexdigest()[:DIGITS])


Labels = Mapping[LabelKey, bool]
"""Whether the text states the fact."""
NONE: Labels = {}
