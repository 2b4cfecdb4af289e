"""A case as a task of a worker: picklable in, plain JSON bytes out, so that any pool of processes or machines can run it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from memgauge.clock import ManualClock
from memgauge.errors import InputError, SystemFault
from memgauge.records import Entry, Json, Judgement, Measure, Verdict
from memgauge.runner.case import CaseResult, CaseWork, error_line, run_case
from memgauge.runner.home import at_home
from memgauge.runner.hush import hushed
from memgauge.runner.options import RunOptions, Tools
from memgauge.runner.session import Session
from memgauge.systems.parting import let_go
from memgauge.systems.process import NotStarted
from memgauge.systems.strays import CASE_MARK, end_marked


def pack(work: CaseWork, tools: Tools, options: RunOptions) -> bytes:
    """A case for the way to a worker. Bytes, so that what cannot be unpacked there fails in its own case and not in the pool."""
    return pickle.dumps((work, tools, options))


def case_task(packed: bytes, folder: str) -> bytes:
    """Run the case in a fresh `folder`, which is gone afterwards, and return its result as JSON."""
    work, tools, options = pickle.loads(packed)
    root = Path(folder)
    root.mkdir(parents=True)
    pid_file(root).write_text(str(os.getpid()))
    os.environ[CASE_MARK] = folder
    try:
        with at_home(root), hushed(work.plan.content == "private"):
            return encode(run_case(work, tools, options, root))
    finally:
        if work.spec.lifecycle:
            end_marked(folder)  # a server that no command stops would stand in the way of the next one
        shutil.rmtree(root, ignore_errors=True)


def try_opening(packed: bytes, folder: str) -> tuple[str, int | None]:
    """(why one of the packed specs names no system, has a wrong configuration or does not start, else an empty text; how many cases may run at
    once on what is shared, None for no bound).

    `packed`: (specs, opener). Each is made, and each that differs in more than its saboteur opened and closed once below `folder`. A
    system that breaks in any other way is left to its cases. Only a shared store (`isolation: namespace`, or a server behind it) bounds the cases.
    """
    specs, opener = pickle.loads(packed)
    seen: set[str] = set()
    bounds: list[int] = []
    for number, spec in enumerate(specs):
        root = Path(folder) / str(number)
        session = Session(spec, opener, root, ManualClock(), "")
        try:
            if (kind := repr((spec.target, spec.argv, spec.config, spec.assemble))) not in seen:
                seen.add(kind)
                root.mkdir(parents=True)
                session.open()
                session.close()
                bounds += [session.manifest.max_parallel] if session.is_shared else []
            else:
                let_go(opener(spec))
        except InputError as error:
            return error_line(error), None
        except NotStarted as error:
            return f"system {spec.name!r} does not start: {error_line(error)}", None
        except SystemFault:
            continue
        finally:
            session.abandon()
    return "", max(1, min(bounds)) if bounds else None


def pid_file(folder: Path) -> Path:
    """Where a case says in which process it runs."""
    return folder.with_suffix(".pid")


def start_worker() -> None:
    """Before a worker's first case: what systems print goes to stderr, so that the program's own output stays its own. Ctrl-C,
    blocked so far, is passed over from here on: what a system starts must be able to listen to it."""
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def encode(result: CaseResult) -> bytes:
    line: Json = {part.name: getattr(result, part.name) for part in fields(result)}
    line["history"] = [entry.to_json() for entry in result.history]
    line["judgement"] = {
        "verdicts": [_plain(verdict) for verdict in result.judgement.verdicts],
        "measures": [_plain(measure) for measure in result.judgement.measures],
    }
    return json.dumps(line, default=_mapping).encode()


def decode(data: bytes) -> CaseResult:
    line: Json = json.loads(data)
    judged = line["judgement"]
    return CaseResult(
        **{
            **line,
            "history": tuple(Entry.from_json(entry) for entry in line["history"]),
            "judgement": Judgement(
                verdicts=tuple(Verdict(**{**verdict, "facts": tuple(verdict["facts"])}) for verdict in judged["verdicts"]),
                measures=tuple(Measure(**measure) for measure in judged["measures"]),
            ),
            "timings": tuple(line["timings"]),
        }
    )


def _plain(record: Verdict | Measure) -> Json:
    return {part.name: getattr(record, part.name) for part in fields(record)}


def _mapping(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} in the result of a case")
