"""What a deletion left behind: what scans found of a fact in the places where the memory keeps data, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memgauge.checks import depth_of
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, passed, unscored
from memgauge.evaluators.witness import fact_name
from memgauge.records import Entry, Expectation, Outcome

Line = Mapping[str, Any]


@EVALUATORS.register("residue")
def residue(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """No examined surface holds the fact in any form or encoding, and every surface that held it before could be examined.

    Only a surface that held it before says anything: one that never did, like one that cannot be read, is named as not examined.
    """
    looked_for = {str(needle.get("fact")) for needle in _lines(entry, "needles")}
    if absent := [fact for fact in expectation.facts if fact not in looked_for]:
        return broken(f"the scan of step {entry.step} did not look for {', '.join(absent)}")
    places = _Places.of(case, expectation, entry)
    if not places.examined:
        return unscored(f"no surface was examined ({places.depth}){places.why()}")
    if places.hits:
        fact, needle, hit = places.hits[0]
        where = f"{places.alias(str(hit['surface']))} as {needle.get('form', 'text')} in {hit.get('encoding', 'raw')}"
        at = " and ".join(depth for depth, outcome in places.depths.items() if outcome == "fail")
        return places.marked(failed(f"{fact_name(case, fact)} is still in {where} at step {entry.step} (grade {at})", float(len(places.hits))))
    if places.lost:
        return places.marked(unscored(f"it was in {', '.join(map(places.alias, places.lost))} before{places.why()}"))
    if unseen := [fact for fact in expectation.facts if not any(fact in held for held in places.held.values())]:
        ref = expectation.proof.ref if expectation.proof and expectation.proof.kind == "bytes_seen" else "no scan before the deletion"
        return places.marked(unscored(f"no proof: {ref}" + (f" ({', '.join(unseen)} in no surface)" if places.held else "")))
    blank = [places.alias(name) for name in places.examined if name not in places.held]
    return places.marked(passed(0.0, f"no baseline: {', '.join(blank)}{places.why()}" if blank else places.why().removeprefix("; ")))


@dataclass(frozen=True, slots=True)
class _Places:
    """The surfaces of the depth that is asked for. A record's id counts only where no wording stood beside it: it may stay, for a vector without
    a text it is all there is. `now` and `before`: what the scans say of each by its name; `held`: the facts seen there
    before; `hits`: (fact, needle, hit) of those seen there now."""

    depth: str
    now: Mapping[str, Line]
    before: Mapping[str, Line]
    held: Mapping[str, frozenset[str]]
    hits: tuple[tuple[str, Line, Line], ...]

    @classmethod
    def of(cls, case: Case, expectation: Expectation, entry: Entry) -> _Places:
        depth, proof = depth_of(expectation.kind, expectation.params), expectation.proof
        earlier = case.entry(proof.ref) if proof and proof.kind == "bytes_seen" else None
        now, before = ({str(s.get("name")): s for s in _lines(scan, "surfaces") if depth in ("bytes", _depth(s))} for scan in (entry, earlier))
        seen: dict[str, set[str]] = {}
        for fact, _, hit in _hits(earlier, expectation):
            if (name := str(hit.get("surface"))) in before:
                seen.setdefault(name, set()).add(fact)
        worded = {str(hit.get("surface")) for _, needle, hit in _hits(earlier, expectation) if needle.get("form") != "id"}
        hits = tuple(
            (fact, needle, hit)
            for fact, needle, hit in _hits(entry, expectation)
            if now.get(name := str(hit.get("surface")), {}).get("examined") and (needle.get("form") != "id" or name not in worded)
        )
        return cls(depth, now, before, {name: frozenset(facts) for name, facts in seen.items()}, hits)

    @property
    def examined(self) -> list[str]:
        return [name for name, surface in self.now.items() if surface.get("examined")]

    @property
    def lost(self) -> list[str]:
        """Surfaces that held it and cannot be looked at now. One found by the harness itself, and no longer there, is a file that is gone."""
        return [n for n in self.held if (not self.now[n].get("examined") if n in self.now else self.before[n].get("named"))]

    @property
    def depths(self) -> dict[str, Outcome]:
        """What came of each depth. Where a surface that somebody named cannot be read, nothing is told of its depth but a find."""
        left, lost = {str(hit["surface"]) for _, _, hit in self.hits}, set(self.lost)
        found: dict[str, Outcome] = {}
        for depth in dict.fromkeys(map(_depth, (*self.now.values(), *self.before.values()))):
            names = {name for name, surface in {**self.before, **self.now}.items() if _depth(surface) == depth}
            unread = any(surface.get("named") and not surface.get("examined") for name, surface in self.now.items() if name in names)
            clean = names & set(self.held) and not names & lost and not unread
            found[depth] = "fail" if names & left else "pass" if clean else "unscored"
        return found

    def marked(self, ruling: Ruling) -> Ruling:
        return Ruling(ruling.outcome, ruling.why, ruling.value, self.depths)

    def alias(self, name: str) -> str:
        """A surface by its number and kind, since names may hold ids; by its name too where somebody gave it one."""
        surface = {**self.before, **self.now}[name]
        number = [*self.now, *(n for n in self.before if n not in self.now)].index(name) + 1
        return f"surface {number} ({name + ', ' if surface.get('named') else ''}{surface.get('kind')})"

    def why(self) -> str:
        """What was not examined, and why."""
        told = [f"{self.alias(n)}: {s['reason']}" if s.get("reason") else self.alias(n) for n, s in self.now.items() if not s.get("examined")]
        told += [f"{self.alias(name)}: it is not named any more" for name in self.lost if name not in self.now]
        return f"; not examined: {', '.join(told)}" if told else ""


def _depth(surface: Line) -> str:
    return str(surface.get("depth") or ("rows" if surface.get("kind") == "sql" else "bytes"))


def _hits(scan: Entry | None, expectation: Expectation) -> Iterator[tuple[str, Line, Line]]:
    for needle in _lines(scan, "needles"):
        if (fact := str(needle.get("fact"))) in expectation.facts:
            yield from ((fact, needle, hit) for hit in _dicts(needle.get("hits")))


def _lines(scan: Entry | None, part: str) -> list[Line]:
    return _dicts(scan.data.get(part)) if scan is not None else []


def _dicts(value: object) -> list[Line]:
    return [part for part in value if isinstance(part, Mapping)] if isinstance(value, list | tuple) else []
