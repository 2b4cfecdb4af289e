"""A comment on a change that is found again: its first line names it, its second tells the state it was made in.

There is one comment of a name on a change. It is written anew only when its state is another one, and never begun for a run in which
nothing changed: who is told of nothing every day stops reading.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from memgauge.errors import InputError

LIMIT = 65_536
"""Characters of a comment on GitHub; GitLab takes a million."""

_HEAD = re.compile(r"<!-- memgauge ([\w./ -]*) -->\n<!-- state ([0-9a-f]{16})( quiet)? -->\n")


@dataclass(frozen=True, slots=True)
class Comment:
    """`quiet`: there is nothing to tell unless an older comment says otherwise."""

    name: str
    state: str
    quiet: bool
    text: str


def head(name: str, state: Iterable[object], *, quiet: bool) -> str:
    """The two hidden lines. `state`: everything that makes a comment a new one."""
    plain = re.sub(r"[^\w./ -]|--", "_", name)
    digest = hashlib.sha256(repr(list(state)).encode()).hexdigest()[:16]
    return f"<!-- memgauge {plain} -->\n<!-- state {digest}{' quiet' if quiet else ''} -->"


def parse(text: str) -> Comment | None:
    """A comment of ours, None where it is somebody else's."""
    found = _HEAD.match(text.replace("\r\n", "\n"))
    return Comment(found[1], found[2], bool(found[3]), text) if found else None


def ours(text: str, where: str) -> Comment:
    """The comment in a file. Raises InputError for a file that is none, or too long."""
    found = parse(text)
    if found is None:
        raise InputError("is no comment of memgauge", where=where, hint="memgauge gate RUN --md FILE writes one, or report --format comment")
    if len(text) > LIMIT:
        raise InputError(f"has {len(text):,} characters, a comment may have {LIMIT:,}", where=where)
    return found
