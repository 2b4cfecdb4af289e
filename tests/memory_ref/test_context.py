"""The pure assembly: window and context, without a store."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.memory_ref import context, window
from memgauge.memory_ref.context import Budget, Evidence, Parts, PromptContext
from memgauge.memory_ref.errors import Damaged, Refused
from memgauge.memory_ref.fence import OPENING, undo
from memgauge.memory_ref.policy import load_policy
from memgauge.memory_ref.records import Item, Message
from memgauge.tokens import count_messages, counter

COUNT = counter()
POLICY = load_policy().context


def message(n: int, role: str = "user", text: str = "some words here", calls: tuple[str, ...] = (), call_id: str | None = None) -> Message:
    return Message(
        seq=n, id=f"m{n}", thread="main", parent=None, role=role, text=text, speaker=None, origin="typed", project=None, agent=None, task=None,
        calls=tuple({"id": call, "name": "look_up"} for call in calls), call_id=call_id, created_at="2026-03-02T09:00:00.000000+00:00",
        on_branch=True, state="live", recallable=True, captured=False,
    )  # fmt: skip


def item(name: str, text: str, kind: str = "fact", status: str | None = None) -> Item:
    return Item(id=name, kind=kind, text=text, label=f"a {kind}", status=status)


def talk(turns: int, words: int = 12) -> tuple[Message, ...]:
    return tuple(message(n, "user" if n % 2 == 0 else "assistant", f"turn {n} " + "word " * words) for n in range(2 * turns))


def build(parts: Parts, size: int, reserve: int = 0, evidence: tuple[Item, ...] = ()) -> PromptContext:
    budget = Budget(window=size, reserve=reserve)
    return context.build(parts, budget, POLICY, COUNT, recall=lambda _: Evidence(evidence), summarise=lambda _ids, _room: None)


FULL = Parts(
    application=("You are a helpful assistant.", "Be brief."),
    current="What should I do next?",
    pins=(item("pin-1", "Never delete files.", "pin"), item("pin-2", "Ask before buying.", "pin", "proposed")),
    user=(item("decision-1", "No mails to clients.", "decision"), item("document-1", "I am a gardener in Ghent.", "document")),
    consolidated=(item("document-2", "- Likes roses.\n- Has a dog.", "document"),),
    messages=talk(20),
    older=7,
    goals=(item("goal-1", "Finish the pond.", "goal"),),
)
EVIDENCE = (item("fact-1", "The pond needs a pump."), item("fact-2", "The dog is called Rex."), item("note-1", "Rained all day."))


def spent(built: PromptContext) -> int:
    return count_messages((str(message["content"]) for message in built.messages), COUNT)


def test_the_sections_stand_in_order_and_only_the_application_is_system() -> None:
    built = build(FULL, 4000, 500, EVIDENCE)
    sections = list(dict.fromkeys(one.section for one in built.items))
    assert sections == ["application", "pinned", "longterm", "recent", "recall", "goals", "current"]
    assert [m["content"] for m in built.messages if m["role"] == "system"] == list(FULL.application)
    assert built.messages[-1] == {"role": "user", "content": FULL.current}
    shown = [text for m in built.messages if str(m["content"]).startswith(OPENING) for _, text in undo(str(m["content"]))]
    assert shown == [one.text for one in built.items if one.section in ("pinned", "longterm", "recall", "goals")]
    assert all(one.label for one in built.items)


@settings(max_examples=150, deadline=None)
@given(size=st.integers(40, 3000), reserve=st.integers(0, 400))
def test_every_budget_is_kept_exactly_or_refused_with_the_numbers(size: int, reserve: int) -> None:
    needed = count_messages([*FULL.application, FULL.pins[0].text, FULL.current], COUNT)
    if needed > size - reserve:
        with pytest.raises(Refused, match=rf"need {needed} tokens.* leaves {size - reserve}"):
            build(FULL, size, reserve, EVIDENCE)
        return
    built = build(FULL, size, reserve, EVIDENCE)
    assert spent(built) <= size - reserve
    texts = {one.text for parts in (FULL.pins, FULL.user, FULL.consolidated, FULL.goals, EVIDENCE) for one in parts} | {m.text for m in FULL.messages}
    assert all(one.text in texts for one in built.items if one.section not in ("application", "current"))
    kept = {one.id for one in built.items}
    named = {entry["id"] for entry in built.left_out if "id" in entry}
    wanted = {one.id for parts in (FULL.pins, FULL.user, FULL.consolidated, FULL.goals, EVIDENCE) for one in parts}
    assert wanted <= kept | named
    gone = sum(entry["count"] for entry in built.left_out if entry["section"] == "recent" and "count" in entry)
    assert gone + sum(one.section == "recent" for one in built.items) == len(FULL.messages) + FULL.older


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(min_size=1, max_size=200), min_size=1, max_size=12), size=st.integers(120, 900))
def test_the_budget_holds_for_text_in_any_script(texts: list[str], size: int) -> None:
    parts = Parts(
        current="?",
        user=tuple(item(f"fact-{n}", text) for n, text in enumerate(texts)),
        messages=tuple(message(n, text=text) for n, text in enumerate(texts)),
    )
    built = build(parts, size, 0, tuple(item(f"note-{n}", text) for n, text in enumerate(texts)))
    assert spent(built) <= size


def test_asked_twice_it_is_equal_and_new_evidence_leaves_the_prefix_alone() -> None:
    assert build(FULL, 3000, 0, EVIDENCE) == build(FULL, 3000, 0, EVIDENCE)
    with_evidence, without = build(FULL, 1500, 0, EVIDENCE).messages, build(FULL, 1500).messages
    assert with_evidence[:-2] == without[:-2]


def test_proposed_pins_give_way_before_the_users_own() -> None:
    parts = Parts(current="Hi", pins=FULL.pins)
    sizes = range(count_messages(["Hi", FULL.pins[0].text], COUNT), 200)
    kept = [tuple(one.id for one in build(parts, size).items if one.section == "pinned") for size in sizes]
    assert list(dict.fromkeys(kept)) == [(), ("pin-1",), ("pin-1", "pin-2")]


def test_no_more_than_ten_pins_ten_goals_and_forty_messages() -> None:
    parts = Parts(
        current="Hi", pins=tuple(item(f"pin-{n}", f"rule {n}", "pin") for n in range(14)),
        goals=tuple(item(f"goal-{n}", f"goal {n}", "goal") for n in range(14)), messages=talk(60),
    )  # fmt: skip
    built = build(parts, 100_000)
    sections = [one.section for one in built.items]
    assert (sections.count("pinned"), sections.count("goals"), sections.count("recent")) == (10, 10, 40)


def test_a_failing_recall_leaves_the_rest_and_says_so() -> None:
    def broken(_: frozenset[str]) -> Evidence:
        raise Damaged("index")

    built = context.build(
        FULL,
        Budget(window=4000),
        POLICY,
        COUNT,
        recall=broken,
        summarise=lambda _ids, _room: None,
        fallback=lambda: (item("note-9", "Newest note.", "note"),),
    )
    assert built.degraded == ("recall: Damaged",)
    assert "note-9" in {one.id for one in built.items}
    assert spent(built) <= 4000


def test_a_summary_stands_before_the_turns_only_when_something_is_older() -> None:
    made = item("summary-1", "- [m1] user: the pond is deep.", "summary")
    many = context.build(FULL, Budget(window=2000), POLICY, COUNT, recall=lambda _: Evidence(), summarise=lambda _ids, _room: made)
    assert [one.section for one in many.items].index("summary") < [one.section for one in many.items].index("recent")
    few = context.build(
        Parts(current="Hi", messages=talk(2)), Budget(window=2000), POLICY, COUNT, recall=lambda _: Evidence(), summarise=lambda _ids, _room: made
    )
    assert "summary" not in {one.section for one in few.items}


def test_the_window_is_widened_by_the_extra_tokens_of_a_control_arm() -> None:
    parts = Parts(current="Hi", messages=talk(20))

    def turns(extra: int) -> int:
        budget = Budget(window=600, recent_extra=extra)
        built = context.build(parts, budget, POLICY, COUNT, recall=lambda _: Evidence(EVIDENCE), summarise=lambda _ids, _room: None)
        assert spent(built) <= 600
        return sum(one.section == "recent" for one in built.items)

    assert turns(0) < turns(100) <= turns(10_000)


def test_recall_is_told_what_stands_in_the_window() -> None:
    seen: list[frozenset[str]] = []

    def recall(within: frozenset[str]) -> Evidence:
        seen.append(within)
        return Evidence()

    built = context.build(FULL, Budget(window=800), POLICY, COUNT, recall=recall, summarise=lambda _ids, _room: None)
    assert seen == [frozenset(one.id for one in built.items if one.section == "recent")]


@pytest.mark.parametrize(
    "given", [{}, {"window": "many"}, {"window": -1}, {"window": True}, {"window": 100, "size": 3}, {"window": 100, "reserve": 1.5}]
)
def test_a_budget_that_is_none_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(Refused, match="budget"):
        Budget.of(given)


# --- the window ---------------------------------------------------------------------------------------------------------


def pairs_are_whole(kept: window.Window, said: tuple[Message, ...]) -> None:
    ids = kept.ids()
    for one in said:
        if one.id in ids and one.call_id is not None:
            assert any(call["id"] == one.call_id for other in said if other.id in ids for call in other.calls)
        if one.id in ids:
            for call in one.calls:
                assert any(other.call_id == call["id"] for other in said if other.id in ids)


TOOLS = (
    message(0, text="Please compare the two shops."),
    message(1, "assistant", "", calls=("c1", "c2")),
    message(2, "tool", "price " * 900, call_id="c1"),
    message(3, "tool", "cheap", call_id="c2"),
    message(4, "assistant", "The second one is cheaper."),
    message(5, text="Thanks, and the third?"),
    message(6, "assistant", "", calls=("c3",)),
    message(7, "tool", "closed", call_id="c3"),
    message(8, "assistant", "It is closed."),
)


@settings(max_examples=200, deadline=None)
@given(room=st.integers(0, 1400), most=st.integers(1, 12))
def test_calls_and_results_are_kept_together_at_every_size(room: int, most: int) -> None:
    kept = window.fit(TOOLS, room, most, 50, COUNT)
    pairs_are_whole(kept, TOOLS)
    assert kept.tokens <= room
    assert len(kept.turns) <= most
    assert {turn.message.id for turn in kept.dropped} | kept.ids() == {one.id for one in TOOLS}


def test_a_long_tool_result_is_stubbed_before_a_turn_is_dropped() -> None:
    kept = window.fit(TOOLS, 250, 40, 50, COUNT)
    assert [turn.message.id for turn in kept.turns] == [one.id for one in TOOLS]
    assert [turn.content for turn in kept.turns if turn.stub] == ["[tool result of 901 tokens left out]"]
    roomy = window.fit(TOOLS, 2000, 40, 50, COUNT)
    assert not any(turn.stub for turn in roomy.turns)


def test_whole_turns_are_dropped_oldest_first() -> None:
    kept = window.fit(talk(10), 160, 40, 50, COUNT)
    assert kept.turns[0].message.role == "user"
    assert [turn.message.seq for turn in kept.turns] == list(range(20 - len(kept.turns), 20))


def test_one_giant_message_does_not_empty_the_window() -> None:
    said = (*talk(3), message(6, text="giant " * 5000), message(7, "assistant", "I see."), message(8, text="And now?"))
    kept = window.fit(said, 400, 40, 50, COUNT)
    (stub,) = [turn for turn in kept.turns if turn.stub]
    assert stub.content.startswith("[message of ")
    assert len(kept.turns) == len(said)


def test_an_unanswered_call_and_an_orphan_result_are_left_out() -> None:
    said = (message(0, "tool", "late", call_id="gone"), message(1), message(2, "assistant", "", calls=("open",)))
    assert window.fit(said, 1000, 40, 50, COUNT).ids() == {"m1"}


def test_a_turn_with_more_messages_than_allowed_keeps_its_newest_exchanges() -> None:
    said = [message(0)]
    for n in range(30):
        said += [message(2 * n + 1, "assistant", "", calls=(f"c{n}",)), message(2 * n + 2, "tool", "ok", call_id=f"c{n}")]
    kept = window.fit(said, 10_000, 40, 50, COUNT)
    pairs_are_whole(kept, tuple(said))
    assert len(kept.turns) == 40
    assert kept.turns[-1].message.id == "m60"
