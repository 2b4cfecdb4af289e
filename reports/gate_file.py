"""The gate file: which rules a change must satisfy, and which failures are known. Strict: unknown keys are refused.

```yaml
version: 1
suite: builtin@1
errors: {max: 0}
population: {min_scored: 1.0}
baseline: {ref: main, required: true, on_not_comparable: inconclusive}
rules:
  - {id: nobody-is-harmed, rule: all_pass, select: {kinds: [leak, deleted, residue]}, unscored: forbid}
  - {id: no-regressions, rule: no_regressions}
  - {id: enough, rule: floor, kind: sufficient, min: 0.9}
  - {id: worth-it, rule: contrast, minus: recent-equal, min_effect: 0.05, inconclusive: warn}
  - {id: tokens, rule: growth, measure: tokens_total, rel: 0.05, abs: 20}
exceptions:
  - {match: "goals/old[mine]#0::after.goal_done.plan", reason: not built yet, owner: memory team, expires: 2027-03-31}
```
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memgauge import strict_yaml
from memgauge.checks import CHECKS
from memgauge.errors import nearest
from memgauge.records import Arm

Action = Literal["fail", "warn", "pass"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Select(_Strict):
    """Checks of these classes, tags, kinds and scenarios; every part that is given must fit. Empty: all."""

    classes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()

    @field_validator("classes", "tags", "kinds", "scenarios", "systems", mode="before")
    @classmethod
    def _as_tuple(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("kinds")
    @classmethod
    def _known(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        for kind in kinds:
            if kind not in CHECKS:
                raise ValueError(f"no check kind {kind!r}; {nearest(kind, CHECKS)}")
        return kinds


class _Rule(_Strict):
    id: str = Field(min_length=1)
    select: Select = Select()


class AllPass(_Rule):
    """Every selected check passes, with repeats in every repeat. `unscored: forbid`: none may be without a score."""

    rule: Literal["all_pass"]
    unscored: Literal["allow", "forbid"] = "allow"


class NoRegressions(_Rule):
    """Nothing that passed in the baseline fails now, and nothing that was scored is so no more or gone."""

    rule: Literal["no_regressions"]
    max: int = Field(default=0, ge=0)
    new: Literal["report", "require_pass"] = "report"


class Floor(_Rule):
    """At least this share of the scored checks of one kind passes."""

    rule: Literal["floor"]
    kind: str
    min: float = Field(ge=0, le=1)

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        if kind not in CHECKS:
            raise ValueError(f"no check kind {kind!r}; {nearest(kind, CHECKS)}")
        return kind


class Contrast(_Rule):
    """Sufficiency with memory is ahead of another arm by more than `min_effect`, with the interval over templates behind it."""

    rule: Literal["contrast"]
    minus: Arm = "recent-equal"
    min_effect: float = Field(default=0.0, ge=0, le=1)
    inconclusive: Action = "warn"

    @field_validator("minus")
    @classmethod
    def _other(cls, minus: Arm) -> Arm:
        if minus == "on":
            raise ValueError("on minus on is nothing; name another arm, such as recent-equal")
        return minus


class Growth(_Rule):
    """A token measure grew by no more than both bounds since the baseline: `rel` as a share, `abs` in tokens."""

    rule: Literal["growth"]
    measure: Literal["tokens_total", "tokens_memory"] = "tokens_total"
    stat: Literal["mean", "p95"] = "p95"
    rel: float = Field(default=0.05, ge=0)
    abs: float = Field(default=20.0, ge=0)


Rule = Annotated[AllPass | NoRegressions | Floor | Contrast | Growth, Field(discriminator="rule")]


class Known(_Strict):
    """A failure that is known. Each has a reason, an owner and an end; when it passes, the entry must go (`strict`)."""

    match: str
    reason: str = Field(min_length=1)
    owner: str = Field(min_length=1)
    expires: datetime.date
    issue: str = ""
    strict: bool = True

    @field_validator("expires", mode="before")
    @classmethod
    def _date(cls, value: object) -> object:
        if not isinstance(value, str):
            raise ValueError("a day such as 2027-03-31 is needed")
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{value!r} is no day; write it as 2027-03-31") from None


class Errors(_Strict):
    """How many cases with memory on may break."""

    max: int = Field(default=0, ge=0)


class Population(_Strict):
    """Share of the planned checks that must be scored."""

    min_scored: float = Field(default=0.0, ge=0, le=1)


class BaselineRef(_Strict):
    """Which baseline, and what follows from its absence or from checks that are not comparable with it."""

    ref: str = "main"
    required: bool = True
    on_not_comparable: Literal["inconclusive", "ignore"] = "inconclusive"


class GateFile(_Strict):
    """The whole file."""

    version: Literal[1]
    suite: str = ""
    errors: Errors = Errors()
    population: Population = Population()
    baseline: BaselineRef = BaselineRef()
    rules: tuple[Rule, ...]
    exceptions: tuple[Known, ...] = ()

    @field_validator("rules", "exceptions", mode="before")
    @classmethod
    def _as_tuple(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("rules")
    @classmethod
    def _distinct(cls, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        ids = [rule.id for rule in rules]
        if not ids:
            raise ValueError("at least one rule is needed")
        for id_ in ids:
            if ids.count(id_) > 1:
                raise ValueError(f"the rule id {id_!r} stands twice")
        return rules

    @field_validator("exceptions")
    @classmethod
    def _one_each(cls, entries: tuple[Known, ...]) -> tuple[Known, ...]:
        """Of two entries for one check the longer-lived would win without anybody having said so."""
        names = [entry.match for entry in entries]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name!r} is excused twice")
        return entries


def load(path: Path) -> GateFile:
    """Read a gate file. Raises InputErrors with file:line:column."""
    return strict_yaml.validate(strict_yaml.load(path), GateFile)
