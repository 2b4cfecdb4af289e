"""After a race or a kill: read back everything its writes could have touched, for the evaluators to compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memgauge.protocol import VERBS
from memgauge.records import Json, Scope
from memgauge.runner.session import Session

_KINDS: Mapping[str, str] = {
    "append": "messages", "append_many": "messages", "edit_message": "messages", "remember": "facts", "correct": "facts", "confirm": "facts",
    "forget": "facts", "note_add": "notes", "goal_add": "goals", "goal_update": "goals", "pin": "pins", "unpin": "pins", "decide": "decisions",
    "lock": "decisions", "unlock": "decisions", "end_turn": "all", "import": "all", "forget_all": "all",
}  # fmt: skip
"""Verb that writes → kind of record that `list` shows it as."""


def look_after(session: Session, writes: Iterable[tuple[str, Mapping[str, Any], Scope]]) -> list[Json]:
    """Reads of the kinds and documents that the writes (op, args, scope) touched, each once: {op, args, scope, receipt}."""
    reads: dict[str, tuple[str, Json, Scope]] = {}
    for op, args, scope in writes:
        for read, read_args in _reads(op, args):
            reads.setdefault(f"{read} {read_args} {scope}", (read, read_args, scope))
    return [
        {"op": op, "args": args, "scope": scope.to_json(), "receipt": session.call(op, scope, args, step="after")}
        for op, args, scope in reads.values()
        if session.supports(op)
    ]


def _reads(op: str, args: Mapping[str, Any]) -> list[tuple[str, Json]]:
    if op.startswith("doc_"):
        return [("doc_read", {"name": args["name"]}), ("history", {"id": args["name"]})]
    if VERBS[op].effect == "read":
        return []
    reads: list[tuple[str, Json]] = [("list", {"kind": _KINDS.get(op, "all")})]
    if op == "correct" and "id" in args:
        reads.append(("history", {"id": args["id"]}))
    return reads
