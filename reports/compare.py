"""Memories or policies side by side, on the same scenarios. Says what differs in how they were run before it says who did better.

Only checks that are scored on both sides are compared; each side's own counts stand beside them. The unit is the scenario. There is
no overall rank: a memory that wins here may lose on the scenarios that matter to somebody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memgauge.errors import CannotDecide, InputError, nearest
from memgauge.records import Json
from memgauge.reports.arms import HEADLINE, paired
from memgauge.reports.baseline import labels
from memgauge.reports.counts import Counts, grouped, many
from memgauge.reports.prompts import TOKENS_MEMORY
from memgauge.reports.run import CheckLine, Run
from memgauge.reports.stats import Difference, holm, mcnemar, wilson

BUDGETS = (250, 500, 1000, 2000)
"""Tokens of memory at which success is read off: k short facts and k whole turns are not the same size."""

FLIPS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One system of one run, memory on."""

    label: str
    run: Run
    system: str

    @property
    def checks(self) -> list[CheckLine]:
        return [check for check in self.run.checks if check.arm == "on" and check.system == self.system]

    def card(self) -> Json:
        """What a reader must know before comparing: how it was set up and counted."""
        told: Mapping[str, Any] = next(
            (case.manifest for case in self.run.cases if case.system == self.system and case.arm == "on" and case.manifest), {}
        )
        spec: Mapping[str, Any] = next((one for one in self.run.manifest.get("systems", ()) if one.get("name") == self.system), {})
        assembled = sorted({case.assembled_by for case in self.run.cases if case.system == self.system and case.arm == "on"})
        card: Json = {name: self.run.manifest.get(name, "") for name in ("suite", "seed", "repeats", "memgauge", "tokenizer")}
        card |= {name: told.get(name, "") for name in ("versions", "writes", "reads_see_writes", "clock", "determinism")}
        return card | {
            "configuration": spec.get("config_hash", ""),
            "adapter": "built in" if spec.get("builtin") else "the user's",
            "prompt assembled by": "/".join(assembled),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPair:
    """One class: each side's own counts, and both sides over the checks scored on both."""

    class_: str
    own: tuple[Counts, Counts]
    common: tuple[Counts, Counts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The challenger against the champion. `headline` is sufficiency, challenger minus champion; `p` is exact, over scenarios that
    differ, and corrected for the number of challengers."""

    champion: str
    challenger: str
    differing: tuple[tuple[str, str, str], ...]
    headline: Difference | None
    p: float
    classes: tuple[ClassPair, ...]
    better: tuple[str, ...]
    worse: tuple[str, ...]
    at_tokens: tuple[tuple[int, Counts, Counts], ...]

    def to_json(self) -> Json:
        document: Json = {
            "champion": self.champion,
            "challenger": self.challenger,
            "set_up_differently": [{"what": what, "champion": one, "challenger": other} for what, one, other in self.differing],
            "p": self.p,
            "classes": [
                {"class": row.class_, "own": [c.to_json() for c in row.own], "common": [c.to_json() for c in row.common]} for row in self.classes
            ],
            "better": list(self.better),
            "worse": list(self.worse),
            "sufficient_at_tokens": [
                {"tokens": tokens, "champion": one.to_json(), "challenger": other.to_json()} for tokens, one, other in self.at_tokens
            ],
        }
        return document if self.headline is None else document | {"sufficient": self.headline.to_json()}


def side(run: Run, system: str = "") -> Side:
    """A side of a run; the system may be left out where there is one. Raises InputError."""
    names = list(dict.fromkeys(case.system for case in run.cases))
    if system and system not in names:
        raise InputError(f"no system {system!r} in {run.folder}", hint=nearest(system, names))
    if not system and len(names) != 1:
        raise InputError(f"{run.folder} has {many(len(names), 'system')}", hint=f"say which: {', '.join(names)}")
    return Side(label=f"{system or names[0]} ({run.folder.name})", run=run, system=system or names[0])


def compare(sides: Sequence[Side]) -> tuple[Comparison, ...]:
    """Each later side against the first. Raises InputError for fewer than two, CannotDecide where two share no scored check."""
    if len(sides) < 2:
        raise InputError("two sides are needed to compare", hint="memgauge compare RUN RUN, or a run of two systems")
    champion, *others = sides
    found = [_pair(champion, other) for other in others]
    return tuple(replace(one, p=p) for one, p in zip(found, holm([one.p for one in found]), strict=True))


def _pair(champion: Side, challenger: Side) -> Comparison:
    digests = [{case.scenario: case.digest for case in one.run.cases} for one in (champion, challenger)]
    rulings = [labels(one.run) for one in (champion, challenger)]
    ruled = {name for name in rulings[0].keys() | rulings[1].keys() if rulings[0].get(name) != rulings[1].get(name)}
    same = {scenario for scenario, digest in digests[0].items() if digests[1].get(scenario) == digest} - ruled
    ours, theirs = ({check.pair: check for check in one.checks if check.scenario in same} for one in (challenger, champion))
    common = sorted(
        pair for pair in ours.keys() & theirs.keys() if ours[pair].scored and theirs[pair].scored and ours[pair].evaluator == theirs[pair].evaluator
    )
    if not common:
        raise CannotDecide(f"{champion.label} and {challenger.label} share no scored check", hint="run both on the same scenarios with the same seed")
    headline = paired((ours[pair] for pair in common if ours[pair].kind == HEADLINE), theirs.values())
    both = [(theirs[pair], ours[pair]) for pair in common]
    return Comparison(
        champion=champion.label,
        challenger=challenger.label,
        differing=(*_edited(*digests), *_ruled(ruled), *_differing(champion, challenger)),
        headline=headline,
        p=mcnemar(headline.won, headline.lost) if headline else 1.0,
        classes=tuple(_classes(champion.checks, challenger.checks, both)),
        better=tuple(our.id for their, our in both if our.outcome == "pass" and their.outcome == "fail"),
        worse=tuple(our.id for their, our in both if our.outcome == "fail" and their.outcome == "pass"),
        at_tokens=tuple(_at_tokens(champion, challenger, [(their, our) for their, our in both if our.kind == HEADLINE])),
    )


def _edited(one: Mapping[str, str], other: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    if changed := sorted(name for name in one.keys() & other.keys() if one[name] != other[name]):
        yield "scenarios left out, for they are not the same", many(len(changed), "scenario"), changed[0]
    if alone := one.keys() ^ other.keys():
        yield "scenarios left out, for only one side ran them", many(len(alone), "scenario"), min(alone)


def _ruled(names: Collection[str]) -> Iterator[tuple[str, str, str]]:
    if names:
        yield "scenarios left out, for people ruled on them otherwise (labels.yaml)", many(len(names), "scenario"), min(names)


def _differing(champion: Side, challenger: Side) -> Iterator[tuple[str, str, str]]:
    one, other = champion.card(), challenger.card()
    for name, value in one.items():
        if value != other[name]:
            yield name, _said(value), _said(other[name])


def _said(value: object) -> str:
    return ", ".join(f"{key} {held}" for key, held in value.items()) if isinstance(value, Mapping) else str(value) or "not told"


def _classes(champion: Sequence[CheckLine], challenger: Sequence[CheckLine], both: Sequence[tuple[CheckLine, CheckLine]]) -> Iterator[ClassPair]:
    own = [grouped(checks, lambda check: check.class_) for checks in (champion, challenger)]
    for name in sorted({*own[0], *own[1]}):
        shared = [(their, our) for their, our in both if our.class_ == name]
        yield ClassPair(
            class_=name,
            own=(Counts.of(own[0].get(name, ())), Counts.of(own[1].get(name, ()))),
            common=(Counts.of(their for their, _ in shared), Counts.of(our for _, our in shared)),
        )


def _at_tokens(champion: Side, challenger: Side, both: Sequence[tuple[CheckLine, CheckLine]]) -> Iterator[tuple[int, Counts, Counts]]:
    """Probes whose prompt sufficed with at most so many tokens of memory in it, of those measured on both sides."""
    spent = [{(one.case_id, one.step): one.value for one in side.run.measures if one.name == TOKENS_MEMORY} for side in (champion, challenger)]
    known = [pair for pair in both if all((check.case_id, check.step) in tokens for check, tokens in zip(pair, spent, strict=True))]
    for budget in BUDGETS if known else ():
        passed = [sum(pair[n].outcome == "pass" and spent[n][pair[n].case_id, pair[n].step] <= budget for pair in known) for n in (0, 1)]
        yield budget, Counts(passed=passed[0], failed=len(known) - passed[0]), Counts(passed=passed[1], failed=len(known) - passed[1])


def lines(one: Comparison) -> list[str]:
    """A comparison as text: what differs in the set-up, flips, headline, success at equal tokens, classes."""
    out = [f"{one.challenger} against {one.champion}", "", "SET UP      " + ("alike" if not one.differing else "not alike, beside what is compared:")]
    out += [f"            {what}: {left} | {right}" for what, left, right in one.differing]
    for word, names in (("WORSE", one.worse), ("BETTER", one.better)):
        out += [f"{word if not n else '':<12}{name}" for n, name in enumerate(names[:FLIPS_SHOWN])]
        if len(names) > FLIPS_SHOWN:
            out.append(f"            {len(names) - FLIPS_SHOWN} more")
    if not one.worse and not one.better:
        out.append("FLIPS       none: every check scored on both sides ended alike")
    if one.headline is None:
        out.append("SUFFICIENT  not compared: no such check is scored on both sides")
    else:
        told = f"{one.headline.won} scenarios better, {one.headline.lost} worse, exact p {one.p:.2g}"
        few = "; fewer than 6 that differ can never be told from chance" if one.headline.won + one.headline.lost < 6 else ""
        out.append(f"SUFFICIENT  {one.headline.words}; {told}{few}")
    if one.at_tokens:
        out += ["", f"{'sufficient with at most':<26}{'champion':>24}{'challenger':>24}   (Wilson intervals over probes)"]
        out += [f"{tokens:>12,} memory tokens{_share(left):>24}{_share(right):>24}" for tokens, left, right in one.at_tokens]
    out += ["", f"{'class':<18}{'champion':>14}{'challenger':>14}   of the checks scored on both; own counts behind"]
    for row in one.classes:
        out.append(f"{row.class_:<18}{row.common[0]!s:>14}{row.common[1]!s:>14}   {row.own[0]} | {row.own[1]}")
    return out


def _share(counts: Counts) -> str:
    spread = wilson(counts.passed, counts.scored)
    return f"{counts} [{100 * spread.low:.0f}, {100 * spread.high:.0f}] %"
