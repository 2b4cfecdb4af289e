"""Take the measures of a case (see `memgauge.evaluators.measures` for what each one is)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from memgauge.anchors import sentences
from memgauge.clock import parse_instant
from memgauge.evaluators.budget import total_of
from memgauge.evaluators.case import Case
from memgauge.evaluators.recalled import grade, needed_at
from memgauge.evaluators.ruling import names
from memgauge.evaluators.units import Unit
from memgauge.records import Entry, Measure, Verdict
from memgauge.tokens import counter

ALWAYS_ON = ("pinned", "longterm", "goals", "summary")
"""Sections that go into every prompt, whatever is asked."""
DEFAULT_K = 5


def measure(case: Case, verdicts: Sequence[Verdict]) -> tuple[Measure, ...]:
    """All measures of a case, in the order of its steps."""
    found: list[Measure] = []
    for entry in case.history:
        if entry.type == "call" and entry.status == "ok":
            if entry.op == "context":
                found += _tokens(case, entry)
            if entry.op in ("context", "recall"):
                found += _retrieval(case, entry)
    return (*found, *_from_verdicts(verdicts), *_updates(case))


def _tokens(case: Case, entry: Entry) -> Iterator[Measure]:
    counts, total = entry.data.get("tokens"), total_of(entry)
    if total is None or not isinstance(counts, list | tuple):
        return
    yield Measure(step=entry.step, name="tokens_total", value=float(total))
    if isinstance(entry.data.get("injected"), int):
        yield Measure(step=entry.step, name="tokens_memory", value=float(entry.data["injected"]))
    answer = case.answer(entry)
    turns = {unit.at[0] for unit in answer.units if unit.place == "recent"}
    yield Measure(step=entry.step, name="tokens_recent", value=float(sum(int(count) for n, count in enumerate(counts) if n in turns)))
    yield Measure(step=entry.step, name="tokens_always_on", value=float(sum(tokens(u.text) for u in answer.items() if u.section in ALWAYS_ON)))
    yield Measure(step=entry.step, name="tokens_recalled", value=float(sum(tokens(unit.text) for unit in answer.recalled())))


@functools.lru_cache(maxsize=8192)
def tokens(text: str) -> int:
    """Tokens of one text in the default encoding."""
    return counter()(text)


def _retrieval(case: Case, entry: Entry) -> Iterator[Measure]:
    needed = needed_at(case, entry.step)
    recalled = case.answer(entry).recalled()
    if not needed or (entry.op == "context" and not recalled):
        return
    k = int(entry.args.get("k", DEFAULT_K))
    ranks = [next((n for n, unit in enumerate(recalled, 1) if case.find(fact, [unit])[0]), 0) for fact in needed]
    hits = [0 < rank <= k for rank in ranks]
    best = min((rank for rank in ranks if rank), default=0)
    yield Measure(step=entry.step, name=f"recall_any@{k}/item", value=float(any(hits)))
    yield Measure(step=entry.step, name=f"recall_all@{k}/item", value=float(all(hits)))
    yield Measure(step=entry.step, name=f"recall_fraction@{k}/item", value=sum(hits) / len(hits))
    yield Measure(step=entry.step, name="reciprocal_rank/item", value=1 / best if best else 0.0)
    if recalled:
        yield from _precision(case, entry, k, recalled, needed)


def _precision(case: Case, entry: Entry, k: int, recalled: Sequence[Unit], needed: Sequence[str]) -> Iterator[Measure]:
    checks = [e for e in case.plan.expectations if e.step in (entry.step, entry.step.split("@")[0])]
    fine = [fact for e in checks for fact in names(e.params.get("fine"))]
    misleading = [fact for e in checks for fact in (*names(e.params.get("misleading")), *names(e.params.get("decoys")))]
    grades = [grade(case, unit, needed, fine, misleading) for unit in recalled]
    good = sum(g in ("needed", "fine") for g in grades)
    known = sum(g != "irrelevant" or any(case.find(fact, [unit])[0] for fact in case.plan.facts) for g, unit in zip(grades, recalled, strict=True))
    yield Measure(step=entry.step, name=f"precision_strict@{k}/item", value=good / len(recalled))
    if known:
        yield Measure(step=entry.step, name=f"precision_labelled@{k}/item", value=good / known)
    all_tokens = sum(tokens(unit.text) for unit in recalled)
    useful = sum(tokens(part) for unit in recalled for part in sentences(unit.text) if any(_states(case, fact, part) for fact in needed))
    if all_tokens:
        yield Measure(step=entry.step, name="precision_tokens", value=min(1.0, useful / all_tokens))
    yield Measure(step=entry.step, name="irrelevant_items", value=float(grades.count("irrelevant")))
    yield Measure(step=entry.step, name="harmful_items", value=float(grades.count("misleading")))


def _states(case: Case, fact: str, text: str) -> bool:
    return bool(case.find(fact, [Unit(text=text, place="item")])[0])


def _from_verdicts(verdicts: Sequence[Verdict]) -> Iterator[Measure]:
    rates = {"off_topic": "off_topic_rate", "stale": "stale_rate"}
    for verdict in verdicts:
        if verdict.kind in rates and verdict.outcome in ("pass", "fail"):
            yield Measure(step=verdict.step, name=rates[verdict.kind], value=float(verdict.outcome == "fail"))
        elif verdict.kind == "captured" and verdict.value is not None:
            yield Measure(step=verdict.step, name="memory_precision", value=verdict.value)


def _updates(case: Case) -> Iterator[Measure]:
    """How soon a told change shows. A change that never shows has no latency; its stale checks fail instead."""
    for fact in case.plan.facts.values():
        told = [
            e
            for step in case.plan.steps
            if fact.id in step.tells and (e := case.entry(step.id)) is not None and e.status == "ok" and e.op != "end_turn"
        ]
        if fact.replaces is None or not told:
            continue
        later = [e for e in case.history if e.n > told[0].n and _user(e) == _user(told[0]) and e.status == "ok"]
        prompts = [e for e in later if e.op == "context"]
        shown = next((e for e in prompts if _shows(case, e, fact.id) and not _shows(case, e, fact.replaces)), None)
        if shown is not None:
            turns = sum(e.op == "append" and e.args.get("role") == "user" for e in later if e.n < shown.n)
            yield Measure(step=shown.step, name="update_latency_turns", value=float(turns))
            yield Measure(step=shown.step, name="update_latency_s", value=(parse_instant(shown.now) - parse_instant(told[0].now)).total_seconds())
        again = sum(any(told[0].n < e.n < other.n and _shows(case, e, fact.replaces) for e in prompts) for other in told[1:])
        if len(told) > 1:
            yield Measure(step=told[0].step, name="repeated_corrections", value=float(again))


def _shows(case: Case, entry: Entry, fact: str) -> bool:
    return bool(case.find(fact, [unit for unit in case.answer(entry).memory() if not unit.is_past])[0])


def _user(entry: Entry) -> tuple[object, object]:
    return entry.scope.get("tenant", "default"), entry.scope.get("user")
