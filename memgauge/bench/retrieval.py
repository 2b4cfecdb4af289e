"""Retrieval scores of a ranked list against the ids that should be found. Names say level, k and rule: recall_fraction@10/turn.

any: at least one is found; fraction: share of them found; all: every one is found. Each is averaged over questions. MRR is the
mean of 1 / rank of the first one found, 0 when none is within the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

KS = (5, 10, 25, 50)
RULES = ("any", "fraction", "all")


@dataclass(frozen=True, slots=True)
class Answer:
    """One question asked: its category, the ids wanted, the ids returned best first, what it cost."""

    category: str
    wanted: tuple[str, ...]
    returned: tuple[str, ...]
    tokens: int
    ms: float


def recall(wanted: Sequence[str], returned: Sequence[str], k: int, rule: str) -> float:
    """Recall of one question in the first k by one of RULES. Raises ValueError for no wanted ids: that is no question."""
    if not wanted:
        raise ValueError("recall of nothing is undefined")
    found = len(set(wanted) & set(returned[:k]))
    if rule == "any":
        return float(found > 0)
    return float(found == len(set(wanted))) if rule == "all" else found / len(set(wanted))


def reciprocal_rank(wanted: Sequence[str], returned: Sequence[str]) -> float:
    """1 / rank of the first wanted id, 0 when none was returned."""
    return next((1.0 / rank for rank, i in enumerate(returned, 1) if i in wanted), 0.0)


def scores(answers: Iterable[Answer]) -> Mapping[str, float]:
    """Every metric over some answers, by name, as shares of 1. Empty for no answers."""
    asked = list(answers)
    if not asked:
        return {}
    table = {f"recall_{rule}@{k}/turn": sum(recall(a.wanted, a.returned, k, rule) for a in asked) / len(asked) for rule in RULES for k in KS}
    table["mrr/turn"] = sum(reciprocal_rank(a.wanted, a.returned) for a in asked) / len(asked)
    return table
