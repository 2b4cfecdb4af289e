"""`comment`: one comment on a pull or merge request, written once, updated when the verdict or what changed is another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.errors import unreadable


def register(app: typer.Typer) -> None:
    app.command()(comment)


def comment(
    file: Annotated[Path, typer.Argument(help="What `gate --md` or `report --format comment` wrote.")],
    as_json: JsonFlag = False,
) -> int:
    """Put a verdict on the pull or merge request of this job. The token is read from MEMGAUGE_TOKEN; without one nothing is posted.
    What cannot be posted is a warning: the exit code stays 0."""
    from memgauge.cli import hosts

    output = Output(as_json)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, error, hint="memgauge gate RUN --md FILE writes one") from None
    try:
        done, said = _put(text, str(file))
    except hosts.NotPosted as why:
        done, said = "not posted", str(why)
    output.text(f"{done}: {said}")
    output.summary(file=str(file), done=done, said=said, exit_code=0)
    return 0


def _put(text: str, where: str) -> tuple[str, str]:
    """What was done, and on what. Raises NotPosted, InputError."""
    from memgauge.cli import hosts
    from memgauge.reports import comment as comments

    made = comments.ours(text, where)
    host = hosts.host()
    for number, body in host.comments():
        old = comments.parse(body)
        if old is None or old.name != made.name:
            continue
        if old.state == made.state:
            return "unchanged", f"the comment on {host.change} says it already"
        host.update(number, text)
        return "updated", f"the comment on {host.change}"
    if made.quiet:
        return "silent", f"nothing changed on {host.change}"
    host.create(text)
    return "created", f"a comment on {host.change}"
