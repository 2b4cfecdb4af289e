"""What a system is made of, as one hash: when its source changes, results from before say nothing of it."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path

from memgauge.systems.load import BUILT_INS, ENTRY_POINTS
from memgauge.systems.spec import SystemSpec


def adapter_hash(spec: SystemSpec) -> str:
    """Of a Python system, the sources of its package, or of the folder of its file; of a command, the files it names and their
    neighbours of the same kind. Empty where nothing of that can be found. Nothing is imported."""
    digest, seen = hashlib.sha256(), False
    for path in sorted(set(_sources(spec))):
        digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        seen = True
    return digest.hexdigest()[:16] if seen else ""


def _sources(spec: SystemSpec) -> Iterator[Path]:
    if spec.kind == "command":
        for part in spec.argv:
            path = Path(spec.folder, part)
            if os.sep in part or shutil.which(part) is None:  # a program found by its name is not the system's own
                yield from _neighbours(path)
        return
    module = _target(spec).rpartition(":")[0]
    if module.endswith(".py"):
        yield from _neighbours(Path(module))
        return
    top = module.partition(".")[0]
    found = PathFinder.find_spec(top, [os.getcwd(), *sys.path]) if top else None
    if found is None or not found.origin:
        return
    origin = Path(found.origin)
    if origin.name == "__init__.py":
        for folder, _, names in os.walk(origin.parent, followlinks=True):
            yield from (Path(folder, name) for name in names if name.endswith(".py"))
    else:
        yield from _neighbours(origin)


def _target(spec: SystemSpec) -> str:
    if spec.kind == "python":
        return spec.target
    if spec.target in BUILT_INS:
        return BUILT_INS.get(spec.target)
    return next((point.value for point in entry_points(group=ENTRY_POINTS, name=spec.target)), "")


def _neighbours(file: Path) -> Iterator[Path]:
    if file.is_file():
        yield from (path for path in file.parent.glob(f"*{file.suffix}") if path.is_file()) if file.suffix else (file,)
