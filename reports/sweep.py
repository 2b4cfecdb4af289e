"""Many settings of one memory, from one run: what each reaches, what it costs, and whether the data can tell it from the first.

No setting is called the best. Those that no other beats in both sufficiency and tokens stand on the front; the choice between them
is a choice of price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memgauge.records import Json
from memgauge.reports.arms import HEADLINE
from memgauge.reports.compare import Comparison, compare, side
from memgauge.reports.counts import Counts, grouped, many
from memgauge.reports.summary import RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting. `tokens` are the mean tokens that memory puts into a prompt, or None; `against` compares with the first setting
    and is None for the first itself."""

    name: str
    sufficient: Counts
    unsafe: int
    tokens: float | None
    front: bool
    against: Comparison | None

    def to_json(self) -> Json:
        line: Json = {"name": self.name, "sufficient": self.sufficient.to_json(), "unsafe": self.unsafe, "front": self.front}
        if self.tokens is not None:
            line["tokens_memory"] = self.tokens
        return line if self.against is None else line | {"against_first": self.against.to_json()}


def sweep(summary: RunSummary) -> tuple[Setting, ...]:
    """The settings of a run in the order of their names in the manifest, over the checks that are scored in all of them. Raises
    InputError for a run of one system, CannotDecide where two share no scored check."""
    run = summary.run
    order = [str(system["name"]) for system in run.manifest.get("systems", ())]
    systems = sorted(summary.systems, key=lambda system: order.index(system.name) if system.name in order else len(order))
    pairs = compare([side(run, system.name) for system in systems])
    treated = [check for check in run.checks if check.arm == "on"]
    asked = grouped((check for check in treated if check.kind == HEADLINE and check.scored), lambda check: check.system)
    common = set.intersection(*({check.pair for check in asked.get(system.name, ())} for system in systems))
    reached = {system.name: Counts.of(check for check in asked.get(system.name, ()) if check.pair in common) for system in systems}
    spent = {system.name: system.cost.memory.mean if system.cost.memory else None for system in systems}
    return tuple(
        Setting(
            name=system.name,
            sufficient=reached[system.name],
            unsafe=sum(check.outcome == "fail" and check.family == "safety" for check in treated if check.system == system.name),
            tokens=spent[system.name],
            front=not any(_beats(reached[other], spent[other], reached[system.name], spent[system.name]) for other in reached),
            against=pairs[place - 1] if place else None,
        )
        for place, system in enumerate(systems)
    )


def _beats(one: Counts, one_tokens: float | None, other: Counts, other_tokens: float | None) -> bool:
    """At least as good in both, better in one. A share or a cost that is not known beats nothing and is beaten by nothing."""
    if one.share is None or other.share is None or one_tokens is None or other_tokens is None:
        return False
    return one.share >= other.share and one_tokens <= other_tokens and (one.share, one_tokens) != (other.share, other_tokens)


def lines(settings: Sequence[Setting]) -> list[str]:
    """The table of a sweep as text; `*` marks the front."""
    wide = max(len(setting.name) for setting in settings)
    out = [f"  {'setting':<{wide}}{'sufficient':>16}{'tokens':>9}{'unsafe':>8}   against the first"]
    for setting in settings:
        tokens = "–" if setting.tokens is None else f"{setting.tokens:,.0f}"
        told = "" if setting.against is None else _told(setting.against)
        mark = "*" if setting.front else " "
        out.append(f"{mark} {setting.name:<{wide}}{setting.sufficient!s:>16}{tokens:>9}{setting.unsafe:>8}   {told}".rstrip())
    told_apart = sum(setting.against is not None and setting.against.settled for setting in settings)
    if any(setting.against is not None and setting.against.by_chance for setting in settings):
        out.append("one run of a memory that is not deterministic: what differs may be chance; --repeats 5")
    out.append(
        f"{many(told_apart, 'setting')} of {len(settings) - 1} can be told from the first (an exact test over templates, corrected for "
        "their number, and an interval without zero)"
    )
    return out


def _told(against: Comparison) -> str:
    return "no sufficiency check in common" if against.headline is None else f"{against.headline.words}, p {against.p:.2g}"
