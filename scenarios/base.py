"""What every model of a scenario file is built from."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Discriminator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, Tag, create_model
from pydantic_core import core_schema

from memgauge.protocol import Arg


@dataclass(frozen=True, slots=True)
class Form:
    """A mark for a text of a certain form: `words` say it to people, the pattern to editors."""

    pattern: str
    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": self.pattern, "description": self.words}

    def _check(self, text: str) -> str:
        if re.search(self.pattern, text) is None:
            raise ValueError(f"must be {self.words}, got {text[:60]!r}")
        return text


StepId = Annotated[str, Form(r"^[a-z0-9][a-z0-9._-]*$", "a name of small letters, digits, dots, dashes and _")]
Name = Annotated[str, Form(r"^[a-z][a-z0-9_]*$", "a name of small letters, digits and _")]

_TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
    "array": list[Any],
    "any": Any,
}


def _wordings(value: Any) -> str:
    return "text:several" if isinstance(value, list) else "text:one"


Text = Annotated[
    Annotated[str, Tag("text:one")] | Annotated[list[str], Field(min_length=1), Tag("text:several")],
    Discriminator(_wordings),
]
"""One wording, or several of which a seed draws one."""


class Strict(BaseModel):
    """Unknown keys are refused and nothing is coerced: `yes` is text, `"3"` is no number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def arg_fields(args: Mapping[str, Arg], *, optional: frozenset[str] = frozenset(), types: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Fields for `create_model` from a table of arguments. Aliases keep names that Python reserves, as `not`."""
    fields: dict[str, Any] = {}
    for name, arg in args.items():
        kind = (types or {}).get(name, _TYPES[arg.type])
        needed = arg.required and name not in optional
        python_name = f"{name}_" if keyword.iskeyword(name) else name
        fields[python_name] = (kind if needed else kind | None, Field(... if needed else None, alias=name, description=arg.doc or None))
    return fields


def make_model(name: str, base: type[Strict], fields: Mapping[str, Any], doc: str) -> type[Strict]:
    """A model made from a table row."""
    made: type[Strict] = create_model(name, __base__=base, __doc__=doc, **fields)
    return made
