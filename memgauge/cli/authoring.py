"""Commands that write files to begin with: `init` and `new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.errors import InputError, nearest


def register(app: typer.Typer) -> None:
    app.command()(init)
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


def init(
    ci: Annotated[str | None, typer.Option("--ci", help="github or gitlab: write a job for it too.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> int:
    """Write a scenario, a gate and a project file that run as they are. What is there already is kept as it is."""
    from memgauge.cli import starter

    if ci is not None and ci not in starter.CI:
        raise InputError(f"got {ci!r}", where="--ci", hint=nearest(ci, starter.CI))
    output = Output(as_json)
    files = {**starter.FILES, **dict([starter.CI[ci]] if ci else [])}
    written, kept = [], []
    for name, text in files.items():
        path = Path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            kept.append(name)
            output.text(f"kept     {name}: it exists already")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=name) from None
        else:
            written.append(name)
            output.text(f"written  {name}")
    output.text("next: memgauge run, then memgauge baseline set main --reason TEXT, then memgauge gate")
    output.summary(written=written, kept=kept, exit_code=0)
    return 0


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
