"""A table of incidents to scenario files: one row, one file in the short form, checked before anything is written."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from memgauge.errors import InputError, InputErrors

COLUMNS = ("said", "changed", "asked", "expected", "never", "ticket")
"""`said` and `changed` may hold several lines, one message each. `changed`, `never` and `ticket` may be empty."""
NEEDED = ("said", "asked", "expected")


@dataclass(frozen=True, slots=True)
class Incident:
    """One scenario to write: its id and the text of its file."""

    id: str
    text: str

    @property
    def file(self) -> str:
        return f"{self.id.partition('/')[2]}.yaml"


def read_incidents(path: Path) -> list[Incident]:
    """The incidents of a CSV file. Raises InputErrors with every row that cannot be a scenario, and what to do about it."""
    from memgauge.scenarios.loader import read
    from memgauge.strict_yaml import parse

    incidents: list[Incident] = []
    faults: list[InputError] = []
    taken: set[str] = set()
    for line, row in _rows(path):
        where = f"{path}:{line}"
        if missing := [name for name in NEEDED if not row[name]]:
            faults.append(InputError(f"{' and '.join(missing)} empty", where=where, hint="said, asked and expected are needed in every row"))
            continue
        incident = _incident(row, line, taken)
        taken.add(incident.id)
        try:
            read(parse(incident.text, incident.file))
        except (InputError, InputErrors) as error:
            parts = error.errors if isinstance(error, InputErrors) else [error]
            faults += [InputError(str(part).removeprefix(f"{part.where}: "), where=where, hint=part.hint) for part in parts]
        incidents.append(incident)
    if faults:
        raise InputErrors(faults)
    if not incidents:
        raise InputError("no row below the heading", where=str(path))
    return incidents


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """(line, cells) of every row that is not blank."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8", where=str(path), hint="save the table as CSV in UTF-8") from None
    reader = csv.DictReader(text.splitlines(keepends=True), strict=True)
    before = 1
    try:
        heading = [name.strip().lower() for name in reader.fieldnames or ()]
        if lacking := [name for name in COLUMNS if name not in heading]:
            raise InputError(f"no column {', '.join(lacking)}", where=f"{path}:1", hint=f"the heading is {','.join(COLUMNS)}")
        reader.fieldnames = heading
        for row in reader:
            line, before = before + 1, reader.line_num
            cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
            if any(cells.values()):
                yield line, cells
    except csv.Error as error:
        raise InputError(
            f"not a CSV table: {error}", where=f"{path}:{max(1, reader.line_num)}", hint='put texts with commas or quotes in "…"'
        ) from None


def _incident(row: Mapping[str, str], line: int, taken: set[str]) -> Incident:
    slug = re.sub(r"[^a-z0-9]+", "-", f"{row['ticket'] or f'row-{line}'}".lower()).strip("-") or f"row-{line}"
    id_ = f"incident/{slug}" if f"incident/{slug}" not in taken else f"incident/{slug}-row-{line}"
    said = [text.strip() for cell in (row["said"], row["changed"]) for text in cell.splitlines() if text.strip()]
    body: dict[str, object] = {"id": id_, "title": row["asked"], "content": "private", "say": said, "ask": row["asked"], "expect": row["expected"]}
    if row["never"]:
        body["never"] = row["never"]
    return Incident(id_, yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=140, default_style='"'))
