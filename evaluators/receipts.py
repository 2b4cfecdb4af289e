"""Receipts of writes are answers too: a notice, a reason or a list of what was saved may tell what a question may not.

An absence therefore looks beside the answer it judges at the receipts of the writes of the same case in which the fact could
be told on. What a write itself sent may stand in its receipt, except where it must never be stored: a receipt ends up in logs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memgauge.evaluators.case import Case
from memgauge.evaluators.thread import Thread
from memgauge.evaluators.units import Unit, answer_of
from memgauge.protocol import VERBS
from memgauge.records import Entry
from memgauge.texts import texts_in

_REMOVES = ("forget", "forget_all", "doc_delete", "review_decide", "unpin", "expire")


def states(case: Case, kind: str, fact: str, judged: Entry) -> list[tuple[Entry, Unit]]:
    """Receipts of writes, with the unit in each that states a fact which by this kind must not be in it."""
    told = [entry for entry in case.history if fact in _tells(case, entry)]
    found = []
    for entry in _looked_at(case, kind, told, judged):
        sure, _ = case.find(fact, _units(entry, echo=kind == "never_stored" and entry in told), told=True)
        found += [(entry, unit) for unit in sure[:1]]
    return found


def _looked_at(case: Case, kind: str, told: list[Entry], judged: Entry) -> list[Entry]:
    """The writes in whose receipts the fact must not stand."""
    writes = [entry for entry in case.history if entry.type == "call" and entry.op in VERBS and VERBS[entry.op].effect in ("write", "destroy")]
    since = [entry for entry in writes if not told or entry.n >= told[0].n]
    mine = [entry for entry in since if _owner(entry) == _owner(judged) and entry not in told]
    if kind == "never_stored":
        return since
    if kind == "deleted":
        return _between(mine, judged, _REMOVES, [entry.n for entry in told])
    if kind == "not_permitted" and any(entry.op == "set_access" for entry in mine if entry.n < judged.n):
        return _between(mine, judged, ("set_access",), [entry.n for entry in mine if entry.op == "set_access"])
    if kind in ("leak", "not_permitted"):
        inside = any(_corner(entry) == _corner(judged) for entry in told)
        return [entry for entry in mine if (entry.scope == judged.scope if inside else _corner(entry) == _corner(judged))]
    return []


def _between(writes: list[Entry], judged: Entry, turns: tuple[str, ...], ends: list[int]) -> list[Entry]:
    """Writes after the last turn before the judged step, up to the first of the ends after it."""
    start = max((entry.n for entry in writes if entry.op in turns and entry.status in ("ok", "pending") and entry.n < judged.n), default=None)
    if start is None:
        return []
    end = min((n for n in ends if n > start), default=math.inf)
    return [entry for entry in writes if start < entry.n < end]


def _units(entry: Entry, *, echo: bool) -> Iterator[Unit]:
    sent = [] if echo else sorted(filter(str.strip, texts_in(entry.args)), key=len, reverse=True)
    for unit in answer_of(replace(entry, args={}), Thread(())).units:
        text = unit.text
        for own in sent:
            text = text.replace(own, " ")
        yield replace(unit, text=text)


def _tells(case: Case, entry: Entry) -> tuple[str, ...]:
    step = case.steps.get(entry.step)
    return step.tells if step is not None and entry.type == "call" else ()


def _owner(entry: Entry) -> tuple[Any, Any]:
    return entry.scope.get("tenant", "default"), entry.scope.get("user", "")


def _corner(entry: Entry) -> dict[str, Any]:
    """The scope without its thread."""
    return {"tenant": "default", **{key: value for key, value in entry.scope.items() if key != "thread"}}
