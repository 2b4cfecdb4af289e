"""Handlers of run events that a person watches. The run folder's handler is `reports.folder`."""

from __future__ import annotations

import sys
from typing import IO, Protocol

from memgauge.events import CaseFinished, Event, RunFinished, RunStarted
from memgauge.reports.private import withheld_error

PLAIN_EVERY = 50
MOST_LINES = 50
"""Without a terminal one line is written for this many cases, and for more where that would be too many lines."""


class Handler(Protocol):
    """Takes every event of one run, in order."""

    def handle(self, event: Event) -> None: ...


class PlainProgress:
    """One line now and then, and one at once for each error: for logs and pipes."""

    def __init__(self, stream: IO[str], done: int) -> None:
        self._stream = stream
        self._done = done
        self._planned = 0
        self._every = PLAIN_EVERY

    def handle(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._planned = event.planned
            self._every = max(PLAIN_EVERY, event.planned // MOST_LINES)
            self._say(f"running {event.planned - self._done} cases" + (f", {self._done} are there" if self._done else ""))
        elif isinstance(event, CaseFinished):
            self._done += 1
            if event.error:
                self._say(_broke(event))
            if self._done % self._every == 0 and self._done < self._planned:
                self._say(f"{self._done} of {self._planned} cases")
        elif isinstance(event, RunFinished):
            self._say(f"{self._done} of {self._planned} cases, {event.status}{': ' + event.reason if event.reason else ''}")

    def _say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


class BarProgress:
    """A live bar on a terminal; errors are written above it as they happen."""

    def __init__(self, done: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
        )
        self._task = self._progress.add_task("cases", total=None, completed=done)

    def handle(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._progress.start()
            self._progress.update(self._task, total=event.planned)
        elif isinstance(event, CaseFinished):
            self._progress.advance(self._task)
            if event.error:
                self._progress.console.print(_broke(event), markup=False, highlight=False)
        elif isinstance(event, RunFinished):
            self._progress.stop()


def _broke(event: CaseFinished) -> str:
    """What broke a case; of a private one without what was said in it, for a log is read by others."""
    return f"error in {event.id}: {withheld_error(event.error) if event.plan.content == 'private' else event.error}"


def progress(stream: IO[str] = sys.stderr, done: int = 0) -> Handler:
    """A live bar when the stream is a terminal, plain lines otherwise. `done`: cases that need not run again."""
    return BarProgress(done) if stream.isatty() else PlainProgress(stream, done)
