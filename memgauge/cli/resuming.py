"""`run --resume` and `run --check-determinism`: the same run once more, as far as it is not done, or whole to be held against the first."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.cli.output import Output
from memgauge.errors import InputError, NothingSelected

if TYPE_CHECKING:
    from memgauge.cli.selection import Selection
    from memgauge.records import Arm
    from memgauge.reports.ended import EndedCase, Kept
    from memgauge.runner.run import Earlier
    from memgauge.systems.spec import SystemSpec

LAST = "last"
"""In place of a folder: the newest run below runs/ that has not been completed."""

AGAIN = "again"
"""Folder inside a run in which its second run lies, where no list of runs looks."""

NONDETERMINISTIC = 3
"""Exit code: two runs with the same inputs differ, so no number of either is to be trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A run to go on with: what its manifest says, its cases so far, and its selection made anew from the files as they are now."""

    folder: Path
    manifest: Mapping[str, Any]
    found: tuple[EndedCase, ...]
    chosen: Selection
    specs: list[SystemSpec]
    arms: tuple[Arm, ...]
    repeats: int

    @property
    def selection(self) -> Mapping[str, Any]:
        """The flags that are not in any other part of a manifest."""
        found: Mapping[str, Any] = self.manifest["selection"]
        return found


def unfinished(name: str, *, retry: bool) -> Unfinished:
    """The run to go on with. Raises InputError for one that is complete (with `retry`: and in which nothing broke), or that another
    command than `run` has made."""
    from memgauge.cli.selection import arms, choose, project, systems
    from memgauge.reports import ended
    from memgauge.reports.folder import read_manifest, read_run

    if name.startswith("-"):
        raise InputError(f"got {name!r}", where="--resume", hint=f"a run folder, or {LAST}")
    folder = _newest() if name == LAST else Path(name)
    manifest = read_manifest(folder)
    if "selection" not in manifest:
        raise InputError("this run cannot go on: `memgauge run` has not made it", where=str(folder), hint="make it again")
    found = ended.of_partial(folder) if manifest["status"] == "started" else ended.of_run(read_run(folder))
    if manifest["status"] == "complete" and not (retry and any(one.may_be_tried_again for one in found)):
        hint = "no case of it broke without a failure" if retry else "--retry-errors 1 beside it tries the cases again that broke"
        raise InputError("the run is complete", where=str(folder), hint=hint)
    selection = manifest["selection"]
    names, seed = list(manifest["scenarios"]), int(manifest["seed"])
    try:
        chosen = choose(ids=names, suites=selection["suites"], tags=None, classes=None, seed=seed, profile="full")
    except NothingSelected as error:
        raise InputError(str(error), where=str(folder), hint="the run had it: put it back, or begin a new run") from None
    specs = systems(selection["systems"], selection["settings"], project())
    return Unfinished(
        folder=folder, manifest=manifest, found=found, chosen=chosen, specs=specs, arms=arms(manifest["arms"]), repeats=int(manifest["repeats"])
    )


def earlier_of(kept: Kept, folder: Path) -> Earlier:
    """What came of the cases that stay; of a treatment its history too, from which its controls are made."""
    from memgauge.records import CaseId, Judgement
    from memgauge.reports.folder import history_of
    from memgauge.runner.case import CaseResult

    cases = {one.case.id: one.case for one in kept.cases}

    def earlier(case: CaseId) -> CaseResult | None:
        line = cases.get(str(case))
        if line is None:
            return None
        history = history_of(folder, line)[1] if line.arm == "on" else ()
        return CaseResult(history=history, judgement=Judgement(verdicts=()), error=line.error)

    return earlier


def first_difference(one: Path, other: Path) -> str:
    """Where two files of lines differ first: the number of the line and what both say there; empty where every byte is the same."""
    if one.read_bytes() == other.read_bytes():
        return ""
    pairs = itertools.zip_longest(one.read_text().splitlines(), other.read_text().splitlines(), fillvalue="no such line")
    number, (left, right) = next((number, pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
    at = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    start = max(0, at - 60)
    return f"{one.name}:{number}: first …{left[start : at + 60]}…, then …{right[start : at + 60]}…"


def same_twice(first: Path, second: Path, output: Output) -> bool:
    """Whether the checks of two runs are equal byte by byte; says which check differs and how, if they are not."""
    from memgauge.reports.folder import CHECKS, read_run

    different = first_difference(first / CHECKS, second / CHECKS)
    if not different:
        output.text(f"TWICE    every byte of {CHECKS} came out the same")
        return True
    pairs = itertools.zip_longest(read_run(first).checks, read_run(second).checks)
    named = next(((one or other) for one, other in pairs if one != other), None)
    output.text(f"TWICE    NONDETERMINISTIC: {named.id if named else CHECKS} came out otherwise the second time ({second})")
    output.text(f"         {different}")
    return False


def _newest() -> Path:
    from memgauge.cli.running import RUNS
    from memgauge.reports.folder import read_manifest

    folders = sorted((path.parent for path in Path(RUNS).glob("*/manifest.json")), reverse=True)
    for folder in folders:
        if read_manifest(folder)["status"] != "complete":
            return folder
    raise InputError("no run below runs/ was left unfinished", where=f"--resume {LAST}", hint="name its folder: --resume FOLDER")
