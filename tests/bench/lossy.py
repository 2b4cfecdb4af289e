"""A memory that is not deterministic: the reference, whose capture after a turn is lost by chance, as a model's extraction may be.

The chance is `loss` of its configuration, 3 of 100 by default; the rest of the configuration is the reference's policy. The dice are
the machine's, not seeded: no two runs lose the same.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from memgauge.protocol import Receipt, Request
from memgauge.saboteurs.base import Wrapper
from memgauge.systems.reference import ReferenceSystem

LOSS = 0.03


class Lossy(Wrapper):
    """Acknowledges the end of a turn and, by chance, captures nothing of it."""

    def __init__(self) -> None:
        super().__init__(ReferenceSystem())
        self._dice = random.SystemRandom()
        self._loss = LOSS

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            config: dict[str, Any] = dict(request.args.get("config") or {})
            self._loss = float(config.pop("loss", LOSS))
            return self.inner.call(replace(request, args={**request.args, "config": config}))
        if request.op == "end_turn" and self._dice.random() < self._loss:
            return Receipt(status="ok", data={"saved": []})
        receipt = self.inner.call(request)
        if request.op == "describe":
            return replace(receipt, data={"manifest": {**receipt.data["manifest"], "name": "lossy", "determinism": "stochastic"}})
        return receipt
