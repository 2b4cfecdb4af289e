"""From a SystemSpec to a system one can call. Built-ins are named by import path, so that listing them imports none of them."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from memgauge.errors import InputError, nearest
from memgauge.protocol import MemorySystem
from memgauge.registry import Registry
from memgauge.systems.faults import describe
from memgauge.systems.process import ProcessSystem, child_argv
from memgauge.systems.simple import SimpleSystem, looks_simple
from memgauge.systems.spec import SystemSpec

ENTRY_POINTS = "memgauge.systems"
"""Entry point group through which an installed package offers a system by name."""

BUILT_INS: Registry[str] = Registry("system")
BUILT_INS.add("reference", "memgauge.systems.reference:ReferenceSystem")
BUILT_INS.add("off", "memgauge.systems.off:Off")
BUILT_INS.add("transcript", "memgauge.systems.transcript:Transcript")
BUILT_INS.add("embed-all", "memgauge.systems.embed_all:EmbedAll")

Opener = Callable[[SystemSpec], MemorySystem]


def open_system(spec: SystemSpec) -> MemorySystem:
    """The system of a spec, not yet opened on a folder. Raises InputError when there is none such.

    A spec with a saboteur is refused here: `memgauge.saboteurs` has an opener of its own that wraps this one.
    """
    if spec.saboteur:
        raise InputError(f"system {spec.name!r}: this opener knows no saboteurs")
    if spec.kind == "command":
        return ProcessSystem(spec.argv, env=spec.env, folder=spec.folder, timeout_s=spec.timeout_s)
    if spec.child:
        return ProcessSystem(child_argv(spec), env=spec.env, folder=spec.folder, timeout_s=spec.timeout_s)
    return as_system(import_attribute(_path_of(spec), spec.name), spec.name)


def names() -> list[str]:
    """Every name that `open_system` knows: built-ins and entry points."""
    return sorted({*BUILT_INS.names(), *(point.name for point in entry_points(group=ENTRY_POINTS))})


def as_system(found: Any, name: str) -> MemorySystem:
    """A class, factory or object as a system: with `call` as it is, with write or search through `SimpleSystem`. Raises InputError."""
    if isinstance(found, type) or (callable(found) and not hasattr(found, "call") and not looks_simple(found)):
        try:
            found = found()
        except Exception as error:  # the user's own code: whatever it raises is told in one line
            raise InputError(f"system {name!r} cannot be made without arguments: {describe(error)}") from error
    if callable(getattr(found, "call", None)):
        return cast(MemorySystem, found)
    if looks_simple(found):
        return SimpleSystem(found, name=name)
    raise InputError(
        f"system {name!r}: a {type(found).__name__} has neither call(request) nor write and search",
        hint="memgauge system new mine --like python writes a file to start from",
    )


def import_attribute(path: str, name: str) -> Any:
    """The object at `module:attr` or `path/to/file.py:attr`. The folder one works in counts as a place to import from.

    Raises InputError when there is no such file, module or attribute, or when the module needs one that is not installed.
    """
    module_name, _, attribute = path.rpartition(":")
    if module_name.endswith(".py"):
        file = Path(module_name)
        if not file.is_file():
            raise InputError(f"system {name!r}: there is no file {module_name}")
        sys.path.insert(0, str(file.parent.resolve()))
        module_name = file.stem
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise InputError(f"system {name!r}: {module_name} needs a module that is not installed: {error.name}") from error
        where = f"run it from the folder that holds {module_name.split('.')[0]}.py"
        raise InputError(f"system {name!r}: there is no module {module_name}", hint=where) from None
    except Exception as error:  # a module may raise anything while it is imported
        raise InputError(f"system {name!r}: importing {module_name} raised {describe(error)}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            public = [known for known in vars(found) if not known.startswith("_")]
            raise InputError(f"system {name!r}: {module_name} has no {attribute}", hint=nearest(part, public))
        found = getattr(found, part)
    return found


def _path_of(spec: SystemSpec) -> str:
    if spec.kind == "python":
        return spec.target
    if spec.target in BUILT_INS:
        return BUILT_INS.get(spec.target)
    for point in entry_points(group=ENTRY_POINTS, name=spec.target):
        return point.value
    raise InputError(f"unknown system {spec.target!r}", hint=nearest(spec.target, names()))
