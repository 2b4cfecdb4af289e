"""The one YAML reader: scenarios, policies, gates and project files all pass through here.

YAML 1.2 core scalars only (`no`, `12:30`, `010` and dates stay text), no tags, no anchors or aliases, no duplicate keys,
bounded size and depth. A fault is one InputError with `file:line:column`; `validate` turns a pydantic model's complaints into the same.
"""

from __future__ import annotations

import re
import types
import typing
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
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it: the same nodes and marks, about eight times as fast."""

Path_ = tuple[str | int, ...]
M = TypeVar("M", bound="BaseModel")

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
"""Without the leading zeros that YAML 1.2 lets pass: 0417 is a gate code here, never the number 417."""
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
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)  # no more: it may be a device that never ends
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"more than {MAX_BYTES} bytes", where=str(path), hint="split the file")
    if b"\0" in raw[:4]:
        raise InputError("not UTF-8 but UTF-16 or UTF-32", where=f"{path}:1:1", hint="save the file as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place(raw[: error.start].decode("utf-8", "replace"), error.start)
        raise InputError(f"not UTF-8 at byte {error.start}", where=f"{path}:{place}", hint="save the file as UTF-8") from None
    return parse(text, str(path))


_PLAIN = {
    "but found another document": ("another document begins", "one file holds one document: remove the line ---"),
    "found unexpected end of stream": ("the file ends within a quoted text", "close the quotes"),
    "mapping values are not allowed here": ("a colon where none is allowed", "put quotes around a text with a colon in it"),
    "mapping values are not allowed in this context": ("a colon where none is allowed", "put quotes around a text with a colon in it"),
    "found character that cannot start any token": ("a text may not begin with this character", "put quotes around the text"),
}
"""What PyYAML and libyaml say, in plain words, with what to do."""


def parse(text: str, source: str) -> Document:
    """Parse one YAML document. Raises InputError with file:line:column."""
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else f"{source}:1:1"
        problem = _one_line(error.problem or error.context or "not YAML")
        tab = mark is not None and text[mark.index : mark.index + 1] == "\t"
        message, hint = ("a tab", "indent with blanks") if tab else _PLAIN.get(problem, (problem, "check indentation, quotes and colons"))
        raise InputError(message, where=where, hint=hint) from None
    except yaml.reader.ReaderError as error:
        raise InputError(_one_line(error.reason), where=f"{source}:{_place(text, error.position)}", hint="remove the character") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"not readable as YAML: {_one_line(str(error))}", where=f"{source}:1:1") from None
    document = Document(None, source)
    if node is None:
        raise InputError("the file is empty", where=f"{source}:1:1")
    return Document(_build(node, (), document, text), source, document.marks)


def _build(node: yaml.Node, path: Path_, document: Document, text: str) -> Any:
    document.marks[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if len(path) > MAX_DEPTH:
        raise document.error(path[:3], f"nested deeper than {MAX_DEPTH} levels")
    _refuse_properties(node, document, text)
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        return [_build(child, (*path, i), document, text) for i, child in enumerate(node.value)]
    assert isinstance(node, yaml.MappingNode)
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        mark = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        where = f"{document.source}:{mark[0]}:{mark[1]}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise InputError("a key must be plain text", where=where)
        _refuse_properties(key_node, document, text)
        key = str(key_node.value)
        if key in result:
            first = document.marks[(*path, key)]
            raise InputError(f"key {key!r} stands twice (first in line {first[0]})", where=where, hint="keep one of them")
        result[key] = _build(value_node, (*path, key), document, text)
        document.marks[(*path, key)] = mark
    return result


def _refuse_properties(node: yaml.Node, document: Document, text: str) -> None:
    """A node begins with its tag or anchor, where it has one; an alias needs an anchor, so there is none left to look for."""
    first = text[node.start_mark.index : node.end_mark.index][:1]
    if first in ("!", "&"):
        what = "a tag (!name)" if first == "!" else "an anchor (&name)"
        where = f"{document.source}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"
        raise InputError(f"{what} is not allowed", where=where, hint="write the plain value out")


def _scalar(node: yaml.ScalarNode, path: Path_, document: Document) -> Any:
    text = str(node.value)
    if node.style:  # quoted or a block; plain is None in Python and "" in libyaml
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


_WANTED = {
    "list_type": "a list, as [one, two]", "dict_type": "a mapping, as {{key: value}}", "string_type": "text; quote it",
    "int_type": "a whole number", "int_parsing": "a whole number", "bool_type": "true or false", "bool_parsing": "true or false",
    "float_type": "a number", "float_parsing": "a number", "greater_than_equal": "at least {ge}", "less_than_equal": "at most {le}",
    "greater_than": "above {gt}", "less_than": "below {lt}", "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "string_too_short": "a text of at least {min_length} characters",
}  # fmt: skip
"""What a wrong value should have been, in plain words, by pydantic's name of the fault."""


def _faults(document: Document, model: type[BaseModel], error: ValidationError) -> Iterator[InputError]:
    seen: set[tuple[Path_, str]] = set()
    for fault in error.errors(include_url=False, include_context=True):
        loc = fault["loc"]
        path = _key_path(document.data, loc)
        message, hint, context = fault["msg"].removeprefix("Value error, "), "", fault.get("ctx", {})
        if fault["type"] == "extra_forbidden":
            message, hint = "unknown key", nearest(str(loc[-1]), _known_keys(model, loc[:-1]))
        elif fault["type"] == "missing":
            message = f"{loc[-1]!r} is missing"
        elif fault["type"] == "union_tag_invalid":
            message = f"unknown {context['discriminator'].strip(chr(39))} {context['tag']!r}"
            hint = _nearest_quoted(context["tag"], context["expected_tags"])
        elif fault["type"] == "union_tag_not_found":
            message = f"{context['discriminator']} is missing"
        elif fault["type"] == "literal_error":
            message, hint = f"got {_short(fault['input'])}", _nearest_quoted(str(fault["input"]), context["expected"])
        elif fault["type"] in _WANTED:
            message = f"must be {_WANTED[fault['type']].format(**context)}, got {_short(fault['input'])}"
        elif not fault["type"].startswith("value_error"):
            message = f"{message} (got {_short(fault['input'])})"
        hint = context.get("hint", hint)
        if (path, message) not in seen:
            seen.add((path, message))
            yield document.error(path, message, hint=hint)


def _nearest_quoted(got: str, expected: str) -> str:
    """The hint for pydantic's list of quoted choices; "a 'x' or 'y'" and "'x', 'y'" alike."""
    return nearest(got, re.findall(r"'([^']*)'", expected)) or f"allowed: {expected}"


def _key_path(data: Any, loc: Path_) -> Path_:
    """Pydantic mixes union tags into its locations; keep only what is a key or index of the data."""
    path: list[str | int] = []
    for part in loc:
        in_list = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if in_list or (isinstance(data, dict) and part in data):
            data = data[part]
            path.append(part)
    return tuple(path)


def _known_keys(annotation: Any, loc: Path_) -> list[str]:
    """Keys of the model that stands at a pydantic error location, found by walking the annotations."""
    from pydantic import BaseModel

    annotation = getattr(annotation, "__value__", annotation)  # a named alias stands for its value
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _known_keys(args[0], loc)
    if origin in (typing.Union, types.UnionType):
        tagged = [option for option in args if loc and loc[0] in _tags(option)]
        return [key for option in tagged or args for key in _known_keys(option, loc[1:] if tagged else loc)]
    if origin in (list, tuple) and args:
        return _known_keys(args[0], loc[1:])
    if origin is dict and args:
        return _known_keys(args[1], loc[1:])
    if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return []
    names = {info.alias or name: info for name, info in annotation.model_fields.items()}
    if not loc:
        return list(names)
    info = names.get(str(loc[0]))
    return _known_keys(info.annotation, loc[1:]) if info else []


def _tags(option: Any) -> set[str]:
    """How pydantic may name a member of a union in a location: its Tag, its class, or a literal value of its discriminator."""
    from pydantic import BaseModel, Tag

    found: set[str] = set()
    if typing.get_origin(option) is typing.Annotated:
        option, *marks = typing.get_args(option)
        found |= {mark.tag for mark in marks if isinstance(mark, Tag)}
    if isinstance(option, type) and issubclass(option, BaseModel):
        found.add(option.__name__)
        for info in option.model_fields.values():
            if typing.get_origin(info.annotation) is typing.Literal:
                found |= {str(value) for value in typing.get_args(info.annotation)}
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _place(text: str, position: int) -> str:
    """line:column of a character offset, both from 1."""
    before = text[:position]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
