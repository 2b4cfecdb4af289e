"""The command line: the one place that wires scenarios, runner, evaluators and reports together.

Importing this module loads typer and nothing heavy; every command imports what it needs when it runs.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback

import typer

from memgauge.cli import (
    authoring,
    benching,
    commenting,
    deciding,
    evidencing,
    fuzzing,
    inspecting,
    keeping,
    listing,
    noising,
    rulings,
    running,
    scanning,
    schemas,
    soaking,
    systems,
    trying,
)
from memgauge.cli.streams import is_wide, settle
from memgauge.cli.usage import usage_line
from memgauge.errors import MemgaugeError
from memgauge.systems.strays import none_left

app = typer.Typer(
    name="memgauge",
    help="Shows whether an assistant's memory earns its place. Start with: memgauge run",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for part in (
    running, listing, inspecting, deciding, commenting, noising, evidencing, keeping, authoring, schemas, rulings, fuzzing, scanning, soaking,
    systems, benching, trying,
):  # fmt: skip
    part.register(app)

USAGE_ERROR = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""Root of typer's own usage errors, taken from the public class so that typer may keep its parser where it likes."""


def main() -> None:
    """Run one command and end the process with its exit code; a fault is one line on stderr, never a traceback."""
    for ending in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: what was finished is kept, nothing is left behind
        signal.signal(ending, signal.default_int_handler)
    settle()
    with none_left(f"command-{os.getpid()}"):
        code = run_command(sys.argv[1:])
    try:
        sys.stdout.flush()
    except MemgaugeError as error:
        code = _told(error.lines(), error.exit_code, [])
    sys.exit(code)


def run_command(argv: list[str]) -> int:
    """The exit code of one command line. Faults are told on stderr (and as a JSON line with --json)."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=argv, prog_name="memgauge", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except MemgaugeError as error:
        return _told(error.lines(), error.exit_code, argv)
    except KeyboardInterrupt:
        return _told(["interrupted; what was finished is kept"], 130, argv)
    except typer.Abort:
        return _told(["aborted"], 130, argv)
    except Exception as error:  # noqa: BLE001  the boundary of the program: anything else is a fault of its own, said in one line
        if type(error).__name__ == "NoArgsIsHelpError":  # a command group without its command: its help, as --help shows it
            print(error.format_message() if hasattr(error, "format_message") else str(error), file=sys.stderr)
            return _told([], 2, argv)
        if isinstance(error, USAGE_ERROR):
            return _told([usage_line(error, argv)], 2, argv)
        if os.environ.get("MEMGAUGE_TRACEBACK"):
            traceback.print_exc()
        return _told([f"internal fault: {type(error).__name__}: {error} (set MEMGAUGE_TRACEBACK=1 to see where, and please report it)"], 3, argv)


def _told(lines: list[str], code: int, argv: list[str]) -> int:
    for line in lines:
        print(f"memgauge: {line}", file=sys.stderr)
    if "--json" in argv:
        print(json.dumps({"type": "summary", "exit_code": code, "errors": lines}, ensure_ascii=not is_wide(sys.stdout)))
    return code
