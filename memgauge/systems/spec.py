"""What is put under test: a name, how to reach it, and the configuration it gets. Plain data, so that workers and children can be handed it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from memgauge.errors import InputError, nearest
from memgauge.protocol import check_period
from memgauge.surfaces import Surface, unique

Kind = Literal["named", "python", "command"]

REQUEST_LIMIT_S = 30.0
"""Seconds a child has for one answer, unless its entry says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    """One system under test.

    `name` is what rows and case ids say. `kind` and `target`: a built-in or entry point by name; a Python object as
    `module:attr`; a command as `argv`. `saboteur` names the fault put on it, or is empty. `child` runs it as a process of
    its own, which commands always are. `env` lists the variables a child may see beside the harmless ones, `timeout_s` is the
    time for one answer. `allow` holds the ids of stores the user lets the harness destroy data in. `lifecycle` holds the
    commands start, stop, kill, reset and purge of a store that is a server of its own. `surfaces` are the places where its data may lie, as
    JSON (see `memgauge.surfaces`), beside those its verb names; `erase_within` is the deletion period it states, by depth or for all of them
    (see `Manifest`), in place of its manifest's. `assemble` sets the harness assembler where the
    system has no `context` (see `memgauge.systems.assembler`).
    """

    name: str
    kind: Kind = "named"
    target: str = ""
    argv: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)
    saboteur: str = ""
    child: bool = False
    env: tuple[str, ...] = ()
    folder: str = ""
    timeout_s: float = REQUEST_LIMIT_S
    allow: tuple[str, ...] = ()
    lifecycle: Mapping[str, str] = field(default_factory=dict)
    surfaces: tuple[Mapping[str, Any], ...] = ()
    erase_within: str | Mapping[str, str] = ""
    assemble: Mapping[str, Any] = field(default_factory=dict)

    def with_config(self, changes: Mapping[str, Any]) -> SystemSpec:
        """The same system with some keys of its configuration replaced."""
        return replace(self, config={**self.config, **changes})

    def to_json(self) -> dict[str, Any]:
        return {part.name: list(v) if isinstance(v := getattr(self, part.name), tuple) else v for part in fields(self)}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> SystemSpec:
        parts: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in line.items()}
        return cls(**parts)


def parse_system(text: str, entries: Mapping[str, SystemSpec] | None = None) -> SystemSpec:
    """A system as a user names it: `reference`, `module:attr`, `command: node memory.js`, `reference+leak-counts`.

    `entries` are the systems of the project file; their names win. Whether a name exists is found out by `load`.
    Raises InputError for an empty or malformed text.
    """
    entries = entries or {}
    text = text.strip()
    if text in entries:
        return entries[text]
    head, colon, rest = text.partition(":")
    if head.strip() == "command" and colon:
        return _command(text, rest)
    base, plus, saboteur = text.partition("+")
    if plus and not (base.strip() and saboteur.strip()):
        raise InputError(f"system {text!r}: a base and a saboteur are needed", hint="write reference+leak-counts")
    if plus:
        return replace(parse_system(base, entries), name=text, saboteur=saboteur.strip())
    if colon:
        return _python(text, text)
    if not text:
        raise InputError("a system without a name", hint="reference, off, transcript, embed-all, module:attr or command: ARGV")
    return SystemSpec(name=text, target=text)


_HOW = ("system", "python", "command")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "config": (Mapping,), "assemble": (Mapping,), "env": (list, tuple), "allow": (list, tuple), "child": (bool,), "folder": (str,),
    "timeout_s": (int, float), "lifecycle": (Mapping,), "surfaces": (list, tuple), "erase_within": (str, Mapping),
}  # fmt: skip


def parse_entry(name: str, entry: Mapping[str, Any], where: str = "") -> SystemSpec:
    """A system of the project file: one of `system`, `python` or `command`, and beside it config, env, child, folder,
    timeout_s, allow, lifecycle, surfaces, erase_within, assemble. Raises InputError naming the key."""
    where = where or f"systems.{name}"
    for key in entry:
        if key not in _HOW and key not in _TYPES:
            raise InputError(f"unknown key {key!r}", where=where, hint=nearest(key, [*_HOW, *_TYPES]))
    given = [key for key in _HOW if key in entry]
    if len(given) != 1:
        raise InputError(f"one of {', '.join(_HOW)} is needed, got {', '.join(given) or 'none'}", where=where, hint='as python: "mine.py:Mine"')
    for key, allowed in _TYPES.items():
        if key in entry and (not isinstance(entry[key], allowed) or (isinstance(entry[key], bool) and bool not in allowed)):
            raise InputError(f"{key} must be {_word(allowed[0])}, got {entry[key]!r}", where=where)
    how, value = given[0], entry[given[0]]
    if how == "command" and isinstance(value, (list, tuple)):
        spec = SystemSpec(name=name, kind="command", argv=tuple(str(part) for part in value), child=True)
    elif not isinstance(value, str) or not value.strip():
        raise InputError(f"{how} must be a text, got {value!r}", where=where)
    elif how == "command":
        spec = _command(name, value)
    else:
        spec = replace(_python(name, value) if how == "python" else parse_system(value), name=name)
    rest: dict[str, Any] = {key: _tuple(key, entry[key], where) for key in _TYPES if key in entry}
    if "erase_within" in rest:
        check_period(rest["erase_within"], where)
    rest["child"] = spec.kind == "command" or bool(entry.get("child", spec.child))
    return replace(spec, **rest)


def _tuple(key: str, value: Any, where: str) -> Any:
    if key == "surfaces":
        return tuple(asdict(surface) for surface in unique([Surface.of(line, where) for line in value], where))
    return tuple(map(str, value)) if key in ("env", "allow") else value


def _command(name: str, line: str) -> SystemSpec:
    try:
        argv = tuple(shlex.split(line))
    except ValueError as error:
        raise InputError(f"command {line!r}: {error}", hint="check the quotes") from None
    if not argv:
        raise InputError(f"system {name!r}: the command is empty", hint="write command: python my_memory.py")
    return SystemSpec(name=name, kind="command", argv=argv, child=True)


def _python(name: str, target: str) -> SystemSpec:
    module, colon, attribute = target.strip().rpartition(":")
    named = module.endswith(".py") or module.replace(".", "").isidentifier()
    if not (colon and named and attribute.replace(".", "").isidentifier()):
        raise InputError(f"{target!r} is not module:attr", hint="as mine.py:Mine, or package.module:Mine for one that is installed")
    return SystemSpec(name=name, kind="python", target=target.strip())


def _word(kind: type) -> str:
    return {Mapping: "a mapping", list: "a list", bool: "true or false", str: "a text"}.get(kind, "a number")
