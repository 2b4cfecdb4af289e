from __future__ import annotations

import textwrap
from pathlib import Path

from memgauge.clock import ManualClock
from memgauge.memory_ref import memory as facade
from memgauge.memory_ref.memory import open_memory
from memgauge.memory_ref.policy import load_policy
from memgauge.records import Scope
from tests.memory_ref.store_support import texts


def test_the_ten_lines_of_the_docstring_run(tmp_path: Path) -> None:
    code = textwrap.dedent((facade.__doc__ or "").split("\n\n", 1)[1]).replace('"data"', repr(str(tmp_path / "data")))
    sent: list[object] = []
    exec(code, {"open_memory": open_memory, "Scope": Scope, "send": sent.append})
    assert "I live in Ghent" in str(sent[0])


def test_a_policy_may_be_given_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("recall:\n  k: 1\n", "utf-8")
    for n, policy in enumerate((load_policy({"recall.k": 1}), {"recall": {"k": 1}}, path, str(path))):
        memory = open_memory(tmp_path / f"s{n}", policy=policy, clock=ManualClock())
        session = memory.session(Scope(user="ana", thread="t"))
        for text in ("The red locker holds books", "The blue locker holds boots"):
            session.remember(text)
        assert len(texts(session.recall("what does the locker hold"))) == 1
        memory.close()


def test_a_read_writes_nothing(tmp_path: Path) -> None:
    memory = open_memory(tmp_path, clock=ManualClock())
    session = memory.session(Scope(user="ana", thread="t"))
    session.remember("I prefer aisle seats")
    [path] = tmp_path.glob("*/memory.db-wal")
    before = path.read_bytes()
    first = session.context("which seats do I prefer?", {"window": 2000, "reserve": 100})
    assert session.context("which seats do I prefer?", {"window": 2000, "reserve": 100}) == first
    session.recall("seats")
    session.list(kind="all")
    session.export()
    assert path.read_bytes() == before
    session.note_add("Watered the beans")
    assert len(session.list(kind="retrievals").data["items"]) == 3
    memory.close()


def test_every_traced_write_ends_with_its_acknowledgement(tmp_path: Path) -> None:
    points: list[tuple[str, str]] = []
    memory = open_memory(tmp_path, tracer=lambda point, detail: points.append((point, detail)))
    session = memory.session(Scope(user="ana", thread="t"))
    session.append("m1", "user", "hello")
    points.clear()
    session.note_add("Watered the beans")
    kinds = [point for point, _ in points]
    assert kinds[0] == "begin"
    assert kinds[-1] == "acknowledge"
    assert kinds.index("commit") < kinds.index("committed") < len(kinds) - 1
    assert set(kinds) == {"begin", "statement", "commit", "committed", "acknowledge"}
    points.clear()
    session.list()
    assert {point for point, _ in points} == {"statement"}
    memory.close()
