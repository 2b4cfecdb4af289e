"""What an auditor can take away of a run: what was tested and what was not, how deep, with which versions, and whether the tests notice
planted faults. No text of any message is in it.
"""

from __future__ import annotations

import platform
import re
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any

from memgauge import __version__
from memgauge.checks import CHECKS
from memgauge.clock import DEFAULT_START
from memgauge.records import Entry, Json
from memgauge.reports.counts import Counts, grouped
from memgauge.reports.folder import read_history
from memgauge.reports.run import CheckLine, Run
from memgauge.reports.safety import PROMISES, TOPICS, topics
from memgauge.reports.summary import summarise
from memgauge.reports.wordless import Vocabulary
from memgauge.surfaces import DEPTHS

FORMAT = 1
_HASH = re.compile(r"[0-9a-f]{32,}")

HEADING = (
    "Supports an audit. It shows behaviour on synthetic users of a test store, and says nothing of backups, logs or processors that are not listed."
)

_OF_RUN = ("suite", "seed", "repeats", "status", "planned", "ran", "git", "resumed", "retried", "labels")
_OF_TOPICS = frozenset(kind for kinds in TOPICS.values() for kind in kinds)

CONTROLS = (
    ("deletion", ("deletion",), ("deleted", "residue"), "GDPR 17; AISVS C8"),
    ("access by the person concerned", ("transfer", "decisions"), (), "GDPR 15"),
    ("consent", ("access",), ("not_permitted", "allowed", "never_stored"), "GDPR 7"),
    ("isolation", ("leak",), ("leak", "off_branch", "client_history"), "GDPR 25, 32; AISVS C8"),
    ("retention", ("time", "retention"), ("expired",), "GDPR 5(1)(e)"),
)
"""Control, scenario classes, check kinds (empty: all kinds of those classes), and the articles it bears on. A map for orientation, no
legal advice: the articles ask for more than any test of behaviour shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One row of the control map."""

    name: str
    articles: str
    counts: Counts
    scenarios: int

    @property
    def state(self) -> str:
        if not self.counts.scored:
            return "NOT TESTED"
        return "failed" if self.counts.failed else "held where it was scored"

    def to_json(self) -> Json:
        return {"control": self.name, "articles": self.articles, "state": self.state, "scenarios": self.scenarios, "checks": self.counts.to_json()}


def document(run: Run, selftest: Json, origin: Mapping[str, Any]) -> Json:
    """The record of the package. `selftest` is what planted faults gave in the same sitting; `origin` says who made it, when, from which commit."""
    treated = [check for check in run.checks if check.arm == "on"]
    decision = summarise(run).decision
    return {
        "format": FORMAT,
        "heading": HEADING,
        "origin": {**origin, "memgauge": __version__},
        "run": {name: run.manifest.get(name) for name in _OF_RUN}
        | {
            "sealed": sum(case.content == "private" for case in run.cases),
            "folder": run.folder.name,
            "exit_code": decision.exit_code,
            "clock": f"set by the harness, from {DEFAULT_START}",
        },
        "outcomes": Counts.of(treated).to_json(),
        "claims": claims(treated),
        "controls": [control.to_json() for control in controls(treated)],
        "surfaces": surfaces(run),
        "selftest": selftest,
        "versions": _versions(run, treated),
        "scenarios": {case.scenario: case.digest for case in run.cases},
    }


def claims(treated: Sequence[CheckLine]) -> Json:
    """By system: topics and other checks with a score, and how deep was looked; and, as plainly, what this run says nothing of."""
    tested, untested = [], []
    for system, checks in grouped(treated, lambda check: check.system).items():
        found = {topic.name: topic for topic in topics(checks)}
        for name in TOPICS:
            topic = found.get(name)
            if topic is None or not topic.counts.scored:
                untested.append({"system": system, "claim": name, "why": _why(checks, TOPICS[name])})
                continue
            tested.append({"system": system, "claim": name, "promise": name in PROMISES, **topic.to_json()})
            if name == "deletion":
                looked = {grade for grade, counts in topic.grades if counts.scored}
                untested += [{"system": system, "claim": f"deletion, {g}", "why": "not examined"} for g in DEPTHS if g not in looked]
        for name, kind in CHECKS.items():
            lines = [check for check in checks if check.kind == name]
            counts = Counts.of(lines)
            if counts.scored and name not in _OF_TOPICS:
                tested.append({"system": system, "claim": kind.doc, "promise": False, **counts.to_json(), "not_proven": 0})
            elif not counts.scored:
                why = _why(lines, (name,)) if lines else f"no {name} check in this run"
                untested.append({"system": system, "claim": kind.doc, "why": why})
    return {"tested": tested, "not_tested": untested}


def _why(checks: Sequence[CheckLine], kinds: Sequence[str]) -> str:
    reasons = sorted({check.outcome.replace("_", " ") for check in checks if check.kind in kinds})
    return ", ".join(reasons) or "no check of this run asks for it"


def controls(treated: Sequence[CheckLine]) -> list[Control]:
    """The control map over the treatment arm of all systems."""
    rows = []
    for name, classes, kinds, articles in CONTROLS:
        chosen = [check for check in treated if check.kind in kinds or (not kinds and check.class_ in classes)]
        rows.append(Control(name=name, articles=articles, counts=Counts.of(chosen), scenarios=len({check.scenario for check in chosen})))
    return rows


def surfaces(run: Run) -> Json:
    """What scans looked into, by name and kind, and per scanned fact whether it was erased, left behind, or never shown to be there."""
    seen: dict[tuple[str, str], list[bool]] = {}
    for case in run.cases:
        if case.arm == "on":
            for name, kind, examined in _scanned(read_history(run, case)[1]):
                seen.setdefault((name, kind), []).append(examined)
    residue = [check for check in run.checks if check.arm == "on" and check.kind == "residue"]
    verdicts = {"erased": 0, "residual": 0, "no baseline": 0}
    for check in residue:
        verdicts["erased" if check.outcome == "pass" else "residual" if check.outcome == "fail" else "no baseline"] += 1
    looked = [{"surface": name, "kind": kind, "scans": len(found), "examined": sum(found)} for (name, kind), found in sorted(seen.items())]
    return {"looked_into": looked, "verdicts": verdicts, "baselines_held": sum(check.proof == "held" for check in residue)}


def _scanned(history: Sequence[Entry]) -> Iterator[tuple[str, str, bool]]:
    for entry in history:
        if entry.type == "scan":
            for surface in entry.data.get("surfaces", ()):
                yield _HASH.sub("*", str(surface.get("name", ""))), str(surface.get("kind", "")), bool(surface.get("examined"))


def _versions(run: Run, treated: Sequence[CheckLine]) -> Json:
    told = {case.system: case.manifest for case in run.cases if case.arm == "on" and case.manifest}
    systems = [
        {name: spec.get(name) for name in ("name", "kind", "target", "saboteur", "builtin", "config_hash", "adapter")}
        | {part: told.get(str(spec.get("name")), {}).get(part) for part in ("versions", "determinism", "clock", "durable", "erase_within")}
        for spec in run.manifest.get("systems", ())
    ]
    packages = {dist.metadata["Name"]: dist.version for dist in metadata.distributions() if dist.metadata["Name"]}
    return {
        "run": {name: run.manifest.get(name) for name in ("memgauge", "python", "platform", "packages", "tokenizer")},
        "here": {"python": sys.version.split()[0], "platform": platform.platform(), "sqlite": sqlite3.sqlite_version},
        "packages": dict(sorted(packages.items(), key=lambda found: found[0].lower())),
        "evaluators": {check.kind: check.evaluator for check in sorted(treated, key=lambda check: check.kind)},
        "systems": systems,
    }


def case_lines(run: Run) -> list[Json]:
    """The cases without title and without the words of an error."""
    return [replace(case, title="", error=case.error.split(":", 1)[0][:60], manifest={}).to_json() for case in run.cases]


def check_lines(run: Run) -> list[Json]:
    """The checks without witness and reason, which may quote."""
    return [replace(check, witness="", reason="").to_json() for check in run.checks]


def histories(run: Run) -> Iterator[Json]:
    """One line a case: its id, and what happened without the words of the scenario. Private cases are sealed already."""
    for case in run.cases:
        plan, entries = read_history(run, case)
        sealed = case.content == "private"
        lines = [entry.to_json() for entry in entries] if sealed else Vocabulary(plan).take_out(entries)
        yield {"case": case.id, "sealed": sealed, "manifest": dict(case.manifest), "entries": lines}


def made_here(document: Mapping[str, Any]) -> bool:
    """Whether this version of memgauge made the record: only then must it come out the same to the last byte."""
    return bool(document["origin"]["memgauge"] == __version__)


def unlike(document: Mapping[str, Any], treated: Sequence[CheckLine]) -> list[str]:
    """The parts of a record that do not follow from the checks beside it."""
    made = {
        "outcomes": Counts.of(treated).to_json(),
        "tested": claims(treated)["tested"],
        "controls": [control.to_json() for control in controls(treated)],
    }
    told = {"outcomes": document["outcomes"], "tested": document["claims"]["tested"], "controls": document["controls"]}
    return [name for name, value in made.items() if value != told[name]]
