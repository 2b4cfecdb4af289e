"""Every verb of the protocol as a step, made from the table of verbs."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator
from pydantic.annotated_handlers import GetJsonSchemaHandler
from pydantic_core import core_schema

from memgauge.protocol import VERBS
from memgauge.scenarios.base import Strict, arg_fields, make_model
from memgauge.scenarios.step_keys import Budget, TellingStep

Revision = int | Annotated[str, Field(pattern=r"^\$[a-z][a-z0-9_]*\.revision$")]
"""A revision, or that of the receipt saved under a name."""
Bundle = dict[str, Any] | Annotated[str, Field(pattern=r"^\$[a-z][a-z0-9_]*$")]
"""A bundle written out, or the one an export saved under a name."""

GIVEN_BY_COMPILER = {"append": {"message_id"}, "edit_message": {"new_id"}, "context": {"budget"}}
"""Required arguments that the author may leave out."""
_OF_ASK = ("needs", "absent")
"""Words of an `ask` that authors write beside a list or a recall."""
NOT_A_STEP = frozenset({"describe", "open", "close"})


class CallStep(TellingStep):
    """One verb of the protocol. A plain text stands for its first argument."""

    op: ClassVar[str] = ""
    call: Any

    @model_validator(mode="before")
    @classmethod
    def _judged_by_expect(cls, value: Any) -> Any:
        if isinstance(value, dict) and (words := [word for word in _OF_ASK if word in value]):
            instead = "{check: WHY, facts: [FACT], seen: STEP}" if words[0] == "absent" else "{check: present, facts: [FACT]}"
            raise ValueError(f"{words[0]!r} belongs to an ask; beside {cls.op} write expect: [{instead}]")
        return value


class _Args(Strict):
    """Arguments of a verb. `shorthand` is the argument a plain text stands for."""

    shorthand: ClassVar[str] = ""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str) and cls.shorthand:
            return {cls.shorthand: value}
        return {} if value is None else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        body = handler.resolve_ref_schema(handler(schema))
        forms: list[dict[str, Any]] = [dict(body)]
        if cls.shorthand:
            forms.append({"type": "string"})
        if not body.get("required"):
            forms.append({"type": "null"})
        return {"anyOf": forms} if len(forms) > 1 else body


def _message_model() -> Any:
    fields = arg_fields(VERBS["append"].args, optional=frozenset({"message_id"})) | {"now": (str | None, None)}
    return list[make_model("Message", Strict, fields, "One message of append_many.")]  # type: ignore[misc]


def _call_model(verb: str) -> type[Strict]:
    row = VERBS[verb]
    optional = frozenset(GIVEN_BY_COMPILER.get(verb, ()))
    types: dict[str, Any] = {"expected": Revision, "revision": Revision, "bundle": Bundle}
    if verb == "append_many":
        types["messages"] = _message_model()
    elif verb == "context":
        types["budget"] = Budget
    args = make_model(f"Args_{verb}", _Args, arg_fields(row.args, optional=optional, types=types), row.doc)
    texts = [name for name, arg in row.args.items() if arg.type == "string"]
    needed = [name for name in texts if row.args[name].required and name not in optional]
    args.shorthand = (needed or texts or [""])[0] if verb not in ("append", "append_many") else ""  # type: ignore[attr-defined]
    model = make_model(f"Step_{verb}", CallStep, {"call": (args, Field(alias=verb))}, row.doc)
    model.op = verb  # type: ignore[attr-defined]
    return model


CALLS: dict[str, type[Strict]] = {verb: _call_model(verb) for verb in VERBS if verb not in NOT_A_STEP}


def call_args(step: CallStep) -> dict[str, Any]:
    """The arguments of a call step as the protocol names them, without those left out."""
    args: dict[str, Any] = step.call.model_dump(by_alias=True, exclude_none=True)
    return args
