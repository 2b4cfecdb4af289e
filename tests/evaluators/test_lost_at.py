"""Where a fact, a deletion or an update was lost, and which reads tell."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.evaluators import diagnose, judge
from memgauge.evaluators.lost_at import WIDE, anchor_words
from memgauge.records import Entry, Judgement, Step
from tests.evaluators.build import ANA, FACTS, NEW, NOW, History, expect, item, plan

QUESTION = "Where to?"
L, C = item("ana moved to Lyon", "fact-2"), item("the cat is called Plum", "fact-3")
FAR = [item(f"the weather was mild on day {n}", f"note-{n}") for n in range(7)]


def look(history: History, check: str, op: str, args: dict[str, Any], *items: dict[str, Any], status: str = "ok", messages: Any = None) -> None:
    data = {"items": list(items), **({"messages": messages} if messages is not None else {})}
    entry = Entry(
        n=len(history.entries) + 1, type="diagnosis", step=check, now=NOW, op=op, scope=ANA, args=args, receipt={"status": status, "data": data}
    )
    history.entries.append(entry)


def verdict(history: History, check: Any, tells: dict[str, str] | None = None):
    return judge(plan(check, tells=tells or {"told": "new_home"}), history.entries).verdicts[0]


def missing(
    *,
    told: str = "ok",
    ids: tuple[str, ...] = (),
    listed: Any = (L,),
    own: Any = (L,),
    asked: Any = (L,),
    wide: bool = False,
    items: Any = (C,),
    messages: Any = None,
):
    """A `present` check that failed at a context, with the reads made for it; None: the system has no such verb."""
    h = History()
    h.call("told", "remember", {"text": NEW.text}, status=told, **({"ids": list(ids)} if ids else {}))
    h.context("after", items=items, messages=messages)
    check = expect("present", "after", "new_home", id="c")
    for op, args, found in (
        ("list", {"kind": "all"}, listed),
        ("recall", {"query": anchor_words(NEW), "k": WIDE}, own),
        ("recall", {"query": QUESTION, "k": WIDE}, asked),
    ):
        look(h, "c", op, args, *(found or ()), status="unsupported" if found is None else "ok")
    block = [{"role": "user", "content": L["text"]}] if wide else []
    look(h, "c", "context", {"text": QUESTION}, *([L] if wide else []), messages=[*block, {"role": "user", "content": QUESTION}])
    return verdict(h, check)


@pytest.mark.parametrize(
    ("made", "stage", "word"),
    [
        ({"told": "refused"}, "said", "refused"),
        ({"listed": (), "own": (), "asked": ()}, "captured", "nothing was kept"),
        ({"listed": (), "own": (), "asked": (), "ids": ("fact-2",)}, "stored", "not listed"),
        ({"own": (), "asked": ()}, "retrievable", "own words"),
        ({"asked": (*FAR, L)}, "ranked", "rank 8 with k = 5"),
        ({"asked": FAR}, "ranked", "does not find it"),
        ({"wide": True}, "fitted", "twice the budget"),
        ({"items": (L,), "messages": [{"role": "user", "content": "nothing"}]}, "rendered", "not in the messages"),
        ({"listed": None, "own": None, "asked": None}, "", "stored, retrievable"),
    ],
)
def test_a_missing_fact_is_lost_at_the_first_stage_it_did_not_pass(made: dict[str, Any], stage: str, word: str):
    found = missing(**made)
    assert (found.outcome, found.lost_at) == ("fail", stage)
    assert word in found.reason


def test_a_sentence_that_is_there_and_not_recognised_is_lost_at_matching():
    h = History()
    h.call("told", "remember", {"text": "I live in Ghent."})
    h.context("after", items=[item("I live in Ghent. I used to.", "fact-1")])
    look(h, "c", "list", {"kind": "all"}, status="unsupported")
    found = verdict(h, expect("present", "after", "old_home", id="c"), {"told": "old_home"})
    assert (found.outcome, found.lost_at) == ("fail", "matched")


def kept(kind: str, *, listed: Any, own: Any, changed: str = "ok", facts: str = "old_home"):
    """An absence that failed at a context."""
    g = item("ana lives in Ghent", "fact-1")
    h = History()
    h.listing("before", g, C)
    h.call("told", "correct", {"text": NEW.text}, status=changed)
    h.call("gone", "forget", {"id": "fact-1"}, status=changed)
    h.context("after", items=[g, C])
    for op, args, found in (("list", {"kind": "all"}, listed), ("recall", {"query": anchor_words(FACTS["old_home"]), "k": WIDE}, own)):
        look(h, "c", op, args, *(found or ()), status="unsupported" if found is None else "ok")
    return verdict(h, expect(kind, "after", facts, proof=("seen", "before"), id="c"))


@pytest.mark.parametrize(
    ("kind", "made", "stage"),
    [
        ("deleted", {"listed": [item("ana lives in Ghent")], "own": ()}, "stored"),
        ("deleted", {"listed": (), "own": [item("ana lives in Ghent")]}, "retrievable"),
        ("deleted", {"listed": None, "own": [item("ana lives in Ghent")]}, "retrievable"),
        ("deleted", {"listed": (), "own": ()}, "rendered"),
        ("deleted", {"listed": (), "own": (), "changed": "refused"}, "said"),
        ("deleted", {"listed": None, "own": None}, ""),
        ("stale", {"listed": [item("ana lives in Ghent", status="superseded")], "own": ()}, "rendered"),
        ("stale", {"listed": [item("ana lives in Ghent")], "own": ()}, "stored"),
        ("injected", {"listed": [item("ana lives in Ghent")], "own": ()}, "captured"),
    ],
)
def test_what_should_be_gone_is_lost_where_it_is_still_held(kind: str, made: dict[str, Any], stage: str):
    assert kept(kind, **made).lost_at == stage


def test_diagnose_asks_each_question_once_in_the_scope_of_the_failed_step():
    h = History()
    h.context("after", items=[C])
    step = Step(id="after", kind="call", op="context", args={"text": QUESTION, "budget": {"window": 1000, "reserve": 400}})
    checks = [expect("present", "after", "new_home", id="one"), expect("sufficient", "after", "new_home", id="two"), expect("budget", "after")]
    asked = plan(*checks)
    asked = type(asked)(**{**{name: getattr(asked, name) for name in asked.__slots__}, "steps": (step,)})
    judgement = judge(asked, h.entries)
    reads = diagnose(asked, h.entries, judgement)
    assert [(read.id, read.op) for read in reads] == [("one", "list"), ("one", "recall"), ("one", "recall"), ("one", "context")]
    assert reads[-1].args["budget"] == {"window": 1600, "reserve": 400}
    assert all(read.scope == step.scope and read.kind == "call" for read in reads)
    assert diagnose(asked, h.entries, Judgement(verdicts=())) == []


def test_the_first_judgement_without_looks_says_what_it_can():
    h = History()
    h.call("told", "remember", {"text": NEW.text}, status="error")
    h.context("after", items=[C])
    assert verdict(h, expect("present", "after", "new_home")).lost_at == "said"


def test_a_recall_with_limits_of_its_own_lost_what_the_same_question_finds_without():
    h = History()
    h.call("told", "remember", {"text": NEW.text}, ids=["fact-2"])
    h.call("after", "recall", {"query": QUESTION, "min_score": 0.9}, data={"items": []})
    look(h, "c", "list", {"kind": "all"}, L)
    look(h, "c", "recall", {"query": anchor_words(NEW), "k": WIDE}, L)
    look(h, "c", "recall", {"query": QUESTION, "k": WIDE}, L)
    assert verdict(h, expect("present", "after", "new_home", id="c")).lost_at == "ranked"


@pytest.mark.parametrize("op", ["forget", "expire", "append"])
def test_looks_at_the_end_tell_nothing_of_what_a_later_step_took_away(op: str):
    h = History()
    h.call("told", "remember", {"text": NEW.text}, ids=["fact-2"])
    h.context("after", items=[C])
    h.call("later", op, {"id": "fact-2"})
    for name, args in (("list", {"kind": "all"}), ("recall", {"query": anchor_words(NEW), "k": WIDE}), ("recall", {"query": QUESTION, "k": WIDE})):
        look(h, "c", name, args)
    assert verdict(h, expect("present", "after", "new_home", id="c")).lost_at == ("stored" if op == "append" else "")
