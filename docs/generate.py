"""Writes the generated parts of the reference pages: `python docs/generate.py`, or `--check` to only compare.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. What is outside is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

from memgauge.protocol import STATUSES, VERBS, Manifest, Verb

PAGES = Path(__file__).parent / "reference"
_PART = re.compile(r"(<!-- generated: (?P<name>[\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def verb_table() -> str:
    """Every verb in one line, with a link to its exchange."""
    rows = [f"| [`{verb.name}`](#{verb.name}) | {verb.effect} | {_cell(verb.doc)} |" for verb in VERBS.values()]
    return "\n".join(("| verb | effect | what it does |", "|---|---|---|", *rows))


def verb_part(verb: Verb) -> str:
    """What one verb does, takes and returns."""
    lines = [f"{verb.doc}. Effect: {verb.effect}."]
    if verb.returns:
        lines.append(f"Returns in `data`: {verb.returns}.")
    if verb.args:
        lines += ["", "| argument | type | |", "|---|---|---|"]
        lines += [f"| `{name}`{' (required)' if arg.required else ''} | {arg.type} | {_cell(arg.doc)} |" for name, arg in verb.args.items()]
    return "\n".join(lines)


def manifest_table() -> str:
    """Parts of the manifest with the default that stands in for a missing one."""
    blank = Manifest(name="")
    rows = []
    for part in fields(Manifest):
        default = getattr(blank, part.name)
        shown = "required" if part.name == "name" else "{}" if isinstance(default, Mapping) else str(default)
        rows.append(f"| `{part.name}` | {_cell(str(part.type))} | {shown} |")
    return "\n".join(("| part | type | default |", "|---|---|---|", *rows))


PARTS: Mapping[str, Callable[[], str]] = {
    "verbs": verb_table,
    "manifest": manifest_table,
    "statuses": lambda: " · ".join(f"`{status}`" for status in STATUSES),
    **{f"verb {verb.name}": lambda verb=verb: verb_part(verb) for verb in VERBS.values()},  # type: ignore[misc]
}


def rewritten(page: str) -> str:
    """The page with its generated parts made anew. Raises KeyError for a part nobody makes."""
    return _PART.sub(lambda found: f"{found[1]}{PARTS[found['name']]()}\n{found[3]}", page)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """0 when every page is as it should be, 1 when `--check` found one that is not."""
    stale = []
    for path in sorted(PAGES.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (fresh := rewritten(page)) != page:
            stale.append(path.name)
            if "--check" not in arguments:
                path.write_text(fresh, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
