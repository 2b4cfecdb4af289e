"""What the runner yields. Terminal, run folder and reports are handlers of these; the runner never prints or writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memgauge.records import CaseId, CasePlan, Entry, Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """`manifest` holds versions, hashes, seed, selection, systems and arms; it is written before the first case."""

    manifest: Mapping[str, Any]
    planned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """One case: its history, its judgement, how long it took. `error` is the one line of what broke it, or empty;
    `manifest` is what the system said of itself (`Manifest.to_json`; empty when it never got that far): judging again needs it.
    `tries` are those that broke before this one; nothing of them is counted, they are kept to be looked at."""

    id: CaseId
    plan: CasePlan
    history: tuple[Entry, ...]
    judgement: Judgement
    error: str = ""
    assembled_by: Literal["system", "harness"] = "system"
    manifest: Mapping[str, Any] = field(default_factory=dict)
    timings: tuple[Mapping[str, Any], ...] = field(default=())
    wall_ms: float = 0.0
    tries: tuple[CaseFinished, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """complete, interrupted (Ctrl-C; what ran is kept) or error (the harness itself stopped; `reason` says why)."""

    status: Literal["complete", "interrupted", "error"]
    reason: str = ""


Event = RunStarted | CaseFinished | RunFinished
