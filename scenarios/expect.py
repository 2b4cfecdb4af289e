"""The checks an author may ask for, as models made from the table of check kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args

from pydantic import Discriminator, Field, Tag, model_validator
from typing_extensions import TypeAliasType

from memgauge.checks import ABSENCE, CHECKS
from memgauge.protocol import STATUSES
from memgauge.records import Proof, ProofKind
from memgauge.scenarios.base import StepId, Strict, arg_fields, make_model

PROOF_KINDS: tuple[str, ...] = get_args(ProofKind)


class Proven(Strict):
    """Something that must not be there, with the one proof that it could have been."""

    seen: str | None = Field(default=None, description="step at which the same actor saw the fact earlier")
    seen_by: str | None = Field(default=None, description="step at which its owner saw the fact")
    control: str | None = Field(default=None, description="sibling fact given the same way, seen in the same answer")
    bytes_seen: str | None = Field(default=None, description="scan that found the bytes of the fact")

    @model_validator(mode="after")
    def _one_proof(self) -> Proven:
        if len(self._given()) != 1:
            raise ValueError(f"an absence names exactly one proof ({', '.join(PROOF_KINDS)}), got {' and '.join(self._given()) or 'none'}")
        return self

    def _given(self) -> list[str]:
        return [kind for kind in PROOF_KINDS if getattr(self, kind) is not None]

    @property
    def proof(self) -> Proof:
        kind: Any = self._given()[0]
        return Proof(kind=kind, ref=getattr(self, kind))


class Absent(Proven):
    """A fact that must not be in the answer of an `ask`."""

    fact: str
    why: Literal[ABSENCE]  # type: ignore[valid-type]
    via: list[str] | None = Field(default=None, description="read paths it holds for; default: all of the ask")


class Check(Strict):
    """One explicit check of a step."""

    check: str
    facts: list[str] = Field(default_factory=list)
    id: StepId | None = None


class ProvenCheck(Check, Proven):
    """A check that a fact is absent."""


def _check_model(name: str) -> type[Strict]:
    kind = CHECKS[name]
    fields = {"check": (Literal[name], ...)} | arg_fields(kind.params)
    return make_model(f"Check_{name}", ProvenCheck if kind.proof else Check, fields, kind.doc)


CHECK_MODELS: dict[str, type[Strict]] = {name: _check_model(name) for name in CHECKS}


class Receipt(Strict):
    """Short for one `receipt` check."""

    status: list[Literal[STATUSES]]  # type: ignore[valid-type]
    reason_has: str | None = None


def _shape(value: Any) -> str:
    return "expect:checks" if isinstance(value, list) else "expect:receipt"


if TYPE_CHECKING:  # unions made from tables are beyond a type checker; the base class is what the code relies on
    AnyCheck = Check
    Expect = Receipt | list[Check]
else:
    AnyCheck = TypeAliasType("AnyCheck", Annotated[Union[tuple(CHECK_MODELS.values())], Field(discriminator="check")])  # noqa: UP007
    _Checks = Annotated[list[AnyCheck], Tag("expect:checks")]
    Expect = TypeAliasType("Expect", Annotated[Annotated[Receipt, Tag("expect:receipt")] | _Checks, Discriminator(_shape)])


def params_of(check: Check) -> dict[str, Any]:
    """The parameters of a check as its kind names them, without those left out."""
    given = check.model_dump(by_alias=True, exclude_none=True)
    return {name: value for name, value in given.items() if name in CHECKS[check.check].params}
