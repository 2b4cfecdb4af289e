"""Files and folders to scenarios, with every fault of every file at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from memgauge.errors import InputError, InputErrors, NothingSelected
from memgauge.scenarios.cases import rows_of
from memgauge.scenarios.compile import compile_case
from memgauge.scenarios.model import ScenarioSpec, ShortSpec
from memgauge.scenarios.recognise import check_facts
from memgauge.scenarios.references import check_references
from memgauge.scenarios.scenario import Scenario
from memgauge.scenarios.short import expand_short
from memgauge.strict_yaml import Document, validate
from memgauge.strict_yaml import load as load_yaml

SUFFIXES = (".yaml", ".yml")


def load(paths: Iterable[str | Path]) -> list[Scenario]:
    """All scenarios of the files and folders, sorted by id.

    Raises InputErrors with a line `file:line:column: …` for every fault, NothingSelected when there is no scenario file.
    """
    scenarios: list[Scenario] = []
    faults: list[InputError] = []
    for file in _files(paths):
        try:
            scenarios += load_file(file)
        except InputErrors as errors:
            faults += errors.errors
        except InputError as error:
            faults.append(error)
    faults += _twice(scenarios)
    if faults:
        raise InputErrors(faults)
    return sorted(scenarios, key=lambda scenario: scenario.id)


def load_file(file: Path) -> list[Scenario]:
    """The scenario of a file, or one for each row of its table. Raises InputError or InputErrors."""
    return read(load_yaml(file))


def read(document: Document) -> list[Scenario]:
    """The scenarios of a parsed file."""
    if not isinstance(document.data, dict):
        raise document.error((), "a scenario file is a mapping", hint="start with `id: class/name`")
    return [_scenario(row) for row in rows_of(document)]


def _scenario(document: Document) -> Scenario:
    if "say" in document.data and not {"steps", "facts"} & document.data.keys():
        short = validate(document, ShortSpec)
        body = Document(expand_short(short, document), document.source, document.marks)
    else:
        body = document
    scenario = Scenario(validate(body, ScenarioSpec), body)
    _refuse(check_references(scenario))
    plan = compile_case(scenario, 0)
    if not plan.expectations:
        raise scenario.error(("steps",), "nothing is checked", hint="add an ask with needs or absent, or expect to a step")
    _refuse(check_facts(scenario, plan))
    return scenario


def _refuse(faults: Iterator[InputError]) -> None:
    found = list(faults)
    if found:
        raise InputErrors(found)


def _files(paths: Iterable[str | Path]) -> list[Path]:
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
            if not inside:
                raise NothingSelected(f"{path}: no scenario file", hint="scenario files end in .yaml or .yml")
        else:
            inside = [path]
        found |= {os.path.realpath(p): p for p in inside}
    if not found:
        raise NothingSelected("no scenario file is named", hint="name files or folders")
    return list(found.values())


def _twice(scenarios: Iterable[Scenario]) -> Iterator[InputError]:
    first: dict[str, Scenario] = {}
    for scenario in scenarios:
        if scenario.id in first:
            yield scenario.error(
                ("id",), f"{scenario.id!r} is also the id of {first[scenario.id].document.where(('id',))}", hint="ids are unique in a load"
            )
        first.setdefault(scenario.id, scenario)
