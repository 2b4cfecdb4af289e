"""The run folder: the record of a run from which every report can be made again.

    manifest.json          what was run, with all versions, hashes and the seed; status started, complete, interrupted or error
    cases.partial.jsonl    one line per case as it ends, on disk at once; gone when the final files stand
    attempts.jsonl         only where cases broke and were tried again: the tries that do not count; attempts/…jsonl holds their histories
    cases.jsonl            one line per case           ┐
    checks.jsonl           one line per check          ├ sorted; only what follows from scenario, seed, configuration and system,
    measures.jsonl         one line per number         ┘ so equal inputs give equal bytes, whatever -j was
    timings.jsonl          milliseconds, apart because they never repeat
    history/…jsonl         per case: its plan in the first line, then what happened; enough to judge it again

Final files appear whole or not at all. Shapes are those of `memgauge.reports.run`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

from memgauge.clock import wall_ms
from memgauge.errors import HarnessFault, InputError, nearest
from memgauge.events import CaseFinished, Event, RunFinished, RunStarted
from memgauge.records import CaseId, CasePlan, Entry, Json
from memgauge.reports import jsonl
from memgauge.reports.codec import decode_plan
from memgauge.reports.ended import PARTIAL, EndedCase, Kept
from memgauge.reports.kept import history_lines, keep, kept_folder
from memgauge.reports.private import Seal
from memgauge.reports.run import TIMINGS, CaseLine, CheckLine, MeasureLine, Run, Status, case_line, check_lines, measure_lines

SCHEMA = 1
"""Version of the shapes in a run folder."""

MANIFEST, ATTEMPTS = "manifest.json", "attempts.jsonl"
CASES, CHECKS, MEASURES = CaseLine.FILE, CheckLine.FILE, MeasureLine.FILE


class RunFolder:
    """A handler of events that writes one run. Raises InputError when the folder already holds a run, HarnessFault when it
    cannot be written. `kept` is a folder for the texts of private cases, which no report reads; without it they are not written at all.
    With `resumed` the folder must hold a run: these cases of it stay, and it goes on."""

    def __init__(self, folder: Path, kept: Path | None = None, resumed: Kept | None = None) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError("is a file, not a folder", where=str(folder), hint="choose another folder with --out")
        if (folder / MANIFEST).exists() and resumed is None:
            raise InputError("already holds a run", where=str(folder), hint="choose another folder with --out, or go on with --resume")
        self.folder = folder
        self._kept = kept_folder(kept, folder) if kept else None
        self._seal = Seal(secrets.token_bytes(32))
        self._manifest: Json = {}
        self._started = 0.0
        self._resumed = resumed or Kept()
        self._cases = list(self._resumed.cases)
        self._attempts: Counter[str] = Counter()
        self._lock = hold(folder) if resumed else None

    def handle(self, event: Event) -> None:
        """Take one event. The order is RunStarted, any number of CaseFinished, RunFinished."""
        try:
            match event:
                case RunStarted():
                    self._start(event)
                case CaseFinished():
                    if self._kept and event.plan.content == "private":
                        keep(event, self._kept / _history_name(event.id))
                    self._add(self._seal.event(event))
                case RunFinished():
                    self._finish(event)
        except OSError as error:
            raise HarnessFault(f"{self.folder}: cannot be written: {error.strerror}", hint="free some space or choose another --out") from None

    def _start(self, event: RunStarted) -> None:
        """What stays of an earlier sitting is in the partial file before the manifest says that the run goes on, so that a stop in
        between loses nothing."""
        (self.folder / "history").mkdir(parents=True, exist_ok=True)
        self._lock = self._lock or hold(self.folder)
        self._started = wall_ms()
        self._manifest = {**event.manifest, "schema": SCHEMA, "planned": event.planned}
        if (self.folder / ATTEMPTS).exists():
            self._attempts.update(str(line["case"]["id"]) for line in jsonl.read_lines(self.folder / ATTEMPTS))
        for one in self._resumed.broke:
            self._attempt(one, jsonl.read_lines(self.folder / one.case.history))
        jsonl.write_lines(self.folder / PARTIAL, (one.to_json() for one in self._cases))
        self._write_manifest("started")

    def _add(self, event: CaseFinished) -> None:
        if not self._manifest:
            raise HarnessFault("a case ended before the run had started")
        for tried in map(self._seal.event, event.tries):
            self._attempt(_ended(tried, ""), history_lines(tried))
        history = f"history/{_history_name(event.id)}"
        jsonl.write_lines(self.folder / history, history_lines(event), exact=True)
        one = _ended(event, history)
        _append(self.folder / PARTIAL, one.to_json())
        self._cases.append(one)

    def _attempt(self, one: EndedCase, history: Iterable[Json]) -> None:
        """Keep a try that does not count."""
        self._attempts[one.case.id] += 1
        number = self._attempts[one.case.id]
        path = f"attempts/{_history_name(CaseId(**{part.name: getattr(one.case, part.name) for part in fields(CaseId)}))[:-6]}.try{number}.jsonl"
        (self.folder / path).parent.mkdir(exist_ok=True)
        jsonl.write_lines(self.folder / path, history, exact=True)
        _append(self.folder / ATTEMPTS, replace(one, case=replace(one.case, history=path)).to_json())

    def _finish(self, event: RunFinished) -> None:
        if not self._manifest:
            raise HarnessFault("the run ended before it had started")
        ended = sorted(self._cases, key=lambda one: one.case.id)
        checks = [check for one in ended for check in sorted(one.checks, key=lambda check: check.name)]
        measures = [measure for one in ended for measure in sorted(one.measures, key=lambda measure: (measure.step, measure.name))]
        jsonl.write_lines(self.folder / CASES, (one.case.to_json() for one in ended))
        jsonl.write_lines(self.folder / CHECKS, (check.to_json() for check in checks))
        jsonl.write_lines(self.folder / MEASURES, (measure.to_json() for measure in measures))
        jsonl.write_lines(self.folder / TIMINGS, (timing for one in ended for timing in one.timings))
        self._write_manifest(event.status, reason=event.reason, ran=len(ended), wall_ms=round(wall_ms() - self._started, 1), **self._tries())
        (self.folder / PARTIAL).unlink()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _tries(self) -> Json:
        """The cases that were tried again."""
        return {"retried": sorted(self._attempts)} if self._attempts else {}

    def _write_manifest(self, status: Status, **more: Any) -> None:
        jsonl.write_json(self.folder / MANIFEST, {"status": status, **self._manifest, **more})


def hold(folder: Path) -> int:
    """Lock a run folder until the descriptor that is returned is closed, or this process ends. Raises InputError where another process writes it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError("the run is still going on in another process", where=str(folder), hint="wait for it, or end it") from None
    return descriptor


def _append(path: Path, line: Json) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"{jsonl.dumps(line)}\n")


def _ended(event: CaseFinished, history: str) -> EndedCase:
    checks = check_lines(event)
    return EndedCase(case=case_line(event, checks, history), checks=checks, measures=measure_lines(event), timings=tuple(_timings(event)))


def _timings(event: CaseFinished) -> list[Json]:
    case = str(event.id)
    return [{"case_id": case, "op": "case", "step": "", "ms": round(event.wall_ms, 3)}, *({"case_id": case, **timing} for timing in event.timings)]


def _history_name(case: CaseId) -> str:
    """`class--name.system.arm.jsonl`; seed and repeat are added when they are not the first, a hash when a name had to be changed."""
    stem = f"{case.scenario.replace('/', '--')}.{case.system}.{case.arm}"
    safe = re.sub(r"[^A-Za-z0-9._+-]", "_", stem)[:180]
    if safe != stem:
        safe = f"{safe}.{hashlib.sha256(stem.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    again = f".seed{case.seed}.{case.repeat}" if (case.seed, case.repeat) != (0, 0) else ""
    return f"{safe}{again}.jsonl"


def read_run(folder: Path) -> Run:
    """A finished run. Raises InputError with one line for anything that is missing, broken or not finished."""
    manifest = read_manifest(folder)
    if manifest["status"] == "started":
        raise InputError(
            "the run has not ended", where=str(folder / MANIFEST), hint=f"it is still going on, or it was killed: memgauge run --resume {folder}"
        )
    for file in (CASES, CHECKS, MEASURES, TIMINGS):
        if not (folder / file).is_file():
            raise InputError("is missing", where=str(folder / file), hint="run it again")
    return Run(folder=folder, manifest=manifest)


def read_manifest(folder: Path) -> Json:
    """The manifest alone, whatever the status. Raises InputError."""
    if not folder.is_dir():
        raise InputError("no such run folder", where=str(folder), hint="`memgauge list runs` shows what there is")
    manifest = jsonl.read_json(folder / MANIFEST)
    for part, kind in (("status", str), ("schema", int), ("planned", int)):
        if not isinstance(manifest.get(part), kind):
            raise InputError(f"{part!r} is missing or not {kind.__name__}", where=str(folder / MANIFEST), hint="this is not the manifest of a run")
    if manifest["schema"] != SCHEMA:
        raise InputError(f"written in format {manifest['schema']}, this version reads {SCHEMA}", where=str(folder / MANIFEST), hint="run it again")
    if manifest["status"] not in get_args(Status):
        raise InputError(f"status {manifest['status']!r}; allowed: {', '.join(get_args(Status))}", where=str(folder / MANIFEST))
    return manifest


def find_case(run: Run, name: str) -> CaseLine:
    """The case with this id, or with this scenario id where only one system ran it on the treatment arm. Raises InputError."""
    for case in run.cases:
        if case.id == name:
            return case
    near = [case for case in run.cases if case.id.startswith(f"{name}#") or (case.scenario == name and case.arm == "on")]
    if len(near) == 1:
        return near[0]
    if near:
        raise InputError(f"{name!r} is not one case", hint=f"say which: {', '.join(case.id for case in near[:6])}")
    raise InputError(f"no case {name!r} in {run.folder}", hint=nearest(name, [case.scenario for case in run.cases]))


def read_history(run: Run, case: CaseLine) -> tuple[CasePlan, tuple[Entry, ...]]:
    """What was asked of a case and what happened. Raises InputError."""
    return history_of(run.folder, case)


def history_of(folder: Path, case: CaseLine) -> tuple[CasePlan, tuple[Entry, ...]]:
    """The same of a run that has not ended."""
    path = folder / case.history
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{case.history!r} lies outside the run folder", where=str(folder / CASES))
    lines = list(jsonl.read_lines(path))
    if not lines or "plan" not in lines[0]:
        raise InputError("the first line must hold the plan", where=f"{path}:1")
    try:
        return decode_plan(lines[0]["plan"]), tuple(Entry.from_json(line) for line in lines[1:])
    except (ValueError, TypeError) as error:
        raise InputError(f"not a case history: {error}", where=str(path)) from None
