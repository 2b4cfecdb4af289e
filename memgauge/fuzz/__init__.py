"""Random testing of any memory: seeded sequences of requests beside an independent model of what every memory must promise.

- `search(spec, opener, seed=…, steps=…)`: play episodes until one breaks a promise, and shrink what was found.
- `scenario_texts(found)`: the failing sequence as a scenario file that fails from then on.
- `INVARIANTS`: the promises by name.

Nothing here knows the reference memory; the model is dicts and flags.
"""

from __future__ import annotations

from memgauge.fuzz.promises import INVARIANTS
from memgauge.fuzz.scenario import scenario_texts
from memgauge.fuzz.search import Campaign, Found, search

__all__ = ["INVARIANTS", "Campaign", "Found", "scenario_texts", "search"]
