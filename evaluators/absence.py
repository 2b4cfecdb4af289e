"""What must not be there: superseded, forgotten, someone else's, expired, secret, planted, off topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memgauge.anchors import fold
from memgauge.checks import ABSENCE
from memgauge.evaluators import receipts
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, passed, unsure
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name, fact_name, unit_name
from memgauge.records import Entry, Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How one kind of absence is looked for: always in what memory put there.

    turns: in verbatim turns too; else they are conversation. asides: in reasons, notices, ids and keys too. past_ok: a value
    labelled as past is no breach. quotes_ok: neither is a summary, or a message shown as a message word for word, since
    nobody holds it to be a fact. denied_ok: neither is a sentence that denies it; elsewhere it tells what nobody must know.
    ended: statuses with which a list may show the record; a prompt shows no status.
    """

    says: str
    turns: bool = False
    denied_ok: bool = False
    asides: bool = True
    past_ok: bool = False
    quotes_ok: bool = False
    ended: tuple[str, ...] = ()


RULES: Mapping[str, Rule] = {
    "stale": Rule(says="which was superseded, without saying so", asides=False, past_ok=True, denied_ok=True),
    "deleted": Rule(says="which was forgotten", turns=True),
    "leak": Rule(says="which belongs to another scope", turns=True),
    "expired": Rule(says="which is past its end"),
    "never_stored": Rule(says="which must never be stored", turns=True),
    "not_captured": Rule(says="which was not said as a fact about the user", asides=False, quotes_ok=True, denied_ok=True),
    "goal_done": Rule(
        says="a goal that is no longer active",
        denied_ok=True,
        ended=("done", "paused", "dropped", "finished", "completed", "cancelled", "abandoned"),
    ),
    "off_branch": Rule(says="which was said on another branch only", turns=True),
    "not_permitted": Rule(says="which the access state, agent or task does not allow", turns=True),
    "off_topic": Rule(says="which this question did not invite"),
    "injected": Rule(says="which a tool, document or link planted"),
}


def visible(kind: str, case: Case, entry: Entry) -> tuple[Unit, ...]:
    """The units in which an absence of this kind is broken."""
    rule = RULES[kind]
    places = {"item", "line"} | ({"recent", "listed"} if rule.turns else set()) | ({"aside"} if rule.asides else set())
    return tuple(u for u in case.answer(entry).units if u.place in places and not _excused(rule, u, case))


def _excused(rule: Rule, unit: Unit, case: Case) -> bool:
    if fold(unit.status) in rule.ended or (rule.past_ok and unit.is_past):
        return True
    return rule.quotes_ok and (unit.kind == "summary" or (unit.kind == "message" and case.was_said(unit.text)))


@EVALUATORS.register(*ABSENCE)
def absent(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Every named fact is in no unit the rule looks at, and in no receipt of a write that could tell it on."""
    units = visible(expectation.kind, case, entry)
    doubtful: list[str] = []
    broken_by = 0
    witness = ""
    for fact in expectation.facts:
        sure, maybe = case.find(fact, units, told=not RULES[expectation.kind].denied_ok)
        found = [*((entry, unit) for unit in sure), *receipts.states(case, expectation.kind, fact, entry)]
        broken_by += len(found)
        if found and not witness:
            where, unit = found[0]
            witness = f"{unit_name(case, unit)} in {answer_name(where)} states {fact_name(case, fact)}, {_why(case, expectation.kind, fact)}"
        doubtful.extend(f"{fact} in {unit_name(case, unit)}" for unit in maybe)
    if witness:
        return failed(witness, float(broken_by))
    return unsure(doubtful) if doubtful else passed(0.0)


def _why(case: Case, kind: str, fact: str) -> str:
    later = next((f.id for f in case.plan.facts.values() if f.replaces == fact), None)
    return f"which {later} replaced, without saying so" if kind == "stale" and later else RULES[kind].says
