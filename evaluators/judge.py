"""The entry point: a plan and a history in, one verdict per expectation out. Pure, the same for the same history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memgauge.checks import CHECKS, CheckKind, depth_of
from memgauge.evaluators import corners, lost_at, period, proof, reopening
from memgauge.evaluators.absence import RULES
from memgauge.evaluators.case import AssembledBy, Case, degraded
from memgauge.evaluators.labels import NONE, Labels
from memgauge.evaluators.measuring import measure
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, unscored
from memgauge.protocol import VERBS, Manifest
from memgauge.records import CasePlan, Entry, Expectation, Judgement, Verdict

_DESTROY = ("forget", "forget_all", "doc_delete", "review_decide", "unpin")
_HANGS_ON: Mapping[str, tuple[str, ...]] = {
    "deleted": _DESTROY,
    "residue": _DESTROY,
    "stale": ("correct",),
    "goal_done": ("goal_add", "goal_update"),
    "off_branch": ("edit_message", "switch"),
    "not_permitted": ("set_access",),
}
"""Verbs without which the change a check looks for was never made, whatever the answer shows."""


def judge(
    plan: CasePlan,
    history: Sequence[Entry],
    manifest: Manifest | None = None,
    assembled_by: AssembledBy = "system",
    labels: Labels = NONE,
) -> Judgement:
    """Judge every expectation of the plan on what the history holds, and `labels` where its texts leave doubt. Never raises for what a
    memory answered."""
    case = Case(plan, history, manifest, assembled_by, labels)
    verdicts = tuple(verdict(case, expectation) for expectation in plan.expectations)
    return Judgement(verdicts=verdicts, measures=measure(case, verdicts))


def verdict(case: Case, expectation: Expectation) -> Verdict:
    """The verdict on one expectation: the evaluator's ruling, and for an absence what its proof is worth."""
    kind = CHECKS[expectation.kind]
    ruling, entry, within = period.judged(case, expectation, lambda found: _rule(case, expectation, kind, found))
    held = kind.proof and entry is not None and proof.holds(case, expectation, entry)
    if kind.proof and entry is not None and ruling.outcome == "pass":
        if not held:
            ruling = unscored(f"no proof: {expectation.proof.ref if expectation.proof else 'none named'}")
        elif doubt := _says_little(entry):
            ruling = unscored(doubt)
    lost = lost_at.locate(case, expectation, entry) if ruling.outcome == "fail" and entry is not None else lost_at.Place("")
    return Verdict(
        check=expectation.id,
        kind=expectation.kind,
        outcome=ruling.outcome,
        value=ruling.value if ruling.outcome in ("pass", "fail") else None,
        reason=lost.reason if ruling.outcome == "fail" else ruling.why,
        witness=ruling.why if ruling.outcome == "fail" else "",
        lost_at=lost.stage,
        proof="" if not kind.proof else "held" if held else "not held",
        facts=expectation.facts,
        step=expectation.step,
        depths=ruling.depths or ({"api": ruling.outcome} if depth_of(expectation.kind, expectation.params) == "api" else {}),
        within=within,
    )


def _rule(case: Case, expectation: Expectation, kind: CheckKind, entry: Entry | None) -> Ruling:
    if kind.assembled and case.assembled_by == "harness":
        return Ruling("not_applicable", "the caller builds the prompt")
    if entry is None:
        return broken(f"the case never reached step {expectation.step}")
    evaluate = EVALUATORS.get(expectation.kind)
    expected = expectation.params.get("status", ()) if expectation.kind == "receipt" else ()
    if entry.status == "error" and "error" not in expected:
        return (
            _leaking_error(case, expectation, entry) or reopening.rule(case, kind, entry) or broken(f"step {entry.step} was answered with an error")
        )
    if entry.status == "unsupported" and "unsupported" not in expected:
        if _in_name_only(case, entry) and kind.family in ("benefit", "integrity"):
            return failed(f"the manifest calls {entry.op} native, and a plain call of it at step {entry.step} was answered unsupported")
        return Ruling("unsupported", _not_done(case, entry))
    if since := expectation.params.get("since"):
        earlier = case.entry(str(since))
        if earlier is not None and earlier.status == "error" and (lost := reopening.rule(case, kind, earlier)):
            return lost
        if earlier is None or earlier.status == "error":
            return broken(f"step {since}, which it is compared with, was {'answered with an error' if earlier else 'never reached'}")
        if earlier.status == "unsupported":
            return Ruling("unsupported", _not_done(case, earlier))
    if not kind.outcome and (step := _step_not_done(case, expectation, entry)):
        return Ruling("unsupported", _not_done(case, step))
    if beyond := corners.unpromised(case, expectation, entry):
        return Ruling("unsupported", beyond)
    return evaluate(case, expectation, entry)


def _says_little(entry: Entry) -> str:
    """Why an answer in which nothing was found proves nothing, or empty."""
    if entry.status == "pending":
        return "the answer is pending"
    return "retrieval was degraded" if degraded(entry) else ""


def _leaking_error(case: Case, expectation: Expectation, entry: Entry) -> Ruling | None:
    """An error text may carry what must be nowhere."""
    rule = RULES.get(expectation.kind)
    if rule is None or not rule.asides:
        return None
    ruling = EVALUATORS.get(expectation.kind)(case, expectation, entry)
    return ruling if ruling.outcome == "fail" else None


def _step_not_done(case: Case, expectation: Expectation, entry: Entry) -> Entry | None:
    """The step that the system could not do and on which this check hangs: the telling of its facts, or the change it looks for."""
    verbs = _HANGS_ON.get(expectation.kind, ())
    if expectation.kind == "receipt" and "ok" not in expectation.params.get("status", ()):
        verbs = ("set_access",)  # who cannot switch memory off refuses nothing because of it
    for earlier in case.history:
        if earlier.n >= entry.n:
            break
        if (
            earlier.status == "unsupported"
            and earlier.op in verbs
            and _concerns(case, earlier, expectation.facts)
            and not _in_name_only(case, earlier)
        ):
            return earlier
    for fact in expectation.facts:
        told = [e for step in case.plan.steps if fact in step.tells and (e := case.entry(step.id)) is not None and e.n < entry.n]
        if told and all(e.status == "unsupported" for e in told):
            return told[-1]
    return None


def _concerns(case: Case, entry: Entry, facts: Sequence[str]) -> bool:
    """Whether a step is about one of the facts: it names a record saved where one was told, or names none."""
    step = next((step for step in case.plan.steps if step.id == entry.step), None)
    named = {str(value)[1:] for value in step.args.values() if str(value).startswith("$")} if step else set()
    told = {fact for other in case.plan.steps if other.save_as in named for fact in other.tells}
    return not told or bool(told & set(facts))


def _in_name_only(case: Case, entry: Entry) -> bool:
    """Whether a system declined a plain call of a verb that it says it has natively: nothing in it that it might be unable to honour.

    Otherwise a memory that says it can forget, and never does, would have every check of forgetting left out.
    """
    if case.manifest is None or case.manifest.verbs.get(entry.op) != "native" or entry.data.get("unasked") or entry.op not in VERBS:
        return False
    plain = {name for name, arg in VERBS[entry.op].args.items() if arg.required} | {"id", "query"}
    return set(entry.args) <= plain and not any(entry.scope.get(corner) for corner in ("agent", "project", "task"))


def _not_done(case: Case, entry: Entry) -> str:
    """`no verb forget`; where the verb is there and the harness could not use it, its own words."""
    verb = entry.op or entry.type
    has_verb = entry.type != "call" or (case.manifest is not None and case.manifest.supports(entry.op))
    return str(entry.receipt.get("reason") or f"no verb {verb}") if has_verb and case.plan.content == "synthetic" else f"no verb {verb}"
