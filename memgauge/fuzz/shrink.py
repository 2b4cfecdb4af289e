"""Delta debugging: the fewest steps that still break the same promise. Deterministic, and knows nothing of what a step is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shrink(steps: Sequence[T], fails: Callable[[Sequence[T]], bool], tries: int = 600) -> list[T]:
    """A subsequence that still fails and, unless `tries` ran out, from which no single step can be left out.

    `steps` must fail. Chunks of falling size are left out, from the end on (Zeller and Hildebrandt, ddmin, complements only).
    """
    kept = list(steps)
    size = max(1, len(kept) // 2)
    while tries > 0:
        at, shorter = len(kept), False
        while at > 0 and tries > 0:
            start = max(0, at - size)
            candidate = kept[:start] + kept[at:]
            tries -= 1
            if candidate and fails(candidate):
                kept, shorter = candidate, True
            at = start
        if size == 1 and not shorter:
            break
        size = max(1, size // 2) if not shorter or size > 1 else 1
    return kept
