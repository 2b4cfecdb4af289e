from __future__ import annotations

from pathlib import Path

from memgauge.memory_ref.inventory import FILES, INVENTORY, as_markdown
from memgauge.memory_ref.policy import load_policy
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store
from memgauge.records import Scope
from tests.memory_ref.store_support import Bench


def test_every_table_of_the_schema_is_in_the_inventory_and_no_other(bench: Bench) -> None:
    def tables(store: Store) -> Reply:
        rows = store.database.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        names = [row["name"] for row in rows if not row["name"].startswith("search_index_")]
        return Reply(ids=tuple(sorted(names)))

    assert bench.memory.read(Scope(user="ana"), tables).ids == tuple(sorted(entry.name for entry in INVENTORY))


def test_every_retention_that_names_a_policy_value_names_one_that_exists() -> None:
    policy = load_policy()
    for entry in INVENTORY:
        for word in entry.retention.replace(";", " ").split():
            if "." in word:
                section, _, name = word.partition(".")
                assert hasattr(getattr(policy, section), name), word


def test_tables_said_to_hold_no_words_hold_none(bench: Bench) -> None:
    marker = "Zanzibarites"
    bench.ana.append("m1", "user", f"Remember that I live in {marker}.")
    bench.ana.end_turn()
    bench.as_(key="k1").note_add(f"{marker} was warm")
    bench.ana.recall(f"where is {marker}")
    bench.ana.goal_add(f"Leave {marker}")
    bench.ana.summarise(keep=0)

    def scan(store: Store) -> Reply:
        found = [
            e.name for e in INVENTORY if not e.holds_text and marker in str([tuple(row) for row in store.database.all(f"SELECT * FROM {e.name}")])
        ]
        return Reply(ids=tuple(found))

    assert bench.memory.read(Scope(user="ana"), scan).ids == ()


def test_every_file_of_a_used_store_is_in_the_inventory(bench: Bench) -> None:
    bench.ana.call_begin("c1", "search", "read")
    known = {entry.name for entry in FILES} | {"memory.db-wal", "memory.db-shm"}
    assert {path.name for path in bench.root.rglob("*") if path.is_file()} <= known


def test_the_page_is_made_from_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "data-inventory.md"
    assert page.read_text("utf-8") == as_markdown()
