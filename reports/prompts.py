"""What the harness saw of every prompt, as measures: its size, memory's part of it, and how much was stored by then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memgauge.records import Entry, Measure

TOKENS_PROMPT = "tokens_total"
"""Tokens of the whole rendered prompt, framing included."""

TOKENS_MEMORY = "tokens_memory"
"""Those of them that memory put there."""

STORED = "messages_stored"
"""Messages of this user before the prompt was built: the age of the account."""

_FROM_DATA = {TOKENS_PROMPT: "tokens_total", TOKENS_MEMORY: "injected"}


def prompt_measures(history: Iterable[Entry]) -> tuple[Measure, ...]:
    """Three measures for each answered `context` of a history; none for reads that were made only to find a cause."""
    stored: Counter[tuple[str, str]] = Counter()
    found = []
    for entry in history:
        owner = (str(entry.scope.get("tenant", "")), str(entry.scope.get("user", "")))
        if entry.type != "call" or entry.status != "ok":
            continue
        if entry.op == "append":
            stored[owner] += 1
        elif entry.op == "append_many":
            stored[owner] += len(entry.args.get("messages", ()))
        elif entry.op == "context":
            found += [Measure(step=entry.step, name=name, value=float(entry.data[part])) for name, part in _FROM_DATA.items() if part in entry.data]
            found.append(Measure(step=entry.step, name=STORED, value=float(stored[owner])))
    return tuple(found)
