"""A baseline: what is accepted, in files made for review. Set by an explicit act with a reason; nothing else writes it.

    baselines/NAME.jsonl         a header, then one short line per check: id, outcome, passes of repeats, rounded value; where repeats
                                 ended differently, how each did, as a letter (`memgauge.reports.changes.LETTERS`)
    baselines/NAME.hashes.jsonl  a line of versions, then one line per scenario with its digest

An edited scenario changes one line of the second file, a changed behaviour one line of the first. Times are in neither.
"""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memgauge.errors import CannotDecide, InputError
from memgauge.records import OUTCOMES, Json
from memgauge.reports import jsonl, unsteady
from memgauge.reports.changes import Changes, Point, compare_points, letters, points, spelt
from memgauge.reports.cost import spread
from memgauge.reports.prompts import TOKENS_MEMORY, TOKENS_PROMPT
from memgauge.reports.run import Run

FOLDER = "baselines"
FORMAT = 1
DIFF_LINES = 40
"""A diff that is longer is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """`tokens` holds mean and p95 of prompt measures by `measure[system]`; `checks` the version of every check kind that was used;
    `labels` a hash of people's rulings by scenario."""

    name: str
    header: Mapping[str, Any]
    points: Mapping[str, Point]
    tokens: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, int] = field(default_factory=dict)
    tokenizer: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


def make(run: Run, name: str, reason: str, *, date: str, commit: str = "") -> Baseline:
    """The treatment arm of a complete run as a baseline. Raises InputError for a run that is not complete or in which cases broke."""
    treated = [check for check in run.checks if check.arm == "on"]
    if not reason.strip():
        raise InputError("a reason is needed", where="--reason", hint="say in a few words why this is the new normal; it is shown in review")
    if run.status != "complete" or len(run.cases) < run.manifest["planned"]:
        raise InputError(f"the run is {run.status} ({len(run.cases)} of {run.manifest['planned']} cases)", where=str(run.folder), hint="run it again")
    if broken := [case.id for case in run.cases if case.arm == "on" and case.outcome == "error"]:
        raise InputError(f"{len(broken)} cases broke, such as {broken[0]}", where=str(run.folder), hint=f"memgauge show {broken[0]}")
    if not treated:
        raise InputError("the run has no check with memory on", where=str(run.folder))
    header = {"baseline": name, "format": FORMAT, "run": run.folder.name, "date": date, "reason": reason.strip(), "commit": commit,
              "suite": run.manifest.get("suite", ""), "memgauge": run.manifest.get("memgauge", "")}  # fmt: skip
    return Baseline(
        name=name,
        header={key: value for key, value in header.items() if value != ""},
        points=points(treated),
        tokens=tokens(run),
        digests={case.scenario: case.digest for case in run.cases if case.arm == "on"},
        checks={check.kind: check.evaluator for check in treated},
        tokenizer=tokenizer(run),
        labels=labels(run),
    )


def labels(run: Run) -> dict[str, str]:
    """By scenario of the run that people have ruled on, a hash of their rulings."""
    known = {case.scenario for case in run.cases}
    return {scenario: str(digest) for scenario, digest in sorted((run.manifest.get("labels") or {}).items()) if scenario in known}


def tokens(run: Run, scenarios: Collection[str] | None = None) -> dict[str, dict[str, float]]:
    """Mean and p95 of the prompt measures of each system with memory on, by `measure[system]`; of these scenarios only, if given."""
    values: dict[str, list[float]] = {}
    for measure in run.measures:
        if measure.arm == "on" and measure.name in (TOKENS_PROMPT, TOKENS_MEMORY) and (scenarios is None or measure.scenario in scenarios):
            values.setdefault(f"{measure.name}[{measure.system}]", []).append(measure.value)
    spreads = {name: spread(found) for name, found in sorted(values.items())}
    return {name: {"mean": round(found.mean, 2), "p95": found.p95, "n": found.n} for name, found in spreads.items() if found is not None}


def tokenizer(run: Run) -> str:
    """Name and hash of the encoding the tokens were counted with."""
    told = run.manifest.get("tokenizer") or {}
    return ":".join(str(told[part]) for part in ("name", "sha256") if part in told) if isinstance(told, Mapping) else str(told)


def adopt(old: Baseline, new: Baseline, ids: Collection[str]) -> Baseline:
    """The old baseline with only these checks taken from the new one; hashes follow for their scenarios. Raises InputError."""
    if unknown := sorted(set(ids) - set(new.points)):
        raise InputError(f"no check {unknown[0]!r} in the run", where="--only", hint="ids as the gate prints them")
    taken = {name: new.points[name] for name in ids}
    scenarios = {scenario_of(name) for name in ids}
    digests = {name: digest for name, digest in new.digests.items() if name in scenarios}
    ruled = {name: digest for name, digest in old.labels.items() if name not in scenarios}
    ruled |= {name: digest for name, digest in new.labels.items() if name in scenarios}
    return replace(
        old, header=new.header, points=dict(sorted({**old.points, **taken}.items())), digests=dict(sorted({**old.digests, **digests}.items())),
        labels=dict(sorted(ruled.items())),
    )  # fmt: skip


def migrate(old: Baseline, rescored: Baseline) -> Baseline:
    """The old baseline after an upgrade: checks whose evaluator has a new version are taken from the stored run judged again, the
    rest stays as it was, line for line; scenarios that the baseline does not know stay out."""
    bumped = {kind for kind, version in rescored.checks.items() if old.checks.get(kind, version) != version}
    taken = {name: point for name, point in rescored.points.items() if name in old.points and point.kind in bumped}
    checks = {kind: rescored.checks.get(kind, version) for kind, version in old.checks.items()}
    return replace(old, points={**old.points, **taken}, checks=checks, header={**old.header, "memgauge": rescored.header.get("memgauge", "")})


def write(baseline: Baseline, folder: Path) -> Path:
    """Write both files below `folder` and return the first. Equal baselines give equal bytes."""
    path = folder / f"{baseline.name}.jsonl"
    lines: list[Json] = [dict(baseline.header), *({"tokens": name, **values} for name, values in sorted(baseline.tokens.items()))]
    lines += [_line(point) for _, point in sorted(baseline.points.items())]
    versions = {"checks": dict(sorted(baseline.checks.items())), "tokenizer": baseline.tokenizer}
    versions |= {"labels": dict(baseline.labels)} if baseline.labels else {}
    jsonl.write_lines(hashes_path(path), [versions, *({"scenario": name, "digest": digest} for name, digest in sorted(baseline.digests.items()))])
    jsonl.write_lines(path, lines)
    return path


def hashes_path(path: Path) -> Path:
    """The second file of a baseline."""
    return path.with_name(f"{path.stem}.hashes.jsonl")


def read(reference: str, folder: Path) -> Baseline:
    """A baseline by name, by path, or as `git:REF` or `git:REF:NAME` (name main), which reads the file as it is in that commit, so
    that a change cannot bless itself. Raises CannotDecide when there is none, InputError when it is broken."""
    if reference.startswith("git:"):
        ref, _, name = reference.removeprefix("git:").partition(":")
        path = folder / f"{name or 'main'}.jsonl"
        return _parse(_git(ref, path), _git(ref, hashes_path(path)), reference)
    path = Path(reference) if reference.endswith(".jsonl") else folder / f"{reference}.jsonl"
    if not path.is_file():
        raise CannotDecide(f"there is no baseline {reference!r} ({path})", hint="memgauge baseline set NAME --reason TEXT, and commit the files")
    return _parse(_text(path), _text(hashes_path(path)), str(path))


def difference(baseline: Baseline, run: Run) -> Changes:
    """What the treatment arm of a run changes, check by check. A check whose scenario was edited or ruled on otherwise, or whose
    evaluator has another version, is not comparable, and the note says which."""
    treated = [check for check in run.checks if check.arm == "on"]
    edited = {case.scenario for case in run.cases if baseline.digests.get(case.scenario, case.digest) != case.digest}
    bumped = {check.kind: check.evaluator for check in treated if baseline.checks.get(check.kind, check.evaluator) != check.evaluator}
    now = labels(run)
    ruled = {name for name in {*now, *baseline.labels} if now.get(name) != baseline.labels.get(name)}
    after = points(treated)
    apart = frozenset(name for name, point in after.items() if scenario_of(name) in edited | ruled or point.kind in bumped)
    notes = [f"scenario edited: {name}" for name in sorted(edited)]
    notes += [f"rulings in labels.yaml are others: {name}" for name in sorted(ruled & {case.scenario for case in run.cases})]
    notes += [
        f"evaluator {kind} has version {version}, the baseline {baseline.checks[kind]}: memgauge baseline migrate"
        for kind, version in sorted(bumped.items())
    ]
    if baseline.tokenizer and baseline.tokenizer != tokenizer(run):
        notes.append(f"tokens were counted with {baseline.tokenizer}, now with {tokenizer(run)}: token numbers are not comparable")
    changes = replace(compare_points(baseline.points, after, baseline=baseline.name, not_comparable=apart), notes=tuple(notes))
    return unsteady.settled(changes, baseline.points, after, unsteady.systems(run))


def scenario_of(point: str) -> str:
    """The scenario in a check id."""
    return unsteady.place(point)[0]


def diff_markdown(changes: Changes) -> str:
    """At most `DIFF_LINES` lines: what regressed, is missing, fixed, new, then counts."""
    lines = [f"**{changes.words}** since baseline {changes.baseline}, {changes.unchanged} unchanged", *(f"- {note}" for note in changes.notes[:8])]
    groups = (("regressed", changes.regressed), ("missing", changes.missing), ("not comparable", changes.not_comparable),
              ("fixed", changes.fixed), ("new", changes.new))  # fmt: skip
    named = [f"- {word}: `{name}`" for word, names in groups for name in names]
    room = DIFF_LINES - len(lines)
    return "\n".join([*lines, *(named if len(named) <= room else [*named[: room - 1], f"- {len(named) - room + 1} more"])]) + "\n"


def _line(point: Point) -> Json:
    line: Json = {"id": point.id, "kind": point.kind, "outcome": point.outcome, "k": point.passed, "n": point.repeats}
    line |= {} if point.steady else {"each": letters(point.outcomes)}
    return line if point.value is None else line | {"value": point.value}


def _parse(text: Iterable[Json], hashes: Iterable[Json], where: str) -> Baseline:
    header, *lines = text
    versions, *scenarios = hashes
    if header.get("format") != FORMAT:
        raise InputError(
            f"format {header.get('format')!r}, this version reads {FORMAT}", where=where, hint="memgauge baseline set NAME --reason TEXT"
        )
    try:
        found = [_point(line) for line in lines if "tokens" not in line]
        return Baseline(
            name=header["baseline"],
            header=header,
            points={point.id: point for point in found},
            tokens={line["tokens"]: {part: line[part] for part in ("mean", "p95", "n")} for line in lines if "tokens" in line},
            digests={line["scenario"]: line["digest"] for line in scenarios},
            checks=dict(versions["checks"]),
            tokenizer=str(versions.get("tokenizer", "")),
            labels=dict(versions.get("labels", {})),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not a baseline: {error}", where=where, hint="memgauge baseline set NAME --reason TEXT") from None


def _point(line: Mapping[str, Any]) -> Point:
    if line["outcome"] not in OUTCOMES:
        raise ValueError(f"outcome {line['outcome']!r}")
    passed, repeats = int(line["k"]), int(line["n"])
    ended = spelt(line["each"]) if "each" in line else (*(line["outcome"],) * (repeats - passed), *("pass",) * passed)
    if (ended.count("pass"), len(ended)) != (passed, repeats) or not ended:
        raise ValueError(f"{line['id']}: {passed} of {repeats} does not fit {line.get('each', line['outcome'])!r}")
    return Point(id=line["id"], kind=line["kind"], outcomes=ended, value=line.get("value"))


def _text(path: Path) -> list[Json]:
    lines = list(jsonl.read_lines(path))
    if not lines:
        raise InputError("the file is empty", where=str(path))
    return lines


def _git(ref: str, path: Path) -> list[Json]:
    place = path.as_posix() if path.is_absolute() else f"./{path.as_posix()}"
    done = subprocess.run(["git", "show", "--end-of-options", f"{ref}:{place}"], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise CannotDecide(
            f"git has no {path} at {ref!r}: {said[0] if said else 'no answer'}", hint="commit the baseline there, or fetch that branch"
        )
    return [jsonl.parse_object(line, f"git:{ref}:{path}:{number}") for number, line in enumerate(done.stdout.splitlines(), start=1) if line.strip()]
