"""Where was it lost? The first stage on the way from the user's words to the prompt at which a failed check went wrong.

`diagnose` names the extra reads to make after a failure; `locate` reads their answers. A fact that is missing is followed forward
(said, captured, stored, retrievable, ranked, fitted, rendered); one that should be gone is looked for at the source first, since
what is still stored will be served whatever the index does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.anchors import fold
from memgauge.checks import ABSENCE
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import names
from memgauge.evaluators.units import Unit
from memgauge.protocol import VERBS
from memgauge.records import CasePlan, Entry, Expectation, Fact, Judgement, Step

WIDE = 50
"""How many items are asked for when looking whether a fact is found at all."""
DEFAULT_K = 5
_KEPT_OUT = ("never_stored", "not_captured", "injected")
_SAID_ONCE = dict.fromkeys((*_KEPT_OUT, "stale", "expired", "goal_done"), "message")
"""Checks of what memory holds as true now. The message in which it was once said stays in its thread, and is no record of it."""
_READS = ("context", "recall", "list", "export")


@dataclass(frozen=True, slots=True)
class Place:
    """`stage` is one of `records.STAGES`, or empty where it cannot be told; `reason` says how it shows, or what could not be looked into."""

    stage: str
    reason: str = ""


def diagnose(plan: CasePlan, history: Sequence[Entry], judgement: Judgement) -> list[Step]:
    """Reads that tell where the facts of the failed checks were lost, each once. The id of a step is the check it is made for."""
    steps = {step.id: step for step in plan.steps}
    reads: dict[str, Step] = {}
    for verdict in judgement.verdicts:
        step = steps.get(verdict.step)
        if verdict.outcome != "fail" or step is None or step.op not in _READS:
            continue
        expectation = next(e for e in plan.expectations if e.id == verdict.check)
        for op, args in _reads(plan, step, _followed(expectation)):
            read = Step(id=verdict.check, kind="call", op=op, scope=step.scope, args=args)
            reads.setdefault(repr((step.id, op, sorted(args.items()))), read)
    return list(reads.values())


def _followed(expectation: Expectation) -> tuple[str, ...]:
    extra = (*names(expectation.params.get("misleading")), *names(expectation.params.get("decoys")), *names(expectation.params.get("durable")))
    return tuple(dict.fromkeys((*expectation.facts, *extra)))


def _reads(plan: CasePlan, step: Step, facts: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    reads: list[tuple[str, dict[str, Any]]] = [("list", {"kind": "all"})] if facts else []
    question = step.args.get("text", step.args.get("query"))
    if question and facts:
        reads.append(("recall", {"query": question, "k": WIDE}))
    reads += [("recall", {"query": anchor_words(plan.facts[fact]), "k": WIDE}) for fact in facts if fact in plan.facts]
    if step.op == "context" and facts:
        budget = dict(step.args.get("budget", {}))
        window, reserve = int(budget.get("window", 0)), int(budget.get("reserve", 0))
        reads.append(("context", {**step.args, "budget": {**budget, "window": 2 * window - reserve}}))
    return reads


def anchor_words(fact: Fact) -> str:
    """The fact's own values: the question that any retrieval must answer when the fact can be found at all."""
    return " ".join(group[0] for group in fact.anchors)


def locate(case: Case, expectation: Expectation, entry: Entry) -> Place:
    """The stage at which a failed check went wrong."""
    kind = expectation.kind
    answer = case.answer(entry)
    if kind in ABSENCE:
        fact = next((f for f in expectation.facts if case.find(f, answer.units)[0]), "")
        return _where_kept(case, expectation, entry, fact)
    if kind in ("present", "sufficient", "rank", "count"):
        lost = next((f for f in expectation.facts if not case.find(f, answer.content())[0]), "")
        if lost:
            return _where_lost(case, expectation, entry, lost)
        if kind == "sufficient":
            kept = next((f for f in _followed(expectation) if f not in expectation.facts and case.find(f, answer.memory())[0]), "")
            return _where_kept(case, expectation, entry, kept) if kept else Place("fitted", "the prompt is over its budget")
        return Place("ranked") if kind == "rank" else Place("stored", "records of one fact stand beside each other")
    return Place({"captured": "captured", "precision": "ranked", "abstains": "ranked", "label": "rendered", "residue": "stored"}.get(kind, ""))


def _where_lost(case: Case, expectation: Expectation, entry: Entry, fact: str) -> Place:
    """The first stage that a missing fact did not get through."""
    looks = _Looks(case, entry, fact)
    told = [e for step in case.plan.steps if fact in step.tells and (e := case.entry(step.id)) is not None and e.n < entry.n]
    if told and not any(e.status in ("ok", "pending") for e in told):
        return Place("said", f"the step that tells it was answered {told[0].status}")
    listed, by_anchor, by_question = looks.listed(), looks.recalled(anchor_words(case.plan.facts[fact])), looks.recalled(looks.question())
    if not listed and not by_anchor and not by_question and _gone_since(case, entry, fact):
        return Place("", "a later step of the case changed or removed it, and the looks are made at its end")
    if listed is False and not by_anchor and not by_question:
        kept = any(e.receipt.get("ids") and e.op not in ("append", "append_many", "end_turn") for e in told)
        kept = kept or any(case.find(fact, case.answer(e).items())[0] for e in told)
        return Place("stored", "it was acknowledged and is not listed") if kept else Place("captured", "nothing was kept of it")
    if entry.op in ("list", "export"):
        return (
            Place("retrievable", "it is stored and not in this answer")
            if listed
            else Place("", "stored or captured: no look at all records was possible")
        )
    if entry.op == "context" and looks.listed(only="pin"):
        return Place("rendered", "it is a pin, which every prompt holds")
    if by_anchor is False and not by_question:
        return Place("retrievable", "asked by its own words, recall does not find it")
    wanted = int(entry.args.get("k", DEFAULT_K))
    if by_question is False:
        return Place("ranked", f"the question does not find it among {WIDE}")
    if isinstance(by_question, int) and by_question > wanted:
        return Place("ranked", f"rank {by_question} with k = {wanted}")
    if entry.op == "recall" and by_question:
        return Place("ranked", "asked the same without its own limits, recall finds it")
    if any(case.find(fact, [unit])[0] for unit in case.answer(entry).units if unit.name == "an item that is not rendered"):
        return Place("rendered", "it is listed and not in the messages")
    if looks.fits_in_more():
        return Place("fitted", "with twice the budget it is there")
    if fold(case.plan.facts[fact].text) and any(fold(case.plan.facts[fact].text) in fold(u.text) for u in case.answer(entry).content()):
        return Place("matched", "its sentence is there and was not recognised")
    if by_question:
        return Place("fitted", "recall finds it, the prompt has it with no budget")
    return Place("", f"{looks.blind()}: this system cannot be asked")


def _gone_since(case: Case, entry: Entry, fact: str) -> bool:
    """Whether a step after the judged one replaced the fact, or removed something."""
    replaced = {f.id for f in case.plan.facts.values() if f.replaces == fact}
    later = [e for e in case.history if e.n > entry.n and e.status in ("ok", "pending")]
    told = {e.step for e in later} & {step.id for step in case.plan.steps if replaced & set(step.tells)}
    return bool(told) or any(e.op in VERBS and VERBS[e.op].effect == "destroy" for e in later)


def _where_kept(case: Case, expectation: Expectation, entry: Entry, fact: str) -> Place:
    """Where a fact that should be gone is still held: the store, the index only, or the prompt only."""
    if not fact:
        return Place("")
    looks = _Looks(case, entry, fact)
    change = _change(case, expectation, entry, fact)
    if change and not any(e.status in ("ok", "pending") for e in change):
        return Place("said", f"the step that changes it was answered {change[-1].status}")
    replaced = expectation.kind == "sufficient" and any(f.replaces == fact for f in case.plan.facts.values())
    listed, by_anchor = (
        looks.listed(but=_SAID_ONCE.get("stale" if replaced else expectation.kind, "")),
        looks.recalled(anchor_words(case.plan.facts[fact])),
    )
    if listed:
        return Place("captured", "it was taken in") if expectation.kind in _KEPT_OUT else Place("stored", "the list has it")
    if by_anchor:
        return (
            Place("retrievable", "the list does not have it, recall serves it")
            if listed is False
            else Place("retrievable", "recall serves it; this system has no list")
        )
    if listed is None and by_anchor is None:
        return Place("", "stored, retrievable or rendered: this system has neither list nor recall")
    if entry.op in ("list", "export"):
        return Place("rendered", f"only this {entry.op} serves it")
    if entry.op == "recall":
        return Place("retrievable", "only this recall serves it")
    return Place("rendered", "neither list nor recall has it")


def _change(case: Case, expectation: Expectation, entry: Entry, fact: str) -> list[Entry]:
    """The steps that were to make the fact go away: the telling of its successor, or a removal."""
    successors = [f.id for f in case.plan.facts.values() if f.replaces == fact]
    if expectation.kind in ("stale", "sufficient") and successors:
        return [e for step in case.plan.steps if set(step.tells) & set(successors) and (e := case.entry(step.id)) is not None and e.n < entry.n]
    if expectation.kind == "deleted":
        return [e for e in case.history if e.n < entry.n and e.op in ("forget", "forget_all", "doc_delete", "expire")]
    return []


class _Looks:
    """The answers of the reads made after the failure, for one fact at one step. None means: could not be looked into."""

    def __init__(self, case: Case, entry: Entry, fact: str) -> None:
        checks = {e.id for e in case.plan.expectations if e.step == entry.step}
        self._case, self._fact, self._entry = case, fact, entry
        self._reads = [look for look in case.looks if look.step in checks]

    def question(self) -> str:
        return str(self._entry.args.get("text", self._entry.args.get("query", "")))

    def listed(self, *, only: str = "", but: str = "") -> bool | None:
        """Whether the fact is in the list of all records: in any, in one of the kind `only`, or in one of another kind than `but`."""
        read = next((r for r in self._reads if r.op == "list" and r.status == "ok"), None)
        if read is None:
            return None
        return bool(self._states([unit for unit in self._live(read) if (not only or unit.kind == only) and (not but or unit.kind != but)]))

    def recalled(self, query: str) -> int | bool | None:
        """The rank at which recall finds it for a query, or False."""
        read = next((r for r in self._reads if r.op == "recall" and r.status == "ok" and r.args.get("query") == query), None)
        if read is None:
            return None
        found = self._states(self._live(read))
        return found[0].rank if found else False

    def fits_in_more(self) -> bool | None:
        read = next((r for r in self._reads if r.op == "context" and r.status == "ok"), None)
        return None if read is None else bool(self._states(list(self._case.answer(read).content())))

    def blind(self) -> str:
        """The stages nobody could look into."""
        seen: Mapping[str, object] = {"stored": self.listed(), "retrievable": self.recalled(self.question()), "fitted": self.fits_in_more()}
        return ", ".join(stage for stage, look in seen.items() if look is None) or "rendered"

    def _live(self, read: Entry) -> list[Unit]:
        return [unit for unit in self._case.answer(read).items() if not unit.is_past]

    def _states(self, units: list[Unit]) -> list[Unit]:
        return self._case.find(self._fact, units)[0]
