"""Words of a witness: which item broke which rule. Aliases only, no ids, paths or times; no text of private scenarios."""

from __future__ import annotations

from collections.abc import Iterable

from memgauge.evaluators.case import Case
from memgauge.evaluators.units import Unit
from memgauge.records import Entry


def fact_name(case: Case, fact: str) -> str:
    """The fact's name, with the value it is recognised by unless the scenario is private."""
    known = case.plan.facts.get(fact)
    if case.plan.content == "private" or known is None or not known.anchors:
        return fact
    return f'{fact} ("{" … ".join(group[0] for group in known.anchors if group)}")'


def fact_names(case: Case, facts: Iterable[str]) -> str:
    return ", ".join(fact_name(case, fact) for fact in facts)


def unit_name(case: Case, unit: Unit) -> str:
    """`item-3 (recall)`, `line 2 of message 1`, `reason of item`."""
    alias = case.alias(unit)
    return f"{alias} ({unit.section})" if unit.section and alias != unit.section else alias


def answer_name(entry: Entry) -> str:
    """`the context of step after`."""
    return f"the {entry.op or entry.type} of step {entry.step}"
