"""Saboteurs below the protocol: each leaves one part of the reference's store out, and what that leaves in the files is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.records import Scope
from memgauge.runner.residue import scan_paths
from memgauge.saboteurs import SABOTEURS, sabotage
from memgauge.systems.reference import ReferenceSystem

WORD = "Zanzibarites"


def call(system: MemorySystem, op: str, **args: Any) -> Receipt:
    return system.call(Request(op=op, now="2026-03-02T09:00:00+00:00", scope=Scope(user="ana", thread="main"), args=args))


def residue(root: Path, name: str, *, closed: bool) -> int:
    """Places in which a forgotten word still stands, with the store open or closed."""
    system: MemorySystem = sabotage(ReferenceSystem(), name) if name else ReferenceSystem()
    call(system, "open", root=str(root), config={})
    for n in range(20):
        call(system, "note_add", text=f"Crate {n} holds plums.")
    told = call(system, "remember", text=f"My boat is called {WORD}")
    call(system, "close")
    call(system, "open", root=str(root), config={})
    assert scan_paths({"needle": WORD}, [root]).hits
    assert call(system, "forget", id=told.ids[0]).status == "ok"
    if closed:
        call(system, "close")
    found = len(scan_paths({"needle": WORD}, [root]).hits)
    call(system, "close")
    return found


@pytest.mark.parametrize("closed", [True, False])
def test_the_reference_itself_leaves_nothing(tmp_path: Path, closed: bool) -> None:
    assert residue(tmp_path, "", closed=closed) == 0
    assert residue(tmp_path / "unsynced", "missing-fsync", closed=closed) == 0


@pytest.mark.parametrize("name", ["missing-optimize", "missing-checkpoint", "secure-delete-off", "vacuum-instead"])
def test_a_store_without_one_of_its_parts_leaves_residue(tmp_path: Path, name: str) -> None:
    assert residue(tmp_path, name, closed=False) > 0


def test_a_checkpoint_that_is_missing_is_made_up_for_when_the_store_is_closed(tmp_path: Path) -> None:
    """Why a scan of the open store is needed: SQLite empties its log when the last connection closes."""
    assert residue(tmp_path, "missing-checkpoint", closed=True) == 0


def test_they_are_for_the_reference_only() -> None:
    parts = [one for _, one in SABOTEURS if getattr(one.make, "__module__", "") == "memgauge.saboteurs.parts"]
    assert {one.of for one in parts} == {"reference"}
    assert len(parts) == 5


@pytest.mark.parametrize("engine", [{"fsync": False}, {"sync": "off"}, ["sync"], {"connect": True}])
def test_parts_nobody_knows_are_refused(tmp_path: Path, engine: object) -> None:
    answer = call(ReferenceSystem(), "open", root=str(tmp_path), config={"engine": engine})
    assert answer.status == "refused"
    assert "true or false for sync, secure_delete" in str(answer.reason)
