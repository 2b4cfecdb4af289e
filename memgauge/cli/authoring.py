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
    """Write a scenario, a gate and a project file that run as they are, with their schemas for editors. What is there already is kept."""
    from memgauge.cli import starter
    from memgauge.cli.schemas import as_text, schema_of

    if ci is not None and ci not in starter.CI:
        raise InputError(f"got {ci!r}", where="--ci", hint=nearest(ci, starter.CI))
    output = Output(as_json)
    files = {**starter.FILES, **dict([starter.EDITOR]), **dict([starter.CI[ci]] if ci else [])}
    written, kept = [], []
    for name, text in files.items():
        path = Path(name)
        if _begin(path, text):
            written.append(name)
            output.text(f"written  {name}")
        else:
            kept.append(name)
            output.text(f"kept     {name}: it exists already")
    for kind, name in starter.SCHEMAS.items():
        if _refresh(Path(name), as_text(schema_of(kind)) + "\n"):
            written.append(name)
            output.text(f"written  {name}")
    output.text("next: memgauge run, then memgauge baseline set main --reason TEXT, then memgauge gate")
    output.summary(written=written, kept=kept, exit_code=0)
    return 0


def _begin(path: Path, text: str) -> bool:
    """Write a file that is not there yet; whether it was not. Raises InputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
    return True


def _refresh(path: Path, text: str) -> bool:
    """Write a file that is made and never edited; whether it was another. Raises InputError."""
    try:
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
    return True


def new(
    id_: Annotated[str | None, typer.Argument(metavar="[ID]", help="class/name, as incident/old-address.", show_default=False)] = None,
    to: Annotated[
        Path | None, typer.Option("--to", "-o", help="File to write; with --from-table a folder. Default: <name>.yaml.", show_default=False)
    ] = None,
    from_table: Annotated[
        Path | None,
        typer.Option("--from-table", help="CSV with the columns said,changed,asked,expected,never,ticket: a scenario a row.", show_default=False),
    ] = None,
    from_run: Annotated[
        tuple[Path, str] | None, typer.Option("--from-run", metavar="RUN CASE", help="Keep a case of a run as it was drawn.", show_default=False)
    ] = None,
    from_chat: Annotated[
        Path | None,
        typer.Option("--from-chat", help="Export of ChatGPT or Claude (ZIP, folder, file), ShareGPT or OpenAI rows. Needs ID.", show_default=False),
    ] = None,
    chat: Annotated[
        list[str] | None, typer.Option("--chat", help="With --from-chat: conversation by number, id or part of its title.", show_default=False)
    ] = None,
    ask: Annotated[str, typer.Option("--ask", help="With --from-chat: the question put later.", show_default=False)] = "",
    expect: Annotated[
        list[str] | None, typer.Option("--expect", help="With --from-chat: words that must reach the prompt.", show_default=False)
    ] = None,
    never: Annotated[list[str] | None, typer.Option("--never", help="With --from-chat: words that must not.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> int:
    """Write a scenario: a skeleton, a case of a run, a conversation of an export, or one for each row of a table of incidents."""
    if (of_chat := bool(chat or ask or expect or never)) and from_chat is None:
        raise InputError("nothing to take a conversation from", where="--chat, --ask, --expect, --never", hint="add --from-chat EXPORT")
    if from_chat is not None and from_run is None and from_table is None and id_ is not None:
        return _write_chat(id_, from_chat, chat or [], ask, expect or [], never or [], to, Output(as_json))
    if of_chat or from_chat is not None or (id_ is not None) + (from_table is not None) + (from_run is not None and id_ is None) != 1:
        raise InputError(
            "nothing or too much says what to write",
            hint="give class/name, or --from-table FILE, or --from-run RUN CASE, or class/name and --from-chat EXPORT",
        )
    if from_table is not None:
        return _write(_from_table(from_table, to), Output(as_json))
    name = _name(id_) if id_ is not None else ""
    if from_run is not None:
        text, name = _from_run(*from_run, id_)
    else:
        text = SKELETON.format(id=id_)
    hint = "" if from_run else " its texts (`expect` and `never` word for word from what was said)"
    return _write({to or Path(f"{name}.yaml"): text}, Output(as_json), f"replace{hint}, then: " if hint else "")


def _name(id_: str) -> str:
    class_, slash, name = id_.partition("/")
    if not (slash and class_ and name) or "/" in name:
        raise InputError(f"got {id_!r}", where="ID", hint="write class/name, as incident/old-address")
    return name


def _from_table(table: Path, to: Path | None) -> dict[Path, str]:
    from memgauge.cli.incidents import read_incidents

    return {(to or Path()) / incident.file: incident.text for incident in read_incidents(table)}


def _write_chat(id_: str, export: Path, chat: list[str], ask: str, expect: list[str], never: list[str], to: Path | None, output: Output) -> int:
    from memgauge.cli.conversations import scenario_text

    if not ask or not (expect or never):
        raise InputError("a conversation alone checks nothing", where="--from-chat", hint="add --ask QUESTION and --expect WORDS or --never WORDS")
    name = _name(id_)
    text, left = scenario_text(id_, export, chat, ask, expect, never)
    if left:
        output.text(left)
    return _write({to or Path(f"{name}.yaml"): text}, output)


def _from_run(run: Path, case: str, id_: str | None) -> tuple[str, str]:
    """The file of a case of a run, under a new id, and its name."""
    from memgauge.cli.selection import load_suites, project
    from memgauge.reports.folder import find_case, read_history, read_run
    from memgauge.scenarios import SUITE_NAME, pinned

    loaded = read_run(run)
    found = find_case(loaded, case)
    plan, _ = read_history(loaded, found)
    known = {scenario.id: scenario for scenario in load_suites([SUITE_NAME, *(n for n in project().suites if n != SUITE_NAME)], project())}
    if plan.scenario not in known:
        raise InputError(f"{plan.scenario} is in no suite of this project", where=str(run), hint="name its folder under suites in memgauge.yaml")
    name = f"{plan.scenario.partition('/')[2].replace('.', '-')}-seed-{plan.seed}"
    id_ = id_ or f"incident/{name}"
    return pinned(known[plan.scenario], plan, id_), _name(id_)


def _write(files: dict[Path, str], output: Output, todo: str = "") -> int:
    """Write all files or none. Raises InputError when one is there already or cannot be written."""
    if there := [path for path in files if path.exists()]:
        raise InputError(f"{there[0]} exists already", hint="choose another file with --to; nothing was written")
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=str(path), hint="choose another file with --to") from None
        output.text(f"{path}: {todo}memgauge validate {path}, then: memgauge try {path}")
    output.summary(file=str(next(iter(files))), files=[str(path) for path in files], exit_code=0)
    return 0
