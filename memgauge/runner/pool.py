"""Worker processes for cases. One hang, death or exception costs exactly the case it happened in."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from pebble import ProcessExpired, ProcessPool

from memgauge.errors import HarnessFault, InputError
from memgauge.runner.case import CaseResult, CaseWork, all_error, error_line
from memgauge.runner.options import RunOptions, Tools
from memgauge.runner.scratch import scratch
from memgauge.runner.task import case_task, decode, pack, pid_file, start_worker, try_opening
from memgauge.systems.process import STARTING_S
from memgauge.systems.spec import SystemSpec
from memgauge.systems.strays import end_marked, none_left

PROCESS_CASE_FACTOR = 4
"""How much longer a case that starts processes of its own may take."""
LOOK_S = 0.5
"""Seconds between looks whether the workers are still there."""
AHEAD = 4
"""Cases given out per worker, so that none waits for the next."""
RESTARTS = 3
"""Times a broken pool is begun anew before its cases are given up as errors."""


class CasePool:
    """Runs cases in `jobs` spawned processes, or in this one. Use as a context manager; on the way out every process and folder is gone."""

    def __init__(self, tools: Tools, options: RunOptions) -> None:
        self._tools = tools
        self._options = options
        self._pool: ProcessPool | None = None
        self._count = 0
        self._queue: deque[CaseWork] = deque()
        self._running: dict[Future[bytes], tuple[CaseWork, Path]] = {}
        self._missed: set[Future[bytes]] = set()
        self._most = AHEAD * options.jobs
        self._look_at = 0.0
        self._restarts = 0

    def __enter__(self) -> CasePool:
        with contextlib.ExitStack() as stack:
            self._folder = stack.enter_context(scratch())
            stack.enter_context(none_left(str(self._folder)))  # a helper that a system left behind would hold our stderr
            stack.callback(self._end)
            if not self._options.in_process:
                self._begin()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def require(self, specs: Sequence[SystemSpec]) -> None:
        """Make and open every system once where cases will run, so that a wrong name or configuration is told before the run
        begins. Raises InputError. Whatever else goes wrong there will go wrong in each case, and be told there."""
        args = (pickle.dumps((specs, self._tools.open_system)), str(self._next_folder()))
        limit = self._options.limit_s
        try:
            tried = (
                try_opening(*args) if self._pool is None else self._pool.schedule(try_opening, args=args, timeout=limit).result(limit + STARTING_S)
            )
        except (TimeoutError, ProcessExpired, BrokenProcessPool):
            return
        why, bound = tried
        if why:
            raise InputError(why)
        self._most = self._most if bound is None else bound

    def submit(self, work: CaseWork) -> None:
        """Queue one case."""
        self._queue.append(work)

    def results(self) -> Iterator[tuple[CaseWork, CaseResult]]:
        """Results in order of completion, until nothing is queued. Cases may be submitted meanwhile."""
        while self._queue or self._running:
            if self._pool is None:
                work = self._queue.popleft()
                yield work, decode(case_task(self._packed(work), str(self._next_folder())))
                continue
            try:
                self._feed(self._pool)
            except RuntimeError as error:  # the pool broke since the last look
                if self._restarts >= RESTARTS:
                    raise HarnessFault(f"the worker processes broke {RESTARTS + 1} times: {error}") from error
                self._restart(self._pool)
                continue
            done, _ = wait(self._running, timeout=LOOK_S, return_when=FIRST_COMPLETED)
            yield from self._vanished(done)
            if any(isinstance(future.exception(), BrokenProcessPool) for future in done) and self._restarts < RESTARTS:
                self._restart(self._pool)
                continue
            for future in done:
                work, folder = self._running.pop(future)
                yield work, self._result(future, work, folder)

    def _vanished(self, done: Collection[Future[bytes]]) -> Iterator[tuple[CaseWork, CaseResult]]:
        """Cases whose process is gone without a word (`os._exit(0)`), which pebble would wait for until the time limit.

        Told only when still missed `LOOK_S` later, so that a result on its way, or a death pebble is about to report, comes first.
        """
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_S
        missed = {f for f, (_, folder) in self._running.items() if f not in done and _is_gone(pid_file(folder))}
        for future in missed & self._missed:
            work, folder = self._running.pop(future)
            future.cancel()
            end_marked(str(folder))
            line = "the worker process ended itself without a word"
            yield work, CaseResult(history=(), judgement=all_error(work.plan, line), error=line)
        self._missed = missed

    def _begin(self) -> None:
        """Start the workers. Ctrl-C reaches them too, and they are not to answer it, not even while they import; so they are born
        with it blocked, and those that replace them later as well, since the threads that start them are."""
        resource_tracker.ensure_running()  # now, since it unblocks Ctrl-C when it has been started
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._pool = ProcessPool(max_workers=self._options.jobs, initializer=start_worker, context=multiprocessing.get_context("spawn"))
            assert self._pool.active  # asked, it starts
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _end(self) -> None:
        if self._pool is not None:
            _stop(self._pool)

    def _feed(self, pool: ProcessPool) -> None:
        """Keep a few cases ahead of the workers, and no more: a packed case holds its whole plan, and a shared store bounds them."""
        while self._queue and len(self._running) < self._most:
            work, folder = self._queue[0], self._next_folder()
            future = pool.schedule(case_task, args=(self._packed(work), str(folder)), timeout=self._limit_s(work))
            self._running[future] = (work, folder)
            self._queue.popleft()

    def _restart(self, broken: ProcessPool) -> None:
        """Begin anew with all that is not done, when the pool itself broke (a worker was killed between two cases)."""
        self._restarts += 1
        _stop(broken)
        self._begin()
        lost = [f for f in self._running if not f.done() or isinstance(f.exception(), BrokenProcessPool)]
        for work, folder in [self._running.pop(future) for future in lost]:
            end_marked(str(folder))
            self._queue.append(work)

    def _limit_s(self, work: CaseWork) -> float:
        return self._options.limit_s * (PROCESS_CASE_FACTOR if work.plan.lane == "process" else 1)

    def _packed(self, work: CaseWork) -> bytes:
        return pack(work, self._tools, self._options)

    def _next_folder(self) -> Path:
        self._count += 1
        return self._folder / f"case-{self._count}"

    def _result(self, future: Future[bytes], work: CaseWork, folder: Path) -> CaseResult:
        try:
            return decode(future.result())
        except TimeoutError:
            line = f"no result within {self._limit_s(work):g} s; the worker was replaced"
        except ProcessExpired as expired:
            line = f"the worker process ended with {_ending(expired.exitcode)}"
        except Exception as fault:  # noqa: BLE001 - whatever a worker could not even report
            line = error_line(fault)
        end_marked(str(folder))
        return CaseResult(history=(), judgement=all_error(work.plan, line), error=line)


def _stop(pool: Any) -> None:
    """Stop at once, running cases included. Typed loosely since pebble leaves these two untyped."""
    pool.stop()
    pool.join()


def _is_gone(pid: Path) -> bool:
    """Whether the process that wrote this file has ended."""
    try:
        os.kill(int(pid.read_text()), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):  # not begun yet
        return False
    return False


def _ending(code: int) -> str:
    return f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"
