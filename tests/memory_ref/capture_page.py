"""The page docs/reference/capture-table.md, made from the table the tests run. `python -m tests.memory_ref.capture_page` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from memgauge import strict_yaml

DATA = Path(__file__).parent / "data" / "capture_table.yaml"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "capture-table.md"

_HEAD = """# What capture makes of a sentence

Capture reads what the user typed, after a reply that succeeded. Most sentences leave nothing behind. This table is a test: each row
is run against the reference memory with its default policy, and this page is generated from it
(`python -m tests.memory_ref.capture_page`).

*Known before* are active facts the user stated earlier; *retires* counts how many of them the sentence supersedes.

* **fact**: active at once · **note**: a dated note and a proposed fact, used with less trust until it is said again or approved
* **review**: waits for the user's word and enters no prompt · **pin**: stands in every prompt until its end · **goal**: a goal is closed,
  or (review) its closing proposed · **rejected**: nothing is kept, and the user is told why
* The word behind it is the slot, what the statement is about. Two statements contradict each other only in the same slot.

English has rules. Explicit wishes are also understood in German, French, Spanish, Japanese, Chinese and Arabic. Everything else in
another language waits for the user's word.
"""


def rows() -> list[Mapping[str, Any]]:
    """The table, one row a sentence."""
    found: list[Mapping[str, Any]] = strict_yaml.load(DATA).data
    return found


def page() -> str:
    """The whole page as Markdown."""
    return _HEAD + "".join(_section(group, list(part)) for group, part in groupby(rows(), key=lambda row: row["group"]))


def _section(group: str, part: list[Mapping[str, Any]]) -> str:
    return f"\n## {group}\n\n| the user says | known before | what is kept | retires |\n|---|---|---|---|\n" + "".join(_lines(part))


def _lines(part: list[Mapping[str, Any]]) -> Iterator[str]:
    for row in part:
        known = "<br>".join(
            [*row.get("known", ()), *(f"goal: {g}" for g in row.get("goals", ())), *([f"project {row['project']}"] if "project" in row else [])]
        )
        kept = "<br>".join(_told(line) for line in row["keeps"]) or "nothing"
        yield f"| {_cell(row['say'])} | {_cell(known)} | {_cell(kept)} | {row.get('retires', '')} |\n"


def _told(line: str) -> str:
    outcome, destination, *slot = line.split(" ", 2)
    word = {"REJECT": "rejected", "NEEDS_REVIEW": "review" if destination == "review" else f"{destination}, to review"}.get(outcome, destination)
    return f"{word} `{slot[0]}`" if slot else word


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
