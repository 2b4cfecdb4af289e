"""The steps of a scenario. The one key that names the step decides which other keys may stand beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, Tag, model_validator
from pydantic.annotated_handlers import GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, PydanticOmit, core_schema
from typing_extensions import TypeAliasType

from memgauge.errors import nearest
from memgauge.protocol import VERBS
from memgauge.scenarios.base import Form, Strict, Text
from memgauge.scenarios.calls import CALLS, CallStep
from memgauge.scenarios.expect import Absent, AnyCheck
from memgauge.scenarios.step_keys import Budget, Step, TellingStep

ReadPath = Literal["context", "recall", "list", "list-all", "list-messages", "list-notes", "list-documents", "list-goals", "list-summaries", "export"]
"""Where a fact may come out. `list-KIND` is the verb `list` with that kind."""


class Near(Strict):
    """Seeded neutral conversation, with lines that look like the fact and are not it."""

    messages: int = Field(ge=1, le=5000)
    topics: list[str] | None = Field(default=None, min_length=1)
    near: list[str] = Field(default_factory=list)
    language: str | None = None


class Op(Strict):
    """One call inside `kill` or `concurrently`."""

    op: Literal[tuple(VERBS)]  # type: ignore[valid-type]
    args: dict[str, Any] = Field(default_factory=dict)


class RacingOp(Op):
    """What one writer of a race does."""

    as_: str | None = Field(default=None, alias="as", description="actor; default: that of the step")
    thread: str | None = None
    times: int = Field(default=1, ge=1, le=100)


class Race(Strict):
    """The same call by several writers at once (`op`), or a call of its own for each (`ops`).

    `{writer}` and `{turn}` in the arguments are filled by the runner, so that every write is another.
    """

    how: Literal["threads", "processes"]
    writers: int | None = Field(default=None, ge=2, le=16)
    op: Literal[tuple(VERBS)] | None = None  # type: ignore[valid-type]
    args: dict[str, Any] = Field(default_factory=dict)
    times: int = Field(default=1, ge=1, le=100)
    scopes: list[str] | None = Field(default=None, description="an actor per writer; default: all are the step's actor")
    ops: list[RacingOp] | None = Field(default=None, min_length=2)

    @model_validator(mode="after")
    def _one_form(self) -> Race:
        if (self.ops is None) == (self.op is None or self.writers is None):
            raise ValueError("a race has either writers and op, or ops with one entry a writer")
        return self


class OtherRoot(Strict):
    """Another root folder of this case, made empty when it is new; `store` is the one a case begins with."""

    root: Annotated[str, Form(r"^[a-z][a-z0-9-]*$", "a name of small letters, digits and dashes")]


class Kill(Strict):
    """Calls during which the process is killed, and where."""

    ops: list[Op] = Field(min_length=1)
    at: str | int | None = Field(default=None, description="where to kill; default: a seeded point")


class SayStep(TellingStep):
    """A whole turn: the user's message, the assistant's reply, the end of the turn."""

    say: Text
    reply: Text | None = Field(default=None, description="default: a neutral sentence")
    ok: bool = Field(default=True, description="false: the reply failed")
    speaker: str | None = None
    origin: str | None = None
    private: bool | None = None
    parent: str | None = None


class AskStep(Step):
    """A question put to memory before it is appended, on one or more read paths, with what must and must not come."""

    ask: Text
    via: list[ReadPath] = Field(default=["context"], min_length=1)
    needs: list[str] = Field(default_factory=list)
    fine: list[str] = Field(default_factory=list, description="facts that neither help nor harm")
    absent: list[Absent] = Field(default_factory=list)
    decoys: list[str] = Field(default_factory=list, description="facts that mislead here without being a fault of their own")
    budget: Budget = Budget()
    k: int | None = Field(default=None, ge=1)
    precision: float | None = Field(default=None, ge=0, le=1, description="least share of recalled items that are needed or fine")
    application: list[str] | None = None
    client_history: list[Any] | None = None
    expect: list[AnyCheck] = Field(default_factory=list)


class FillerStep(Step):
    filler: Near


class AdvanceStep(Step):
    advance: str = Field(description="ISO 8601 duration (P10D, PT5M, -PT1S), or an instant to go to: RFC 3339 with an offset")


def _reopen(value: Any) -> str:
    return "reopen:other" if isinstance(value, dict | OtherRoot) else "reopen:same"


Reopen = Annotated[Annotated[Literal[True, None], Tag("reopen:same")] | Annotated[OtherRoot, Tag("reopen:other")], Discriminator(_reopen)]


class ReopenStep(Step):
    reopen: Reopen


class ScanStep(Step):
    scan: list[str] = Field(min_length=1, description="facts to look for in the files")
    expect: list[AnyCheck] = Field(default_factory=list)


class KillStep(TellingStep):
    kill: Kill


class RaceStep(TellingStep):
    concurrently: Race


SPECIAL: dict[str, type[Step]] = {
    "say": SayStep, "ask": AskStep, "filler": FillerStep, "advance": AdvanceStep, "reopen": ReopenStep,
    "scan": ScanStep, "kill": KillStep, "concurrently": RaceStep,
}  # fmt: skip


KINDS = (*SPECIAL, *CALLS)


def kind_of(step: Step) -> str:
    """The key that names the step."""
    return step.op if isinstance(step, CallStep) else next(kind for kind, model in SPECIAL.items() if type(step) is model)


class _NoStep:
    """Stands in the union for what is no step at all: refuses with a message, and is left out of the JSON Schema."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(cls._refuse)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        raise PydanticOmit

    @staticmethod
    def _refuse(value: Any) -> Any:
        if not isinstance(value, dict):
            raise PydanticCustomError(
                "value_error_step", "a step is a mapping such as `say: some text`", {"hint": "write `- say: ...` or `- ask: ...`"}
            )
        verbs = [key for key in value if key in KINDS]
        if verbs:
            names = " and ".join(verbs)
            raise PydanticCustomError(
                "value_error_step", "a step does one thing, this one has {names}", {"names": names, "hint": "make them two steps"}
            )
        unknown = [key for key in value if key not in _SIDE_KEYS]
        hint = nearest(unknown[0], KINDS) if unknown else "say, ask, filler, advance, reopen, scan, kill, concurrently, or a verb of the protocol"
        raise PydanticCustomError(
            "value_error_step", "no key says what this step does{got}", {"got": f" (got {unknown[0]!r})" if unknown else "", "hint": hint}
        )


_SIDE_KEYS = frozenset(
    info.alias or name for model in SPECIAL.values() for name, info in model.model_fields.items() if (info.alias or name) not in SPECIAL
)


def _tag(value: Any) -> str:
    if isinstance(value, Step):  # when a model is written out again
        return f"step:{kind_of(value)}"
    verbs = [key for key in value if key in KINDS] if isinstance(value, dict) else []
    return f"step:{verbs[0]}" if len(verbs) == 1 else "step:none"


if TYPE_CHECKING:  # as in `expect`
    AnyStep = Step
else:
    _MODELS = (Annotated[model, Tag(f"step:{kind}")] for kind, model in (SPECIAL | CALLS).items())
    AnyStep = TypeAliasType("AnyStep", Annotated[Union[(*_MODELS, Annotated[_NoStep, Tag("step:none")])], Discriminator(_tag)])
