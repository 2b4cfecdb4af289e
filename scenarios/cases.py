"""A `cases:` table: one body, a row of values for each case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memgauge.scenarios.model import CasesSpec
from memgauge.strict_yaml import Document, validate

_NAME = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def rows_of(document: Document) -> Iterator[Document]:
    """The document itself, or one document a row, named `class/name.case`. Raises InputError for a row that cannot be used."""
    if "cases" not in document.data:
        yield document
        return
    table = validate(Document({"cases": document.data["cases"]}, document.source, document.marks), CasesSpec)
    body = {key: value for key, value in document.data.items() if key != "cases"}
    names: set[str] = set()
    for i, row in enumerate(table.cases):
        name = row.get("case", str(i + 1))
        if not isinstance(name, str) or not _SLUG.fullmatch(name):
            raise document.error(("cases", i, "case"), f"got {name!r}, a case is named like just-before", hint="small letters, digits, hyphens")
        if name in names:
            raise document.error(("cases", i, "case"), f"case {name!r} stands twice in the table")
        names.add(name)
        missing = sorted(set(table.cases[0]) - set(row))
        if missing or set(row) - set(table.cases[0]):
            raise document.error(("cases", i), "a row has the keys of the first row", hint=f"keys: {', '.join(table.cases[0])}")
        data = _put(body, row)
        if isinstance(data.get("id"), str):
            data["id"] = f"{data['id']}.{name}"
        yield Document(data, document.source, document.marks)


def _put(data: Any, row: Mapping[str, Any]) -> Any:
    """Plain data with `{key}` replaced by the row's value: as it is where it is the whole text, else as text."""
    if isinstance(data, str):
        whole = _NAME.fullmatch(data)
        if whole and whole[1] in row:
            return row[whole[1]]
        return _NAME.sub(lambda found: str(row[found[1]]) if found[1] in row else found[0], data)
    if isinstance(data, dict):
        return {key: _put(value, row) for key, value in data.items()}
    return [_put(value, row) for value in data] if isinstance(data, list) else data
