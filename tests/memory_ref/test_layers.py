"""Every layer has its time span: kept just before its end, gone with the clean-up just after, and nothing else with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgauge.memory_ref.policy import Retention
from memgauge.memory_ref.records import Reply
from memgauge.records import Scope
from tests.memory_ref.store_support import Bench


def message(made: Bench) -> None:
    made.ana.append("m1", "user", "The barometer fell.")


def private(made: Bench) -> None:
    made.as_(thread="secret").append("p1", "user", "The barometer fell.", private=True)


def superseded(made: Bench) -> None:
    old = made.ana.remember("I own a barometer").ids[0]
    made.ana.correct("I own a canoe", id=old)


def review(made: Bench) -> None:
    made.ana.remember("I live in Ghent")
    made.ana.append("m1", "user", "I live in Lyon.")
    made.ana.end_turn()


def log(made: Bench) -> None:
    made.ana.remember("I own a barometer")
    made.ana.recall("barometer")
    made.ana.note_add("x")


def repeated(made: Bench) -> None:
    made.as_(key="k1").note_add("The barometer fell")


def lapsed(made: Bench) -> None:
    made.ana.remember("I own a barometer")
    made.ana.set_access(subscribed=False)


def backup(made: Bench) -> None:
    made.ana.backup("copy.db")


LAYERS: dict[str, tuple[Callable[[Bench], None], str]] = {
    "messages_days": (message, "SELECT count(*) FROM messages WHERE state != 'removed'"),
    "private_days": (private, "SELECT count(*) FROM messages"),
    "superseded_days": (superseded, "SELECT count(*) FROM facts WHERE status = 'superseded'"),
    "reviews_days": (review, "SELECT count(*) FROM reviews"),
    "logs_days": (log, "SELECT count(*) FROM operations WHERE op = 'remember'"),
    "idempotency_days": (repeated, "SELECT count(*) FROM idempotency"),
    "lapsed_days": (lapsed, "SELECT count(*) FROM facts"),
    "backup_days": (backup, "SELECT count(*) FROM backups"),
}


def count(made: Bench, sql: str) -> int:
    return int(made.memory.read(Scope(user="ana", thread="main"), lambda store: Reply(data={"n": store.database.value(sql)})).data["n"])


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_is_kept_for_its_time_and_no_longer(tmp_path: Path, layer: str) -> None:
    make, sql = LAYERS[layer]
    policy: dict[str, Any] = {f"retention.{layer}": 3}
    made = Bench(tmp_path / "store", policy)
    make(made)
    assert count(made, sql) == 1
    made.advance(days=2, hours=23)
    made.ana.expire()
    assert count(made, sql) == 1
    made.advance(hours=1)
    made.ana.expire()
    assert count(made, sql) == 0
    if layer in ("messages_days", "private_days"):
        assert b"barometer" not in made.bytes()
    if layer == "backup_days":
        assert not (made.root / "copy.db").exists()
    made.memory.close()


def test_every_time_span_of_the_policy_is_tried() -> None:
    assert set(LAYERS) == set(Retention.model_fields)
