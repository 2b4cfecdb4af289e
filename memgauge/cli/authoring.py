"""Commands for writing scenarios: `new` and `try`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.errors import InputError


def register(app: typer.Typer) -> None:
    app.command("new")(new)


SKELETON = """\
id: {id}
say:
  - "First thing the user said."
  - "What changed later."
ask: "What is asked after it?"
expect: "value that must reach the prompt"
never: "value that must not"
"""


def new(
    id_: Annotated[str, typer.Argument(metavar="ID", help="class/name, as incident/old-address.")],
    to: Annotated[Path | None, typer.Option("--to", "-o", help="File to write. Default: <name>.yaml.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> int:
    """Write the skeleton of a scenario in its short form."""
    class_, slash, name = id_.partition("/")
    if not (slash and class_ and name) or "/" in name:
        raise InputError(f"got {id_!r}", where="ID", hint="write class/name, as incident/old-address")
    path = to or Path(f"{name}.yaml")
    if path.exists():
        raise InputError(f"{path} exists already", hint="choose another file with --to; nothing was written")
    path.write_text(SKELETON.format(id=id_), encoding="utf-8")
    output = Output(as_json)
    output.text(f"{path}: replace its texts, then: memgauge validate {path}")
    output.summary(file=str(path), exit_code=0)
    return 0
