"""The one YAML reader: scenarios, policies, gates and project files all pass through here.

YAML 1.2 core scalars only (`no`, `12:30`, `010` and dates stay text), no tags, no aliases, no duplicate keys, bounded size
and depth. A fault is one InputError with `file:line:column`; `validate` turns a pydantic model's complaints into the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from memgauge.errors import InputError, InputErrors, nearest

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 48

Path_ = tuple[str | int, ...]
M = TypeVar("M", bound="BaseModel")

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data, and where each key path of it stands in the file."""

    data: Any
    source: str
    marks: dict[Path_, tuple[int, int]] = field(default_factory=dict)

    def where(self, path: Path_ = ()) -> str:
        """`file:line:column` of a key path, or of its nearest known parent."""
        while path and path not in self.marks:
            path = path[:-1]
        line, column = self.marks.get(path, (1, 1))
        return f"{self.source}:{line}:{column}"

    def error(self, path: Path_, message: str, *, hint: str = "") -> InputError:
        """An InputError that names the place and the key path."""
        label = ".".join(str(p) for p in path)
        return InputError(f"{label}: {message}" if label else message, where=self.where(path), hint=hint)


def load(path: Path) -> Document:
    """Read one file. Raises InputError when it cannot be read, decoded or parsed."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"{len(raw)} bytes, at most {MAX_BYTES} are read", where=str(path))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", where=str(path), hint="save the file as UTF-8") from None
    return parse(text, str(path))


def parse(text: str, source: str) -> Document:
    """Parse one YAML document. Raises InputError with file:line:column."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        raise InputError(_one_line(error.problem or "not YAML"), where=where, hint="check indentation, quotes and colons") from None
    except yaml.YAMLError as error:
        raise InputError(_one_line(str(error)), where=source) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not readable as YAML: {_one_line(str(error))}", where=f"{source}:1:1") from None
    document = Document(None, source)
    if node is None:
        raise InputError("the file is empty", where=f"{source}:1:1")
    return Document(_build(node, (), document, set()), source, document.marks)


def _build(node: yaml.Node, path: Path_, document: Document, seen: set[int]) -> Any:
    document.marks[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if id(node) in seen:
        raise document.error(path, "an alias (*name) is not allowed", hint="write the value out")
    seen.add(id(node))
    if len(path) > MAX_DEPTH:
        raise document.error(path[:3], f"nested deeper than {MAX_DEPTH} levels")
    if not node.tag.startswith("tag:yaml.org,2002:"):
        raise document.error(path, f"the tag {node.tag!r} is not allowed", hint="plain YAML only")
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        return [_build(child, (*path, i), document, seen) for i, child in enumerate(node.value)]
    assert isinstance(node, yaml.MappingNode)
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        mark = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        where = f"{document.source}:{mark[0]}:{mark[1]}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise InputError("a key must be plain text", where=where)
        key = str(key_node.value)
        if key in result:
            first = document.marks[(*path, key)]
            raise InputError(f"key {key!r} stands twice (first in line {first[0]})", where=where, hint="keep one of them")
        result[key] = _build(value_node, (*path, key), document, seen)
        document.marks[(*path, key)] = mark
    return result


def _scalar(node: yaml.ScalarNode, path: Path_, document: Document) -> Any:
    text = str(node.value)
    if node.style is not None:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        if len(text) > 18:
            raise document.error(path, "a whole number of more than 18 digits", hint="quote it if it is text")
        return int(text, 0) if text.startswith(("0o", "0x")) else int(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise document.error(path, "a number that is not finite")
        return value
    return text


def validate(document: Document, model: type[M]) -> M:
    """The document as a pydantic model. Raises InputErrors with one line a fault, unknown keys with the nearest known one."""
    from pydantic import ValidationError

    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        raise InputErrors(_faults(document, model, error)) from None


def _faults(document: Document, model: type[BaseModel], error: ValidationError) -> Iterator[InputError]:
    seen: set[tuple[Path_, str]] = set()
    for fault in error.errors(include_url=False, include_context=True):
        path: Path_ = tuple(p for p in fault["loc"] if _is_key(document.data, fault["loc"], p))
        message = fault["msg"].removeprefix("Value error, ")
        hint = ""
        if fault["type"] == "extra_forbidden":
            known = _known_keys(model, fault["loc"][:-1])
            message, hint = "unknown key", nearest(str(path[-1]) if path else "", known)
        elif fault["type"] == "missing":
            message = f"{fault['loc'][-1]!r} is missing"
        elif "ctx" in fault and "expected" in fault["ctx"]:
            message = f"got {_short(fault['input'])}, allowed: {fault['ctx']['expected']}"
        elif not fault["type"].startswith("value_error"):
            message = f"{message} (got {_short(fault['input'])})"
        if (path, message) not in seen:
            seen.add((path, message))
            yield document.error(path, message, hint=hint)


def _is_key(data: Any, loc: tuple[str | int, ...], part: str | int) -> bool:
    """Pydantic mixes union tags into its locations; keep only what is a key or index of the data."""
    cursor = data
    for step in loc:
        known = (isinstance(cursor, dict) and step in cursor) or (isinstance(cursor, list) and isinstance(step, int) and step < len(cursor))
        if step is part:
            return known
        if known:
            cursor = cursor[step]
    return False


def _known_keys(model: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    schema = model.model_json_schema()
    found: list[str] = []

    def walk(node: dict[str, Any], rest: tuple[str | int, ...]) -> None:
        node = _resolve(schema, node)
        for option in node.get("anyOf", []) + node.get("oneOf", []):
            walk(option, rest)
        if not rest:
            found.extend(node.get("properties", {}))
            return
        head, tail = rest[0], rest[1:]
        if isinstance(head, int) and "items" in node:
            walk(node["items"], tail)
        elif head in node.get("properties", {}):
            walk(node["properties"][head], tail)
        elif isinstance(node.get("additionalProperties"), dict) and isinstance(head, str):
            walk(node["additionalProperties"], tail)
        else:
            walk_tag(node, tail)

    def walk_tag(node: dict[str, Any], tail: tuple[str | int, ...]) -> None:
        if "oneOf" not in node and "anyOf" not in node and tail:
            walk(node, tail)

    walk(schema, loc)
    return found


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
    return node


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _one_line(text: str) -> str:
    return " ".join(text.split())
