"""Did the proof of an absence hold in this run? Without it an empty answer says nothing about a memory."""

from __future__ import annotations

from memgauge.evaluators.absence import RULES
from memgauge.evaluators.case import Case
from memgauge.evaluators.units import Unit
from memgauge.records import Entry, Expectation


def holds(case: Case, expectation: Expectation, entry: Entry) -> bool:
    """Whether the proof named by the expectation was given by this system in this run."""
    proof = expectation.proof
    if proof is None:
        return False
    if proof.kind == "control":
        return entry.status == "ok" and _states(case, proof.ref, _eyes(case, expectation, entry, entry))
    earlier = case.entry(proof.ref)
    if earlier is None:
        return False
    if proof.kind == "bytes_seen":
        return all(_bytes_seen(earlier, fact) for fact in expectation.facts)
    if earlier.status != "ok" or (proof.kind == "seen" and earlier.n >= entry.n):
        return False
    units = case.answer(earlier).content() if proof.kind == "seen_by" else _eyes(case, expectation, entry, earlier)
    return bool(expectation.facts) and all(_states(case, fact, units) for fact in expectation.facts)


def _eyes(case: Case, expectation: Expectation, judged: Entry, shown: Entry) -> tuple[Unit, ...]:
    """Where the fact must have been seen to count: a verbatim turn proves nothing for a check that does not look at that thread's turns."""
    answer = case.answer(shown)
    rule = RULES.get(expectation.kind)
    turns_too = rule is not None and rule.turns and dict(judged.scope) == dict(shown.scope)
    return answer.content() if turns_too else answer.memory()


def _states(case: Case, fact: str, units: tuple[Unit, ...]) -> bool:
    return bool(case.find(fact, units)[0])


def _bytes_seen(scan: Entry, fact: str) -> bool:
    return any(needle.get("fact") == fact and needle.get("hits") for needle in scan.data.get("needles", ()))
