"""What the runner is handed: how to open a system, how to judge, how to look for causes, and the settings of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memgauge.protocol import Manifest, MemorySystem
from memgauge.records import CasePlan, Entry, Judgement, Step
from memgauge.systems.spec import SystemSpec
from memgauge.tokens import DEFAULT_ENCODING

AssembledBy = Literal["system", "harness"]

Opener = Callable[[SystemSpec], MemorySystem]
"""Makes the system of a spec. Like all that is handed in, it is a function of a module, so that a worker can import it."""


class Judge(Protocol):
    """Judges one history; pure."""

    def __call__(self, plan: CasePlan, history: Sequence[Entry], manifest: Manifest, assembled_by: AssembledBy) -> Judgement: ...


class Diagnose(Protocol):
    """The reads that tell where the facts of failed checks were lost. The id of a step is the id of the check it is made for."""

    def __call__(self, plan: CasePlan, history: Sequence[Entry], judgement: Judgement) -> Iterable[Step]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The callables of a run."""

    open_system: Opener
    judge: Judge
    diagnose: Diagnose | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """`jobs`: worker processes. `in_process`: no workers at all, for debugging; then no time limit holds and a death ends
    the program. `limit_s`: seconds a case may take, process cases four times that. `seed` decides schedules and delays.
    `retries`: times a case is run again that broke, and in which nothing failed."""

    jobs: int = 2
    in_process: bool = False
    repeats: int = 1
    limit_s: float = 60.0
    seed: int = 0
    retries: int = 0
    encoding: str = DEFAULT_ENCODING
