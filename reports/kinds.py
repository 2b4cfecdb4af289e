"""Which kinds of record earn their cost: memory against itself with one kind kept from every prompt (arm `on-without:KIND`)."""

from __future__ import annotations

from dataclasses import dataclass

from memgauge.records import Json
from memgauge.reports.stats import Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind. `tokens`: what it takes of a prompt on average, None where no prompt was measured; `ahead`: sufficiency of `on` minus
    `on-without:KIND`, None where no scenario was scored on both."""

    kind: str
    tokens: float | None
    ahead: Difference | None

    @property
    def used(self) -> bool:
        """Whether any prompt held one."""
        return bool(self.tokens) or (self.ahead is not None and bool(self.ahead.won or self.ahead.lost))

    @property
    def words(self) -> str:
        """`fact earns its 31 tokens a turn: +40 points [+31, +49], 80 scenarios`."""
        if not self.used:
            return f"{self.kind}: never in a prompt"
        if self.ahead is None:
            return f"{self.kind}: no scenario was scored with and without it"
        cost = "its place" if self.tokens is None else f"its {self.tokens:,.0f} tokens a turn"
        if not self.ahead.clear:
            return f"{self.kind}: cannot be told whether it earns {cost}: {self.ahead.words}"
        verdict = f"earns {cost}" if self.ahead.mean > 0 else f"does harm with {cost}"
        return f"{self.kind} {verdict}: {self.ahead.words}"

    def to_json(self) -> Json:
        line: Json = {"kind": self.kind, "used": self.used, "words": self.words}
        line |= {} if self.tokens is None else {"tokens": self.tokens}
        return line if self.ahead is None else line | {"on_minus_without": self.ahead.to_json()}
