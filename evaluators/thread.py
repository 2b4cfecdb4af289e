"""What was said in one thread, to tell verbatim turns from text that memory made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

PLACEHOLDER = re.compile(r"\[[^\[\]\n]{1,120}\]")
"""Stands in a turn for a span that was cut out of it."""
_KEPT = 8
"""Letters and digits that must be left of a turn with spans cut out; fewer could be of any message."""
_SKIPPED = 4
"""Messages, results of tools aside, that may be missing between two recent turns: what was forgotten or kept private of two exchanges."""


class Thread:
    """One thread up to one moment.

    `said`: (role, text) of every message, other branches included. `branch`: those of the active branch in order; default all.
    `calls`: every text of the tool calls that were given with them.
    """

    def __init__(self, said: Sequence[tuple[str, str]], branch: Sequence[tuple[str, str]] | None = None, calls: Iterable[str] = ()) -> None:
        self.said = tuple(said)
        self.branch = self.said if branch is None else tuple(branch)
        self.calls = frozenset(calls)
        self.texts = frozenset(text for _, text in said)
        self._by_role = frozenset(said)

    def holds(self, role: str, content: str) -> bool:
        """Whether this is a message of the thread, whole or with spans replaced by `[…]`. System text only if said as such."""
        if not content.strip() or (role, content) in self._by_role:
            return True
        if role != "system" and content in self.texts:
            return True
        return bool(PLACEHOLDER.search(content)) and any(_is_turn(role, content, *given) for given in self.said)

    def run(self, rendered: Sequence[tuple[str, str]]) -> set[int]:
        """Which of the rendered (role, content) are the recent turns: those that lead back from the current message along the
        active branch, in its order. What was said long before is memory, even when it comes back word for word."""
        found: set[int] = set()
        at = len(self.branch)
        for n in range(len(rendered) - 1, -1, -1):
            skipped = 0
            for q in range(at - 1, -1, -1):
                if _is_turn(*rendered[n], *self.branch[q]):
                    found.add(n)
                    at = q
                    break
                skipped += self.branch[q][0] != "tool"
                if skipped > _SKIPPED:
                    break
        return found


def _is_turn(role: str, content: str, by: str, text: str) -> bool:
    if content == text:
        return role == by or (role != "system" and bool(text.strip()))
    cut = PLACEHOLDER.split(content)
    if len(cut) == 1 or sum(ch.isalnum() for part in cut for ch in part) < _KEPT or (role == "system" and by != "system"):
        return False
    return _in_order(cut, text)


def _in_order(parts: Sequence[str], whole: str) -> bool:
    if not whole.startswith(parts[0]) or not whole.endswith(parts[-1]):
        return False
    at = 0
    for part in parts:
        at = whole.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True
