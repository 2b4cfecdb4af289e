"""JSON and JSON-lines files: written whole or not at all, read with one clear line about what is broken."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from memgauge.errors import HarnessFault, InputError
from memgauge.records import Json


def dumps(line: Mapping[str, Any], *, exact: bool = False) -> str:
    """One line of JSON. NaN and infinity are refused (ValueError). Half a surrogate pair, which UTF-8 cannot carry and DuckDB does
    not read, becomes a question mark; with `exact` it is kept as an escape."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(line, allow_nan=False, separators=(",", ":")) if exact else text.encode(errors="replace").decode()
    return text


def write_text(path: Path, text: str) -> None:
    """Write under a temporary name beside the target, then rename: a reader sees the old file or the new one, never a half.

    Raises HarnessFault when the file cannot be written: a report that is missing must not look like a run that held.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise HarnessFault(f"{path}: cannot be written: {error.strerror}", hint="free some space or choose another --out") from None


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """One indented JSON document, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n")


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]], *, exact: bool = False) -> None:
    """A JSON-lines file, whole or not at all. `exact` as in `dumps`."""
    write_text(path, "".join(f"{dumps(line, exact=exact)}\n" for line in lines))


def read_json(path: Path) -> Json:
    """One JSON object. Raises InputError with the place of the fault."""
    return parse_object(_read(path), str(path))


def read_lines(path: Path) -> Iterator[Json]:
    """The objects of a JSON-lines file. Raises InputError with file:line for the first that is broken."""
    for number, text in enumerate(_read(path).split("\n"), start=1):
        if text.strip():
            yield parse_object(text, f"{path}:{number}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", where=str(path)) from None


def parse_object(text: str, where: str) -> Json:
    """One JSON object. Raises InputError that names `where`."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", where=where, hint="the file was cut off or edited") from None
    if not isinstance(value, dict):
        raise InputError(f"an object is needed, got {type(value).__name__}", where=where)
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")
