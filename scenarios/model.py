"""A scenario file, as its author writes it. Every level refuses what it does not know."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from memgauge.scenarios.base import Form, Name, Strict, Text
from memgauge.scenarios.step_keys import Budget
from memgauge.scenarios.steps import AnyStep

ScenarioId = Annotated[
    str, Form(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*/[a-z0-9]+([-.][a-z0-9]+)*$", "class/name in small letters, digits and dashes, as recall/gate-code")
]
Row = Annotated[str, Form(r"^[ABC][0-9]{1,2}$", "a requirement row, as A10")]
Source = Annotated[str, Form(r"^(seed [0-9]{3}|report [^ #]+#[0-9]+|generated|own)$", "seed NNN, report REPO#N, generated, or own")]


class FactSpec(Strict):
    """A fact and how it is recognised whatever the wording. A group of spellings is a list; all groups must be seen."""

    anchors: list[Text] = Field(min_length=1)
    text: str | None = Field(default=None, description="the statement verbatim; default: the text of the step that tells it")
    claim: list[str] = Field(default_factory=list)
    not_if: list[str] = Field(default_factory=list, description="wordings in which the anchors are rightly there")
    like: list[str] = Field(default_factory=list, description="sentences that must match")
    unlike: list[str] = Field(default_factory=list, description="sentences that must not match")
    replaces: Name | None = None
    language: str | None = None


class Actor(Strict):
    """A scope by name."""

    user: str
    tenant: str | None = None
    agent: str | None = None
    project: str | None = None
    thread: str | None = None
    task: str | None = None


class Head(Strict):
    """What the long and the short form share."""

    id: ScenarioId
    version: int = Field(default=1, ge=1)
    title: str = ""
    rows: list[Row] = Field(default_factory=list)
    catalogue: list[Annotated[str, Form(r"^[A-Z][0-9]{1,2}$", "an entry of the failure catalogue, as B1")]] = Field(default_factory=list)
    tags: list[Annotated[str, Form(r"^[a-z][a-z0-9-]*$", "a tag of small letters, digits and dashes")]] = Field(default_factory=list)
    source: Source = "own"
    language: str = "en"
    content: Literal["synthetic", "private"] = "synthetic"


class ScenarioSpec(Head):
    """The long form."""

    start: str | None = Field(default=None, description="RFC 3339 with an offset")
    lane: Literal["quick", "process"] = "quick"
    needs_memory: bool = Field(default=True, description="false: memory can only harm here")
    values: dict[Name, Text] = Field(default_factory=dict, description="name → pool, or a list to draw from")
    config: dict[str, dict[str, Any]] = Field(default_factory=dict, description="system → what this case adds to its configuration")
    actors: dict[Name, Actor] = Field(default_factory=dict)
    facts: dict[Name, FactSpec] = Field(default_factory=dict)
    steps: list[AnyStep] = Field(min_length=1)


class Said(Strict):
    """One exchange of the short form that is more than the user's words."""

    text: str | None = Field(default=None, description="the user's message; without it only the assistant speaks")
    reply: str | None = Field(default=None, description="the assistant's; default: a neutral sentence")
    at: str | None = Field(default=None, description="when, RFC 3339 with an offset; default: right after what stands before")

    @model_validator(mode="after")
    def _somebody_speaks(self) -> Said:
        if self.text is None and self.reply is None:
            raise ValueError("an exchange needs text, or reply, or both")
        return self


def _said(value: Any) -> str:
    return "said:exchange" if isinstance(value, dict | Said) else "said:text"


Line = Annotated[Annotated[str, Tag("said:text")] | Annotated[Said, Tag("said:exchange")], Discriminator(_said)]


class ShortSpec(Head):
    """The short form: said in turn, asked from a new thread; texts that must and must not reach the prompt."""

    say: list[Line] = Field(min_length=1)
    ask: Text
    expect: Text = Field(default_factory=list)
    never: Text = Field(default_factory=list)
    budget: Budget = Budget()


class CasesSpec(Strict):
    """A table: the rest of the file is the body, each row gives values for `{name}` anywhere in it."""

    cases: list[dict[Name, Any]] = Field(min_length=1)
