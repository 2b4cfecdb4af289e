"""Bytes left behind: what a scan of the system's files found of a fact that is to be gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, passed, unscored
from memgauge.evaluators.witness import fact_name
from memgauge.records import Entry, Expectation


@EVALUATORS.register("residue")
def residue(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """No examined surface holds the fact in any form or encoding. A surface that never held it is named: there was no baseline."""
    grade = str(expectation.params.get("grade", "bytes"))
    surfaces = [s for s in _dicts(entry.data.get("surfaces")) if s.get("examined") and (grade == "bytes" or s.get("kind") == "sql")]
    if not surfaces:
        return unscored(f"no surface was examined ({grade})")
    looked_for = {str(needle.get("fact")) for needle in _dicts(entry.data.get("needles"))}
    if absent := [fact for fact in expectation.facts if fact not in looked_for]:
        return broken(f"the scan of step {entry.step} did not look for {', '.join(absent)}")
    aliases = {str(surface.get("name")): f"surface {n} ({surface.get('kind')})" for n, surface in enumerate(surfaces, 1)}
    hits = [(fact, needle, hit) for fact in expectation.facts for needle, hit in _hits(entry, fact) if str(hit.get("surface")) in aliases]
    if hits:
        fact, needle, hit = hits[0]
        where = f"{aliases[str(hit.get('surface'))]} as {needle.get('form', 'text')} in {hit.get('encoding', 'raw')}"
        return failed(f"{fact_name(case, fact)} is still in {where} at step {entry.step} (grade {grade})", float(len(hits)))
    blank = [alias for name, alias in aliases.items() if not _held_before(case, expectation, name)]
    unread = [str(s.get("kind")) for s in _dicts(entry.data.get("surfaces")) if not s.get("examined")]
    notes = [f"no baseline: {', '.join(blank)}"] * bool(blank) + [f"not examined: {', '.join(unread)}"] * bool(unread)
    return passed(0.0, "; ".join(notes))


def _held_before(case: Case, expectation: Expectation, surface: str) -> bool:
    earlier = case.entry(expectation.proof.ref) if expectation.proof and expectation.proof.kind == "bytes_seen" else None
    return earlier is not None and any(str(hit.get("surface")) == surface for fact in expectation.facts for _, hit in _hits(earlier, fact))


def _hits(scan: Entry, fact: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for needle in _dicts(scan.data.get("needles")):
        if needle.get("fact") == fact:
            for hit in _dicts(needle.get("hits")):
                yield needle, hit


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [part for part in value if isinstance(part, Mapping)] if isinstance(value, list | tuple) else []
