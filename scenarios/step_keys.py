"""Keys that all steps share."""

from __future__ import annotations

from pydantic import Field

from memgauge.scenarios.base import Name, StepId, Strict
from memgauge.scenarios.expect import Expect


class Budget(Strict):
    """Tokens of the whole window, and of it those kept for the reply."""

    window: int = Field(default=4000, ge=1)
    reserve: int = Field(default=500, ge=0)
    encoding: str | None = None


class Step(Strict):
    """Keys that every step may have: who does it, in which corner, and what it is called."""

    id: StepId | None = None
    as_: str | None = Field(default=None, alias="as", description="actor; default ana")
    thread: str | None = Field(default=None, description="default main")
    project: str | None = None
    agent: str | None = None
    task: str | None = None
    tenant: str | None = None


class TellingStep(Step):
    """A step that may bring facts in, save a record's name, and be judged."""

    tells: list[str] = Field(default_factory=list)
    save_as: Name | None = None
    key: str | None = Field(default=None, description="idempotency key; two steps with the same key are one request sent again")
    expect: Expect | None = None
