"""The gate: the rules of a gate file applied to a run. It reads and decides; it never writes.

Every rule gives one row with the numbers behind it. `violated` is exit code 1, `inconclusive` is 4, broken cases are 3; of several
the precedence of `memgauge.reports.decision` decides.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memgauge.errors import InputError, nearest
from memgauge.records import Json
from memgauge.reports import baseline as baselines
from memgauge.reports import noise as floors
from memgauge.reports import unsteady
from memgauge.reports.baseline import Baseline
from memgauge.reports.changes import Changes, point_id, points
from memgauge.reports.counts import Counts, many
from memgauge.reports.decision import PRECEDENCE
from memgauge.reports.gate_file import GateFile, Known
from memgauge.reports.gate_rules import GateCase, GateRow, Status, row
from memgauge.reports.noise import Noise
from memgauge.reports.run import Run

_CODES: Mapping[Status, int] = {"error": 3, "violated": 1, "inconclusive": 4}
_WORDS = {0: "holds", 1: "is violated", 3: "cannot be trusted", 4: "cannot decide", 5: "has nothing to judge"}
_MARKS: Mapping[Status, str] = {"ok": "ok", "violated": "VIOLATED", "inconclusive": "CANNOT TELL", "warning": "warning", "error": "ERROR"}
NAMED = 5
"""Offending checks that are named before `--explain` is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """All rows, the changes against the baseline, and the exit code."""

    rows: tuple[GateRow, ...]
    changes: Changes | None
    exit_code: int
    excused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """`the gate is violated`."""
        return f"the gate {_WORDS.get(self.exit_code, 'stopped')}"

    def to_json(self) -> Json:
        document: Json = {
            "exit_code": self.exit_code,
            "rules": [row.to_json() for row in self.rows],
            "excused": list(self.excused),
            "notes": list(self.notes),
        }
        return document if self.changes is None else document | {"changes": self.changes.to_json()}


def judge(run: Run, gate: GateFile, baseline: Baseline | None, *, today: datetime.date, noises: Sequence[Noise] = ()) -> GateVerdict:
    """Apply every rule. `baseline` is None where there is none; `noises` are the measured floors of the run's systems, if any. Raises
    InputError for a rule or an exception that matches nothing."""
    checks = tuple(check for check in run.checks if check.arm == "on")
    known = {point_id(check) for check in checks}
    live, expired = _exceptions(gate.exceptions, known | set(baseline.points if baseline else ()), today)
    changes = baselines.difference(baseline, run) if baseline else None
    excused = frozenset(entry.match for entry in live)
    tags = {line.id: line.tags for line in run.cases}
    case = GateCase(run, checks, tags, excused, baseline, changes, gate.baseline.on_not_comparable == "ignore", noises)
    rows = [*_standing(case, gate), *(row(case, rule) for rule in gate.rules), *_known(case, live)]
    codes = {_CODES[row.status] for row in rows if row.status in _CODES} | ({5} if not checks else set())
    notes = [f"the excuse for {entry.match} ended on {entry.expires} ({entry.owner}: {entry.reason})" for entry in expired]
    notes += floors.notes(noises, run, baseline.points if baseline else {}, points(checks))
    return GateVerdict(
        rows=tuple(rows),
        changes=changes,
        exit_code=next((code for code in PRECEDENCE if code in codes), 0),
        excused=tuple(sorted(excused & {name for name, point in points(checks).items() if point.outcome == "fail"})),
        notes=(*notes, *(changes.notes if changes else ())),
    )


def _exceptions(entries: Sequence[Known], ids: set[str], today: datetime.date) -> tuple[list[Known], list[Known]]:
    for entry in entries:
        if entry.match not in ids:
            raise InputError(f"the exception {entry.match!r} matches no check", where="exceptions", hint=nearest(entry.match, ids) or "remove it")
    return [entry for entry in entries if entry.expires >= today], [entry for entry in entries if entry.expires < today]


def _standing(case: GateCase, gate: GateFile) -> Iterable[GateRow]:
    """What every gate asks, whatever its rules: few enough errors, a complete run of the right suite, enough scores."""
    broken = tuple(line.id for line in case.run.cases if line.arm == "on" and line.outcome == "error")
    if len(broken) > gate.errors.max or case.run.status != "complete":
        cause = f"{many(len(broken), 'case')} broke" if broken else f"the run is {case.run.status}"
        yield GateRow(id="errors", status="error", observed=str(len(broken)), bound=f"at most {gate.errors.max}", cause=cause, offending=broken)
    exact = unsteady.says(case.run, "exact")
    if unlike := tuple(name for name in unsteady.differing(case.run) if unsteady.place(name)[1] in exact):
        cause = "what says that it is exact is not, and is taken for stochastic: its manifest should say so"
        yield GateRow(id="determinism", status="warning", observed=f"{many(len(unlike), 'check')} ended in both ways", bound="0", cause=cause,
                      offending=unlike)  # fmt: skip
    suite = str(case.run.manifest.get("suite", ""))
    if gate.suite and gate.suite not in suite.split(" + "):
        cause = "the gate is for another suite: adopt it by changing the gate file"
        yield GateRow(id="suite", status="inconclusive", observed=suite or "none", bound=gate.suite, cause=cause)
    counts = Counts.of(case.checks)
    if counts.planned and counts.scored / counts.planned < gate.population.min_scored:
        observed = f"{counts.scored / counts.planned:.3f}"
        yield GateRow(id="population", status="inconclusive", observed=observed, bound=f"at least {gate.population.min_scored:g} scored",
                      cause="too little was scored to decide on", planned=counts.planned, scored=counts.scored)  # fmt: skip
    if case.baseline is None and gate.baseline.required:
        yield GateRow(id="baseline", status="inconclusive", observed="none", bound=gate.baseline.ref,
                      cause=f"no baseline: memgauge baseline set {gate.baseline.ref} --reason TEXT")  # fmt: skip
    elif case.changes and case.changes.not_comparable and not case.ignore_apart:
        why = case.changes.notes[0] if case.changes.notes else "they differ"
        yield GateRow(id="comparable", status="inconclusive", observed=many(len(case.changes.not_comparable), "check"), bound="0 not comparable",
                      cause=why, offending=case.changes.not_comparable)  # fmt: skip


def _known(case: GateCase, live: Sequence[Known]) -> Iterable[GateRow]:
    """Known failures that pass: the entry must go, or it will hide the next failure."""
    found = points(case.checks)
    if passing := tuple(entry.match for entry in live if entry.strict and entry.match in found and found[entry.match].outcome == "pass"):
        yield GateRow(id="exceptions", status="violated", observed=many(len(passing), "known failure") + " passed", bound="0",
                      cause="remove the entries: what they excuse is mended", offending=passing)  # fmt: skip


def lines(verdict: GateVerdict, explain: str = "") -> list[str]:
    """The verdict for a terminal: a row a rule, then what changed and the notes. `explain` names a rule whose every number and check is
    shown; raises InputError when there is no such rule."""
    if explain and explain not in [row.id for row in verdict.rows]:
        raise InputError(f"no rule {explain!r}", where="--explain", hint=nearest(explain, [row.id for row in verdict.rows]))
    out = []
    for one in verdict.rows:
        out.append(f"{_MARKS[one.status]:<12}{one.id}: {one.cause}")
        if one.status != "ok" or one.id == explain:
            out.append(f"            seen {one.observed}; asked {one.bound}" + (f"; {one.scored} of {one.planned} scored" if one.planned else ""))
            shown = one.offending if one.id == explain else one.offending[:NAMED]
            out += [f"            {name}" for name in shown]
            if left := len(one.offending) - len(shown):
                out.append(f"            {left} more: --explain {one.id}")
    if verdict.changes:
        out.append(f"CHANGED     {verdict.changes.words} since {verdict.changes.baseline}, {verdict.changes.unchanged} unchanged")
    out += [f"EXCUSED     {name}" for name in verdict.excused]
    out += [f"NOTE        {note}" for note in verdict.notes]
    return [*out, f"GATE        exit code {verdict.exit_code}"]
