"""The prompt as a list of messages: its order, its stable head, its limits, whole items, and nothing a client made up."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from memgauge.evaluators.case import Case
from memgauge.evaluators.rendered import messages_of, text_of
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, names, passed, unscored
from memgauge.evaluators.thread import Thread
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name, fact_name, fact_names, unit_name
from memgauge.records import Entry, Expectation

_CUT_MARKS = ("…", "...", "]", "[cut", "(cut)", "truncated", "shortened")
_TELLING_START = 12
"""Characters by which the beginning of an item is known again on a line: about two words, rarely shared by chance."""


@EVALUATORS.register("client_history")
def client_history(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Nothing of a history the client claims is in the prompt, unless it was really said."""
    claimed = entry.args.get("client_history")
    texts = [str(m.get("text", m.get("content", ""))) if isinstance(m, Mapping) else str(m) for m in claimed] if isinstance(claimed, list) else []
    said = Thread(case.said(entry)).texts
    invented = [text for text in texts if text.strip() and text not in said]
    if not invented:
        return unscored("the step claims no history")
    own = [str(entry.args.get("text", "")), *(str(text) for text in entry.args.get("application") or ())]
    for n, message in enumerate(messages_of(entry.receipt), 1):
        content = text_of(message)
        for number, text in enumerate(invented, 1):
            if (text in content or text in html.unescape(content)) and not any(text in part for part in own):
                return failed(f"message {n} of {answer_name(entry)} holds claimed message {number}, which nobody said")
    for fact in expectation.facts:
        sure, _ = case.find(fact, case.answer(entry).content())
        if sure:
            return failed(f"{unit_name(case, sure[0])} in {answer_name(entry)} states {fact_name(case, fact)}, which only the client claims")
    return passed()


@EVALUATORS.register("prefix")
def prefix(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Asked twice, the prompt is equal; between two probes the messages before the first turn or recalled item are."""
    now = messages_of(entry.receipt)
    if expectation.params.get("since") is None:
        again = entry.data.get("again")
        if not isinstance(again, Mapping):
            return broken(f"step {entry.step} was not asked twice")
        return _equal(now, messages_of(again), max(len(now), len(messages_of(again))), f"the two answers of step {entry.step}")
    earlier = case.since(expectation)
    head = _head(case, earlier)
    if not head:
        return unscored(f"the prompt of {earlier.step} has no messages before its first turn or recalled item")
    return _equal(messages_of(earlier.receipt), now, head, f"the prompts of {earlier.step} and {entry.step}")


def _equal(first: list[Mapping[str, Any]], second: list[Mapping[str, Any]], count: int, what: str) -> Ruling:
    for n in range(count):
        one = first[n] if n < len(first) else None
        other = second[n] if n < len(second) else None
        if one != other:
            return failed(f"message {n + 1} differs between {what}")
    return passed()


def _head(case: Case, entry: Entry) -> int:
    """How many messages stand before the first verbatim turn, recalled item or current message."""
    moving = [u.at[0] for u in case.answer(entry).content() if u.place == "recent" or u.section in ("recent", "recall", "summary")]
    return min([*moving, len(messages_of(entry.receipt)) - 1])


@EVALUATORS.register("order")
def order(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The first units carrying these facts stand in this order, and the current message is the last."""
    rendered = messages_of(entry.receipt)
    if not rendered or str(entry.args.get("text", "")) not in text_of(rendered[-1]):
        return failed(f"the current message is not the last of {answer_name(entry)}")
    units = sorted(case.answer(entry).content(), key=lambda unit: unit.at)
    previous: tuple[str, Unit] | None = None
    for fact in names(expectation.params["facts_in_order"]):
        sure, _ = case.find(fact, units)
        if not sure:
            return unscored(f"{fact} is not in the prompt, so it has no place")
        if previous is not None and sure[0].at < previous[1].at:
            return failed(
                f"{unit_name(case, sure[0])} with {fact} stands before {unit_name(case, previous[1])} with {previous[0]} in {answer_name(entry)}"
            )
        previous = (fact, sure[0])
    return passed()


@EVALUATORS.register("at_most")
def at_most(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The prompt holds no more than this many items of the section; for recent, verbatim turns whatever the list says."""
    section, most = str(expectation.params["section"]), int(expectation.params["max"])
    content = case.answer(entry).content()
    held = [unit for unit in content if unit.section == section or (section == "recent" and unit.place == "recent")]
    if len(held) > most:
        return failed(
            f"{unit_name(case, held[most])} is number {most + 1} of {section} in {answer_name(entry)}, which holds {len(held)}", float(len(held))
        )
    return passed(float(len(held)))


@EVALUATORS.register("whole")
def whole(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Every listed item is rendered whole, not at all, or with a visible mark of its cut; no character is cut in two."""
    rendered = messages_of(entry.receipt)
    answer = case.answer(entry)
    given = "".join(text for _, text in case.said(entry))
    for n, message in enumerate(rendered, 1):
        content = text_of(message)
        if any("\ud800" <= ch <= "\udfff" for ch in content) or ("\ufffd" in content and "\ufffd" not in given):
            return failed(f"message {n} of {answer_name(entry)} holds half a character")
    lines = [unit for unit in answer.memory() if unit.place == "line"]
    for unit in answer.units:
        start = " ".join(unit.text.split())[:_TELLING_START]
        if unit.name != "an item that is not rendered" or len(start) < _TELLING_START:
            continue
        for line in lines:
            shown = " ".join(html.unescape(line.text).replace('\\"', '"').replace("\\u003c", "<").split())
            if start in shown and not shown.rstrip('"}) ').endswith(_CUT_MARKS):
                return failed(f"{case.alias(unit)} is cut on {line.name} of {answer_name(entry)} without a mark")
    return passed()


@EVALUATORS.register("left_out")
def left_out(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """What is stored and not in the prompt is said to be left out, whatever the number of words it takes."""
    content = case.answer(entry).content()
    missing = [fact for fact in expectation.facts if not case.find(fact, content)[0]]
    if not missing:
        return unscored("all of it is in the prompt, so there was nothing to say")
    data = entry.receipt.get("data")
    if isinstance(data, Mapping) and (data.get("left_out") or data.get("degraded")):
        return passed(float(len(missing)))
    return failed(f"{fact_names(case, missing)} is not in {answer_name(entry)}, which says of nothing that it was left out", float(len(missing)))
