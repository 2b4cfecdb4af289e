"""Stored is not the same as promptable: what every verb does in every access state, as one table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.session import Session
from memgauge.protocol import VERBS
from tests.memory_ref.store_support import Bench

STATES: dict[str, dict[str, Any]] = {
    "in order": {},
    "paused": {"enabled": False},
    "pending": {"pending": True},
    "consent withdrawn": {"consent": False},
    "not entitled": {"entitled": False},
    "lapsed": {"subscribed": False},
    "past its end": {"memory_expires_at": "2026-03-02T09:00:00+00:00"},
    "off for the tenant": {"tenant_disabled": True},
}
BUDGET = {"window": 3000, "reserve": 300}
Call = Callable[[Session, dict[str, str]], Any]

SAVES: dict[str, Call] = {  # in order: something is saved; else refused
    "remember": lambda ana, ids: ana.remember("I collect stamps"),
    "note_add": lambda ana, ids: ana.note_add("Watered the beans"),
    "goal_add": lambda ana, ids: ana.goal_add("Learn Welsh"),
    "decide": lambda ana, ids: ana.decide("No calls on Sundays"),
    "pin": lambda ana, ids: ana.pin("Be brief"),
    "doc_write": lambda ana, ids: ana.doc_write("plan", "one", expected=0),
    "doc_edit": lambda ana, ids: ana.doc_edit("user", "Likes", "Wants", expected=1),
    "draft": lambda ana, ids: ana.draft(),
    "consolidate": lambda ana, ids: ana.consolidate(),
}
SHOWS: dict[str, Call] = {  # in order: the fact is there; else it is not
    "recall": lambda ana, ids: ana.recall("Which seats do I prefer?"),
    "context": lambda ana, ids: ana.context("Which seats do I prefer?", BUDGET),
}
RIGHTS: dict[str, Call] = {  # the user's own, in every state
    "list": lambda ana, ids: ana.list(),
    "history": lambda ana, ids: ana.history(ids["fact"]),
    "explain": lambda ana, ids: ana.explain(ids["fact"]),
    "doc_read": lambda ana, ids: ana.doc_read("user"),
    "export": lambda ana, ids: ana.export(),
    "access": lambda ana, ids: ana.access(),
    "surfaces": lambda ana, ids: ana.surfaces(),
    "recover": lambda ana, ids: ana.recover(),
    "authorise": lambda ana, ids: ana.authorise("pay"),
    "append": lambda ana, ids: ana.append("m9", "user", "Good morning."),
    "end_turn": lambda ana, ids: ana.end_turn(),
    "edit_message": lambda ana, ids: ana.edit_message("m1", "m1b", "Good evening."),
    "correct": lambda ana, ids: ana.correct("I prefer window seats", id=ids["fact"]),
    "unpin": lambda ana, ids: ana.unpin(ids["pin"]),
    "goal_update": lambda ana, ids: ana.goal_update(ids["goal"], status="dropped"),
    "unlock": lambda ana, ids: ana.unlock(ids["decision"]),
    "doc_delete": lambda ana, ids: ana.doc_delete("user", expected=ana.doc_read("user").revision or 0),
    "forget": lambda ana, ids: ana.forget(ids["fact"]),
    "backup": lambda ana, ids: ana.backup("copy.db"),
    "expire": lambda ana, ids: ana.expire(),
    "set_access": lambda ana, ids: ana.set_access(enabled=True),
    "forget_all": lambda ana, ids: ana.forget_all(),
}


def filled(tmp_path: Path) -> tuple[Bench, dict[str, str]]:
    made = Bench(tmp_path / "store")
    made.ana.append("m1", "user", "Good morning, the barometer fell.")
    made.ana.doc_write("user", "Likes aisle seats.", expected=0)
    ids = {
        "fact": made.ana.remember("I prefer aisle seats").ids[0],
        "pin": made.ana.pin("Answer shortly").ids[0],
        "goal": made.ana.goal_add("Paint the fence").ids[0],
        "decision": made.ana.decide("No work on Sundays", kind="boundary").ids[0],
    }
    made.ana.lock(ids["decision"])
    return made, ids


@pytest.mark.parametrize("state", STATES)
def test_every_verb_in_every_state(tmp_path: Path, state: str) -> None:
    usable = state == "in order"
    wrong: list[str] = []
    made, ids = filled(tmp_path)
    made.ana.set_access(**STATES[state])
    elsewhere = made.as_(thread="t2")
    for name, call in SAVES.items():
        try:
            call(made.ana, ids)
            saved = True
        except Refused as refusal:
            saved = not str(refusal).startswith("nothing is saved: ")
        if saved is not usable:
            wrong.append(name)
    for name, call in SHOWS.items():
        shown = call(elsewhere, ids).data
        memory = str(shown.get("messages", shown["items"]))
        if ("aisle" in memory) is not usable:
            wrong.append(name)
        if not usable and any(text in memory for text in ("Answer shortly", "Paint the fence", "Sundays", "barometer")):
            wrong.append(f"{name} shows more")
    for name, call in RIGHTS.items():
        try:
            call(made.ana, ids)
        except Refused:
            wrong.append(name)
    made.memory.close()
    assert wrong == []


def test_the_table_names_verbs_and_most_of_them() -> None:
    named = {*SAVES, *SHOWS, *RIGHTS}
    assert named <= set(VERBS)
    assert len(named) >= 30


def test_nothing_is_captured_or_summarised_while_it_is_off(tmp_path: Path) -> None:
    made = Bench(tmp_path / "store", {"summaries.window_tokens": 50})
    made.ana.set_access(enabled=False)
    made.ana.append_many([{"message_id": f"m{n}", "role": "user", "text": f"Remember that I own {n} canoes."} for n in range(20)])
    assert made.ana.end_turn().ids == ()
    made.ana.set_access(enabled=True)
    assert made.ana.list("all").data["total"] == made.ana.list("messages").data["total"] == 20
    made.memory.close()
