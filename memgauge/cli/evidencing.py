"""`evidence` and `verify`: what an auditor can take away of a run, and whether it is still as it was made."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memgauge.cli.deciding import RunFolder
from memgauge.cli.folders import run_folder
from memgauge.cli.manifest import source
from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Suites, load_suites, project
from memgauge.clock import SystemClock
from memgauge.errors import InputError

if TYPE_CHECKING:
    from memgauge.records import CasePlan, Json
    from memgauge.reports.run import CaseLine, Run
    from memgauge.saboteurs.selftest import Catch

MAX_HISTORIES = 1 << 30
"""Bytes of unpacked histories that are read; a package that unpacks to more is refused."""

PRIVATE = "private, the texts are in no record"
BROKE = "broke"
ABSENT = "of a scenario that is not at hand, or was edited (--suite)"
BUMPED = "judged by another version of its evaluator"
OLDER = "made by another version of memgauge, so that hashes and signature alone vouch for it"
"""Why something is not judged or made again."""


def register(app: typer.Typer) -> None:
    app.command()(evidence)
    app.command()(verify)


def evidence(
    run: RunFolder = None,
    to: Annotated[Path, typer.Option("--to", "-o", help="File to write.")] = Path("evidence.zip"),
    key: Annotated[
        Path | None, typer.Option("--key", help="Private SSH key to sign with; without one the page says UNSIGNED.", show_default=False)
    ] = None,
    by: Annotated[str, typer.Option("--by", help="Who makes it, as it shall stand on the page.")] = "",
    no_selftest: Annotated[
        bool, typer.Option("--no-selftest", help="Plant no faults; the page then says that nothing shows the tests notice.")
    ] = False,
    suite: Suites = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Worker processes.")] = 2,
    as_json: JsonFlag = False,
) -> int:
    """Pack a run for an audit: what was tested and what not, versions, hashes, a selftest of the same classes. No message text."""
    from memgauge.reports import evidence as record
    from memgauge.reports import html, jsonl, package
    from memgauge.reports.folder import read_run

    if to.exists():
        raise InputError("exists already", where=str(to), hint="evidence is not written over; choose another name with -o")
    signer = package.signer(key)
    loaded = read_run(run_folder(run))
    rulings = _rulings(loaded)
    plans = _plans(loaded.cases, suite)
    selftest: Json = {"ran": False, "why": "it was left out with --no-selftest"} if no_selftest else _selftest(loaded, list(plans.values()), jobs)
    origin = {"at": f"{SystemClock().now():%Y-%m-%dT%H:%M:%SZ}", "by": by, "git": source()}
    document = record.document(loaded, selftest, origin)
    packed = gzip.compress("".join(f"{jsonl.dumps(line, exact=True)}\n" for line in record.histories(loaded)).encode(), mtime=0)
    files = {
        "evidence.json": (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode(),
        "page.html": html.page("evidence.html.j2", doc=document, signer=signer).encode(),
        "cases.jsonl": "".join(f"{jsonl.dumps(line)}\n" for line in record.case_lines(loaded)).encode(),
        "checks.jsonl": "".join(f"{jsonl.dumps(line)}\n" for line in record.check_lines(loaded)).encode(),
        "histories.jsonl.gz": packed,
        **({"rulings.json": (json.dumps(rulings, indent=1) + "\n").encode()} if rulings else {}),
    }
    root = package.write(to, files, key)
    output = Output(as_json)
    output.text(f"{to}: {signer}, root {root}")
    if selftest["ran"]:
        output.text(f"planted faults: {selftest['caught']} of {selftest['planted']} caught in the same classes")
    output.text("page.html in it can be printed; it supports an audit and is none")
    output.summary(file=str(to), root_sha256=root, signer=signer, exit_code=0)
    return 0


def verify(
    file: Annotated[Path, typer.Argument(help="The package.")],
    pubkey: Annotated[Path | None, typer.Option("--pubkey", help="Public key that must have signed it.", show_default=False)] = None,
    suite: Suites = None,
    as_json: JsonFlag = False,
) -> int:
    """Check every hash and the signature of a package, and judge its histories again. 1: it is not as it was made."""
    from memgauge.reports import package
    from memgauge.reports.counts import grouped

    output = Output(as_json)
    try:
        found = package.opened(file, pubkey)
        rescored, left, wrong = _rescored(found.files, found.signature, suite)
    except package.Tampered as error:
        output.text(f"CHANGED     {error}")
        output.summary(file=str(file), holds=False, why=str(error), exit_code=1)
        return 1
    output.text(f"HASHES      {len(found.files)} files hold, root {found.root}")
    output.text(
        f"SIGNATURE   {found.signature}" + ("" if pubkey or found.signature == "UNSIGNED" else ": intact, but no --pubkey says whose key that is")
    )
    output.text(f"RESCORED    {rescored} cases judged again")
    not_again = grouped(left, lambda one: one[1])
    for reason, names in not_again.items():
        output.text(f"NOT AGAIN   {len(names)} × {reason}: {names[0][0]}" + (", …" if len(names) > 1 else ""))
    for name in wrong[:10]:
        output.text(f"DIFFERS     {name}")
    vouched = pubkey is not None or OLDER not in not_again
    code = 1 if wrong else 4 if not rescored or not vouched else 0
    output.text("it is as it was made" if code == 0 else f"{len(wrong)} checks come out otherwise" if wrong else "not all of it could be made again")
    output.summary(file=str(file), holds=code == 0, root_sha256=found.root, signer=found.signature, rescored=rescored, not_rescored=len(left),
                   why_not={reason: len(names) for reason, names in not_again.items()}, differing=wrong, exit_code=code)  # fmt: skip
    return code


def _rulings(run: Run) -> Json:
    """What people ruled on sentences of the run's scenarios: scenario, fact, hash of the text, ruling. Raises InputError where these are
    not the rulings that the run was judged by."""
    from memgauge.cli.rulings import FILE, label_digests, read_labels

    folder, scenarios = project().folder, {case.scenario for case in run.cases}
    judged_by = {name: digest for name, digest in run.manifest.get("labels", {}).items() if name in scenarios}
    if {name: digest for name, digest in label_digests(folder).items() if name in scenarios} != judged_by:
        raise InputError(
            "the run was judged by other rulings", where=str(folder / FILE), hint=f"memgauge rescore {run.folder}, then evidence of that"
        )
    found: Json = {}
    for key, said in sorted(read_labels(folder / FILE).items()):
        if key.scenario in scenarios:
            found.setdefault(key.scenario, {}).setdefault(key.fact, {})[key.text] = said
    return found


def _plans(cases: Iterable[CaseLine], suites: Sequence[str] | None) -> dict[tuple[str, int], CasePlan]:
    """By scenario and seed, the plans of cases whose scenario is at hand and is still the same."""
    from memgauge.scenarios import compile_case

    found = project()
    known = {scenario.id: scenario for scenario in load_suites(tuple(suites or ()) or found.suites, found)}
    plans = {}
    for case in cases:
        if (case.scenario, case.seed) not in plans and case.scenario in known:
            plan = compile_case(known[case.scenario], case.seed)
            if plan.digest == case.digest:
                plans[case.scenario, case.seed] = plan
    return plans


def _selftest(run: Run, plans: Sequence[CasePlan], jobs: int) -> Json:
    """Faults of the classes of the run, planted in its first system, on the scenarios of the run."""
    from memgauge.evaluators import diagnose, judge
    from memgauge.runner import RunOptions
    from memgauge.saboteurs import SABOTEURS
    from memgauge.saboteurs.opener import open_system
    from memgauge.saboteurs.selftest import Bench, assess
    from memgauge.systems.spec import SystemSpec

    names = {part.name for part in fields(SystemSpec)}
    told = next((one for one in run.manifest.get("systems", ()) if not one.get("saboteur")), None)
    first = {plan.scenario: plan for plan in reversed(plans)}
    classes = {plan.class_ for plan in first.values()}
    faults = [one for _, one in SABOTEURS if not one.harmless and classes & set(one.classes)]
    if told is None or not faults:
        why = "no system without a planted fault" if told is None else "no scenario of the run is at hand, or no fault belongs to its classes"
        return {"ran": False, "why": why}
    spec = SystemSpec.from_json({name: value for name, value in told.items() if name in names})
    bench = Bench(judge=judge, diagnose=diagnose, open_system=open_system, options=RunOptions(jobs=jobs))
    catches = assess(spec, faults, list(first.values()), bench)[1:]
    owners = {one.name: [name for name in one.classes if name in classes] for one in faults}
    return {
        "ran": True,
        "system": spec.name,
        "planted": len(catches),
        "caught": sum(catch.caught and not catch.errors for catch in catches),
        "classes": list(_by_class(catches, owners)),
        "faults": [{"name": c.name, "caught": c.caught and not c.errors, "by": list(c.by), "errors": c.errors} for c in catches],
    }


def _by_class(catches: Sequence[Catch], owners: dict[str, list[str]]) -> Iterator[Json]:
    groups: dict[str, list[Catch]] = defaultdict(list)
    for catch in catches:
        for name in owners[catch.name]:
            groups[name].append(catch)
    for name, found in sorted(groups.items()):
        missed = [catch.name for catch in found if not catch.caught or catch.errors]
        yield {"class": name, "planted": len(found), "caught": len(found) - len(missed), "missed": missed}


def _rescored(files: Mapping[str, bytes], signer: str, suites: Sequence[str] | None) -> tuple[int, list[tuple[str, str]], list[str]]:
    """How many cases were judged again, which others were not and why, and the checks that come out otherwise. Raises Tampered."""
    from memgauge.checks import CHECKS
    from memgauge.cli.rulings import as_labels
    from memgauge.evaluators import judge
    from memgauge.protocol import Manifest
    from memgauge.reports import evidence as record
    from memgauge.reports import html, package
    from memgauge.reports.run import CaseLine, CheckLine
    from memgauge.reports.wordless import Vocabulary

    try:
        cases = {case.id: case for case in map(CaseLine.from_json, _lines(files["cases.jsonl"]))}
        checks = [CheckLine.from_json(line) for line in _lines(files["checks.jsonl"])]
        histories = {str(line["case"]): line for line in _lines(_unpacked(files["histories.jsonl.gz"]))}
        document = json.loads(files["evidence.json"])
        labels = as_labels(json.loads(files.get("rulings.json", b"{}")))
        ours = record.made_here(document)
        unlike = record.unlike(document, [check for check in checks if check.arm == "on"]) if ours else []
        page = html.page("evidence.html.j2", doc=document, signer=signer).encode() if ours else files["page.html"]
    except (KeyError, ValueError, TypeError, AttributeError, OSError, EOFError, zlib.error) as error:
        raise package.Tampered(f"the record cannot be read: {error}") from None
    if histories.keys() != cases.keys() or any(check.case_id not in cases for check in checks):
        raise package.Tampered("cases, checks and histories do not belong together")
    if unlike or page != files["page.html"]:
        raise package.Tampered(f"{', '.join(unlike) or 'page.html'} does not follow from the checks")
    plans, rescored, wrong = _plans(cases.values(), suites), 0, []
    left = [] if ours else [("page.html", OLDER), ("evidence.json", OLDER)]
    stored: dict[str, dict[str, CheckLine]] = defaultdict(dict)
    for check in checks:
        stored[check.case_id][check.name] = check
    for case in cases.values():
        history = histories[case.id]
        plan = plans.get((case.scenario, case.seed))
        if history["sealed"] or plan is None or case.outcome == "error":
            left.append((case.id, PRIVATE if history["sealed"] else BROKE if case.outcome == "error" else ABSENT))
            continue
        told = Manifest.from_json(history["manifest"])
        assembled: Literal["system", "harness"] = "harness" if case.assembled_by == "harness" else "system"
        try:
            judgement = judge(plan, Vocabulary(plan).put_back(history["entries"]), told, assembled, labels=labels)
        except (ValueError, TypeError) as error:
            raise package.Tampered(f"the history of {case.id} cannot be read: {error}") from None
        again = {verdict.check: (verdict.outcome, verdict.proof, verdict.lost_at) for verdict in judgement.verdicts}
        said = {name: (check.outcome, check.proof, check.lost_at) for name, check in stored[case.id].items()}
        bumped = {name for name, check in stored[case.id].items() if check.kind not in CHECKS or CHECKS[check.kind].version != check.evaluator}
        left += [(f"{case.id}::{name}", BUMPED) for name in sorted(bumped)]
        wrong += [
            f"{case.id}::{name}: {said.get(name)}, judged again {again.get(name)}"
            for name in sorted({*again, *said} - bumped)
            if again.get(name) != said.get(name)
        ]
        rescored += 1
    return rescored, left, wrong


def _lines(body: bytes) -> Iterator[Json]:
    return (json.loads(line) for line in body.decode().split("\n") if line)


def _unpacked(packed: bytes) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    body = reader.decompress(packed, MAX_HISTORIES)
    if reader.unconsumed_tail or not reader.eof or reader.unused_data:
        raise ValueError("the histories are too large or cut off")
    return body
