"""Worker processes for cases. One hang, death or exception costs exactly the case it happened in."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from pebble import ProcessExpired, ProcessPool

from memgauge.runner.case import CaseResult, CaseWork, all_error, error_line
from memgauge.runner.options import RunOptions, Tools
from memgauge.runner.task import case_task, decode, pack, start_worker
from memgauge.systems.process import CASE_MARK
from memgauge.systems.tree import end_marked

PROCESS_CASE_FACTOR = 4
"""How much longer a case that starts processes of its own may take."""
RESTARTS = 3
"""Times a broken pool is begun anew before its cases are given up as errors."""


class CasePool:
    """Runs cases in `jobs` spawned processes, or in this one. Use as a context manager; on the way out every process and folder is gone."""

    def __init__(self, tools: Tools, options: RunOptions) -> None:
        self._tools = tools
        self._options = options
        self._count = 0
        self._waiting: dict[Future[bytes], tuple[CaseWork, Path]] = {}
        self._local: list[tuple[CaseWork, Path]] = []
        self._restarts = 0

    def __enter__(self) -> CasePool:
        self._stack = contextlib.ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="memgauge-", ignore_cleanup_errors=True)))
        self._pool = None if self._options.in_process else self._workers()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._pool is not None:
            _stop(self._pool)
        for _, folder in self._waiting.values():
            end_marked(CASE_MARK, str(folder))
        self._stack.close()

    def submit(self, work: CaseWork) -> None:
        """Queue one case."""
        self._count += 1
        folder = self._folder / f"case-{self._count}"
        if self._pool is None:
            self._local.append((work, folder))
            return
        limit = self._options.limit_s * (PROCESS_CASE_FACTOR if work.plan.lane == "process" else 1)
        future = self._pool.schedule(case_task, args=(pack(work, self._tools, self._options), str(folder)), timeout=limit)
        self._waiting[future] = (work, folder)

    def results(self) -> Iterator[tuple[CaseWork, CaseResult]]:
        """Results in order of completion, until nothing is queued. Cases may be submitted meanwhile."""
        while self._waiting or self._local:
            if self._local:
                work, folder = self._local.pop(0)
                yield work, decode(case_task(pack(work, self._tools, self._options), str(folder)))
                continue
            done, _ = wait(self._waiting, return_when=FIRST_COMPLETED)
            if any(isinstance(future.exception(), BrokenProcessPool) for future in done) and self._restart():
                continue
            for future in done:
                work, folder = self._waiting.pop(future)
                yield work, self._result(future, work, folder)

    def _workers(self) -> ProcessPool:
        return ProcessPool(max_workers=self._options.jobs, initializer=start_worker, context=multiprocessing.get_context("spawn"))

    def _restart(self) -> bool:
        """Begin anew with all that is not done, when the pool itself broke (a worker was killed between two cases)."""
        if self._pool is None or self._restarts >= RESTARTS:
            return False
        self._restarts += 1
        _stop(self._pool)
        self._pool = self._workers()
        undone = [
            self._waiting.pop(future) for future in list(self._waiting) if not future.done() or isinstance(future.exception(), BrokenProcessPool)
        ]
        for work, folder in undone:
            end_marked(CASE_MARK, str(folder))
            self.submit(work)
        return True

    def _result(self, future: Future[bytes], work: CaseWork, folder: Path) -> CaseResult:
        try:
            return decode(future.result())
        except TimeoutError as late:
            line = f"no result within {late.args[1]:g} s: it hung, or its process ended without a word; the worker was replaced"
        except ProcessExpired as expired:
            line = f"the worker process ended with {_ending(expired.exitcode)}"
        except Exception as fault:  # noqa: BLE001 - whatever a worker could not even report
            line = error_line(fault)
        end_marked(CASE_MARK, str(folder))
        return CaseResult(history=(), judgement=all_error(work.plan, line), error=line)


def _stop(pool: Any) -> None:
    """Stop at once, running cases included. Typed loosely since pebble leaves these two untyped."""
    pool.stop()
    pool.join()


def _ending(code: int) -> str:
    return f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"
