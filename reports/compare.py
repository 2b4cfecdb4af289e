"""Memories or policies side by side, on the same scenarios. Says what differs in how they were run before it says who did better.

Only checks that are scored on both sides are compared; each side's own counts stand beside them. The unit is the template (see
`stats`). Success is read off at equal tokens of memory first, then at equal k, then as the two ran. There is no overall rank: a memory
that wins here may lose on the scenarios that matter to somebody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from memgauge.errors import CannotDecide, InputError, nearest
from memgauge.records import Json
from memgauge.reports import card as protocol
from memgauge.reports.arms import HEADLINE, paired
from memgauge.reports.baseline import labels
from memgauge.reports.card import Card
from memgauge.reports.changes import point_id
from memgauge.reports.counts import Counts, grouped, many
from memgauge.reports.prompts import TOKENS_MEMORY
from memgauge.reports.run import CheckLine, Run
from memgauge.reports.stats import CONFIDENCE, Difference, difference, holm, mcnemar, wilson

BUDGETS = (250, 500, 1000, 2000)
"""Tokens of memory at which success is read off: k short facts and k whole turns are not the same size."""

AT_K = "recall_all@"
"""Measures of all needed facts among the first k recalled items. A memory that does not say what it recalled has none."""

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

    @property
    def card(self) -> Card:
        return protocol.card(self.run, self.system)


@dataclass(frozen=True, slots=True)
class Flip:
    """A check that holds in another share of its repeats: passes of scored, `1/1` and `0/1` where nothing was repeated."""

    id: str
    champion: Counts
    challenger: Counts

    @property
    def gain(self) -> float:
        return (self.challenger.share or 0.0) - (self.champion.share or 0.0)

    def __str__(self) -> str:
        once = self.champion.scored == self.challenger.scored == 1
        return self.id if once else f"{self.id}  {self.champion} → {self.challenger}"

    def to_json(self) -> Json:
        return {"id": self.id, "champion": self.champion.to_json(), "challenger": self.challenger.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Success at one size of memory: `size` in words, both sides over the same probes, and how far the challenger is ahead."""

    size: str
    champion: Counts
    challenger: Counts
    ahead: Difference | None

    def to_json(self) -> Json:
        line: Json = {"size": self.size, "champion": self.champion.to_json(), "challenger": self.challenger.to_json()}
        return line if self.ahead is None else line | {"ahead": self.ahead.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPair:
    """One class: each side's own counts, and both sides over the checks scored on both."""

    class_: str
    own: tuple[Counts, Counts]
    common: tuple[Counts, Counts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The challenger against the champion. `headline` is sufficiency, challenger minus champion; `p` is exact, over templates that
    differ, and corrected for the number of challengers. `left_out`: what is not compared, why, and an example."""

    champion: str
    challenger: str
    cards: tuple[Card, Card]
    left_out: tuple[tuple[str, str, str], ...]
    headline: Difference | None
    p: float
    classes: tuple[ClassPair, ...]
    better: tuple[Flip, ...]
    worse: tuple[Flip, ...]
    at_tokens: tuple[Level, ...]
    at_k: tuple[Level, ...]

    @property
    def settled(self) -> bool:
        """Whether the data tell the two apart, for all that several challengers were tried."""
        return self.headline is not None and self.headline.clear and self.p <= 1 - CONFIDENCE

    @property
    def by_chance(self) -> bool:
        """Whether one side ran once and says that it might have ended otherwise."""
        return any((card["determinism"], card["repeats"]) == ("stochastic", "1") for card in self.cards)

    def to_json(self) -> Json:
        document: Json = {
            "champion": self.champion,
            "challenger": self.challenger,
            "card": protocol.to_json(*self.cards),
            "left_out": [{"why": why, "how_many": count, "example": example} for why, count, example in self.left_out],
            "p": self.p,
            "told_apart": self.settled,
            "classes": [
                {"class": row.class_, "own": [c.to_json() for c in row.own], "common": [c.to_json() for c in row.common]} for row in self.classes
            ],
            "better": [flip.to_json() for flip in self.better],
            "worse": [flip.to_json() for flip in self.worse],
            "sufficient_at_tokens": [level.to_json() for level in self.at_tokens],
            "found_at_k": [level.to_json() for level in self.at_k],
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
    flips = list(_flips(both))
    return Comparison(
        champion=champion.label,
        challenger=challenger.label,
        cards=(champion.card, challenger.card),
        left_out=(*_edited(*digests), *_ruled(ruled), *_cut_short(champion, challenger)),
        headline=headline,
        p=mcnemar(headline.won, headline.lost) if headline else 1.0,
        classes=tuple(_classes(champion.checks, challenger.checks, both)),
        better=tuple(flip for flip in flips if flip.gain > 0),
        worse=tuple(flip for flip in flips if flip.gain < 0),
        at_tokens=tuple(_at_tokens(champion, challenger, [(their, our) for their, our in both if our.kind == HEADLINE])),
        at_k=tuple(_at_k(champion, challenger, same)),
    )


def _flips(both: Iterable[tuple[CheckLine, CheckLine]]) -> Iterator[Flip]:
    """The largest first; named as the challenger's."""
    checks: defaultdict[str, list[tuple[CheckLine, CheckLine]]] = defaultdict(list)
    for their, our in both:
        checks[point_id(our)].append((their, our))
    flips = [Flip(name, Counts.of(their for their, _ in pairs), Counts.of(our for _, our in pairs)) for name, pairs in checks.items()]
    yield from sorted((flip for flip in flips if flip.gain), key=lambda flip: (-abs(flip.gain), flip.id))


def _edited(one: Mapping[str, str], other: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    if changed := sorted(name for name in one.keys() & other.keys() if one[name] != other[name]):
        yield "scenarios left out, for they are not the same", many(len(changed), "scenario"), changed[0]
    if alone := one.keys() ^ other.keys():
        yield "scenarios left out, for only one side ran them", many(len(alone), "scenario"), min(alone)


def _ruled(names: Collection[str]) -> Iterator[tuple[str, str, str]]:
    if names:
        yield "scenarios left out, for people ruled on them otherwise (labels.yaml)", many(len(names), "scenario"), min(names)


def _cut_short(*sides: Side) -> Iterator[tuple[str, str, str]]:
    for one in sides:
        if one.run.status != "complete":
            yield f"the run is {one.run.status}", many(len(one.run.cases), "case"), one.label


def _classes(champion: Sequence[CheckLine], challenger: Sequence[CheckLine], both: Sequence[tuple[CheckLine, CheckLine]]) -> Iterator[ClassPair]:
    own = [grouped(checks, lambda check: check.class_) for checks in (champion, challenger)]
    for name in sorted({*own[0], *own[1]}):
        shared = [(their, our) for their, our in both if our.class_ == name]
        yield ClassPair(
            class_=name,
            own=(Counts.of(own[0].get(name, ())), Counts.of(own[1].get(name, ()))),
            common=(Counts.of(their for their, _ in shared), Counts.of(our for _, our in shared)),
        )


def _at_tokens(champion: Side, challenger: Side, both: Sequence[tuple[CheckLine, CheckLine]]) -> Iterator[Level]:
    """Probes whose prompt sufficed with at most so many tokens of memory in it, of those measured on both sides."""
    spent = [{(one.case_id, one.step): one.value for one in side.run.measures if one.name == TOKENS_MEMORY} for side in (champion, challenger)]
    known = [pair for pair in both if all((check.case_id, check.step) in tokens for check, tokens in zip(pair, spent, strict=True))]

    def within(side: int, check: CheckLine, budget: int) -> bool:
        return check.outcome == "pass" and spent[side][check.case_id, check.step] <= budget

    for budget in BUDGETS if known else ():
        held = [(our.scenario, within(0, their, budget), within(1, our, budget)) for their, our in known]
        yield _level(f"{budget:,} tokens of memory", held)


def _at_k(champion: Side, challenger: Side, same: Collection[str]) -> Iterator[Level]:
    """Probes whose needed items are all among the first k recalled, of those measured on both sides."""
    found = []
    for side in (champion, challenger):
        mine = (one for one in side.run.measures if one.system == side.system and one.arm == "on" and one.scenario in same)
        found.append({(one.name, one.scenario, one.case_id.rpartition("#")[2], one.step): one.value for one in mine if one.name.startswith(AT_K)})
    shared = sorted(found[0].keys() & found[1].keys())
    for name in dict.fromkeys(key[0] for key in shared):
        held = [(key[1], found[0][key] >= 1, found[1][key] >= 1) for key in shared if key[0] == name]
        yield _level(f"first {many(int(name.removeprefix(AT_K).partition('/')[0]), 'item')}", held)


def _level(size: str, held: Sequence[tuple[str, bool, bool]]) -> Level:
    """`held`: scenario, and whether the champion and the challenger held, a probe each."""
    gains: defaultdict[str, list[float]] = defaultdict(list)
    for scenario, their, our in held:
        gains[scenario].append(our - their)
    one, other = sum(their for _, their, _ in held), sum(our for _, _, our in held)
    return Level(
        size=size, champion=Counts(passed=one, failed=len(held) - one), challenger=Counts(passed=other, failed=len(held) - other),
        ahead=difference({scenario: fmean(values) for scenario, values in gains.items()}),
    )  # fmt: skip


def lines(one: Comparison) -> list[str]:
    """A comparison as text: the protocol card, flips, success at equal tokens, at equal k, as it ran, and the classes."""
    apart = protocol.differing(*one.cards)
    out = [f"{one.challenger} against {one.champion}", ""]
    told = f"≠ not alike: {', '.join(apart)}; champion | challenger" if apart else "alike in every part"
    out.append(f"CARD        {told}")
    out += [f"        {line}" for line in protocol.lines(*one.cards)]
    out += [f"LEFT OUT    {why}: {count}, such as {example}" for why, count, example in one.left_out]
    for word, flips in (("WORSE", one.worse), ("BETTER", one.better)):
        out += [f"{word if not n else '':<12}{flip}" for n, flip in enumerate(flips[:FLIPS_SHOWN])]
        if len(flips) > FLIPS_SHOWN:
            out.append(f"            {len(flips) - FLIPS_SHOWN} more")
    if not one.worse and not one.better:
        out.append("FLIPS       none: every check scored on both sides ended alike")
    if one.at_tokens or one.at_k:
        out += ["", f"{'sufficient with at most':<26}{'champion':>22}{'challenger':>22}   challenger ahead (Wilson intervals over probes)"]
        out += [_told(level) for level in one.at_tokens]
        out += ["all that is needed among the", *(_told(level) for level in one.at_k)] if one.at_k else []
    if one.by_chance:
        out.append("NOTE        one run of a memory that is not deterministic: what differs may be chance; run it with --repeats 5")
    if one.headline is None:
        out += ["", "SUFFICIENT  not compared: no such check is scored on both sides"]
    else:
        told = f"{one.headline.won} templates better, {one.headline.lost} worse, exact p {one.p:.2g}"
        few = "; fewer than 6 that differ can never be told from chance" if one.headline.won + one.headline.lost < 6 else ""
        out += ["", f"SUFFICIENT  as they ran: {one.headline.words}; {told}{few}"]
        out.append(f"            {'the data tell them apart' if one.settled else 'the data cannot tell them apart'}")
    out += ["", f"{'class':<18}{'champion':>14}{'challenger':>14}   of the checks scored on both; own counts behind"]
    for row in one.classes:
        out.append(f"{row.class_:<18}{row.common[0]!s:>14}{row.common[1]!s:>14}   {row.own[0]} | {row.own[1]}")
    return out


def _told(level: Level) -> str:
    ahead = level.ahead.words if level.ahead else ""
    return f"{level.size:>26}{_share(level.champion):>22}{_share(level.challenger):>22}   {ahead}".rstrip()


def _share(counts: Counts) -> str:
    spread = wilson(counts.passed, counts.scored)
    return f"{counts} [{100 * spread.low:.0f}, {100 * spread.high:.0f}] %"
