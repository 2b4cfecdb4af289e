"""Where commands put their words: text for people, or JSON lines and nothing else on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memgauge.cli.streams import is_wide

JsonFlag = Annotated[bool, typer.Option("--json", help="JSON lines on stdout and nothing else there; the last line is the summary.")]


class Output:
    """One command's output. With `as_json`, text goes to stderr and lines to stdout; otherwise only text is shown."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def text(self, text: str = "") -> None:
        """A line for people."""
        print(text, file=sys.stderr if self.as_json else sys.stdout)

    def line(self, kind: str, values: Mapping[str, Any]) -> None:
        """One JSON line, with its type first. Nothing when people read."""
        if self.as_json:
            print(json.dumps({"type": kind, **values}, ensure_ascii=not is_wide(sys.stdout), allow_nan=False, default=str))

    def summary(self, **values: Any) -> None:
        """The last line of every command."""
        self.line("summary", values)
        sys.stdout.flush()
