"""Writes the generated parts of the reference pages: `python docs/generate.py`, or `--check` to only compare.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. What is outside is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import typer

from memgauge.checks import CHECKS, CheckKind
from memgauge.cli import app
from memgauge.evaluators.measures import MEASURES
from memgauge.protocol import STATUSES, VERBS, Manifest, Verb
from memgauge.saboteurs import SABOTEURS

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
    hints = get_type_hints(Manifest)
    rows = []
    for part in fields(Manifest):
        default = getattr(blank, part.name)
        shown = "required" if part.name == "name" else "{}" if isinstance(default, Mapping) else str(default)
        rows.append(f"| `{part.name}` | {_cell(_type(hints[part.name]))} | {shown} |")
    return "\n".join(("| part | type | default |", "|---|---|---|", *rows))


def _type(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else re.sub(r"(\w+\.)+", "", str(hint))


def check_table(family: str) -> str:
    """Every check kind of one family."""
    kinds = [kind for kind in CHECKS.values() if kind.family == family]
    rows = [f"| `{k.name}` | {_cell(k.doc)} | {_about(k)} | {k.version} |" for k in kinds]
    return "\n".join(("| kind | passes when | value | version |", "|---|---|---|---|", *rows))


def _about(kind: CheckKind) -> str:
    number = f"{kind.unit}{', ' + kind.direction + ' is better' if kind.direction else ''}" if kind.unit else ""
    marks = [
        number,
        "names a proof" if kind.proof else "",
        "only where the system assembles the prompt" if kind.assembled else "",
        "scored for every system" if kind.outcome else "",
        f"source: {kind.source}" if kind.source else "",
        *(f"`{name}`{'' if arg.required else '?'}: {arg.doc or arg.type}" for name, arg in kind.params.items()),
    ]
    return _cell("; ".join(mark for mark in marks if mark))


def measure_table() -> str:
    """Every measure that is reported and never judged."""
    rows = [f"| `{m.name}` | {m.unit} | {m.direction or '–'} | {_cell(m.doc)} | {_cell(m.source)} |" for m in MEASURES.values()]
    return "\n".join(("| measure | unit | better | what it counts | source |", "|---|---|---|---|---|", *rows))


def saboteur_table() -> str:
    """Every saboteur with what it breaks and what must notice."""
    rows = []
    for name, one in SABOTEURS:
        caught = "must fail nothing" if one.harmless else f"{', '.join(one.kinds)} in {', '.join(one.classes)}"
        rows.append(f"| `{name}` | {_cell(one.doc)} | {' '.join(one.rows)} | {_cell(caught)}{' (quiet)' if one.quiet else ''} |")
    return "\n".join(("| name | fault | rows | caught by |", "|---|---|---|---|", *rows))


def command_list() -> str:
    """Every command with its arguments and options, as its help says."""
    return "\n\n".join(_commands(typer.main.get_command(app), "memgauge"))


def _commands(command: Any, name: str) -> Iterator[str]:
    for child, found in sorted(getattr(command, "commands", {}).items()):
        if hasattr(found, "commands"):
            yield from _commands(found, f"{name} {child}")
            continue
        lines = [f"### {name} {child}", "", found.help or ""]
        shown = [param for param in found.params if param.name != "help"]
        if shown:
            lines += ["", "| argument or option | |", "|---|---|"]
            lines += [f"| `{_spelt(param)}` | {_cell(getattr(param, 'help', None) or '')} |" for param in shown]
        yield "\n".join(lines)


def _spelt(param: Any) -> str:
    return ", ".join(param.opts) if param.opts[0].startswith("-") else (param.metavar or param.name.upper())


PARTS: Mapping[str, Callable[[], str]] = {
    "verbs": verb_table,
    "manifest": manifest_table,
    "commands": command_list,
    "measures": measure_table,
    "saboteurs": saboteur_table,
    **{f"checks {family}": lambda family=family: check_table(family) for family in ("benefit", "safety", "cost", "integrity")},  # type: ignore[misc]
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
