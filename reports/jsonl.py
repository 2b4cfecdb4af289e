"""JSON and JSON-lines files: written whole or not at all, read with one clear line about what is broken."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from memgauge.errors import HarnessFault, InputError, unreadable
from memgauge.records import Json

L = TypeVar("L")


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
    """Write a file, whole or not at all. Raises HarnessFault when it cannot be written: a report that is missing must not look like a run
    that held."""
    _write(path, (text,))


def _write(path: Path, parts: Iterable[str]) -> None:
    """Under a temporary name beside the target, then renamed: a reader sees the old file or the new one, never a half."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(parts)
        draft.replace(path)
    except OSError as error:
        raise HarnessFault(f"{path}: cannot be written: {error.strerror}", hint="free some space, or write it elsewhere") from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """One indented JSON document, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n")


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]], *, exact: bool = False) -> None:
    """A JSON-lines file, whole or not at all. `exact` as in `dumps`."""
    _write(path, (f"{dumps(line, exact=exact)}\n" for line in lines))


def read_json(path: Path) -> Json:
    """One JSON object. Raises InputError with the place of the fault."""
    return parse_object(_read(path), str(path))


def read_lines(path: Path) -> Iterator[Json]:
    """The objects of a JSON-lines file, one at a time. Raises InputError with file:line for the first that is broken."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, text in enumerate(file, start=1):
                if text.strip():
                    yield parse_object(text, f"{path}:{number}")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from None


def parsed(path: Path, parse: Callable[[Json], L]) -> tuple[L, ...]:
    """The lines of a file as what `parse` makes of them; its ValueError or TypeError becomes an InputError with file:line."""
    found = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            found.append(parse(line))
        except (ValueError, TypeError) as error:
            raise InputError(str(error), where=f"{path}:{number}") from None
    return tuple(found)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from None


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
