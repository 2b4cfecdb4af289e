"""What lists and documents hold: unchanged, exact, and traceable to a message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memgauge.clock import parse_instant
from memgauge.errors import InputError
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, names, passed
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name, fact_names, unit_name
from memgauge.records import Entry, Expectation

_NEIGHBOURS = 3
"""Messages beside the right one that `explain` may name: the turn around it."""
_CLOCKED = re.compile(r"(?:^|_)(?:ms|seconds)$|time|took|latency|elapsed|cost|tokens")
"""Parts of an answer whose numbers are of the call and not of what is stored."""
_TIMES = ("created_at", "confirmed_at", "expires_at")
_SCORE = 0.005
"""What a score may move between two calls by rounding and by its own age."""


@EVALUATORS.register("unchanged")
def unchanged(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Id, text, status and times of every item, or the document's bytes, are those of the earlier answer; with `numbers` its numbers
    too. A time is compared where both answers give one."""
    earlier = case.since(expectation)
    if earlier.status != entry.status:
        return failed(f"{answer_name(entry)} was answered {entry.status}, step {earlier.step} {earlier.status}")
    before, now = case.answer(earlier).items(), case.answer(entry).items()
    for old, new in zip(before, now, strict=False):
        if _face(old) != _face(new):
            return failed(f"{unit_name(case, new)} in {answer_name(entry)} is not what {unit_name(case, old)} was at {earlier.step}")
    if len(before) != len(now):
        odd = (before if len(before) > len(now) else now)[min(len(before), len(now))]
        return failed(f"{unit_name(case, odd)} is {'gone from' if len(before) > len(now) else 'new in'} {answer_name(entry)}")
    for old_item, new_item, unit in zip(_items(earlier), _items(entry), now, strict=False):
        if moved := next((name for name in _TIMES if _moved(old_item.get(name), new_item.get(name))), ""):
            return failed(f"{moved} of {unit_name(case, unit)} in {answer_name(entry)} is not what it was at {earlier.step}")
    if expectation.params.get("numbers") and (path := _other_number(earlier, entry)):
        return failed(f"{path} of {answer_name(entry)} is not what it was at {earlier.step}")
    return passed()


def _items(entry: Entry) -> list[Mapping[str, object]]:
    data = entry.receipt.get("data")
    items = data.get("items") if isinstance(data, Mapping) else None
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list | tuple) else []


def _moved(before: object, now: object) -> bool:
    """Whether two times are two instants. What is no time says nothing."""
    try:
        return isinstance(before, str) and isinstance(now, str) and parse_instant(before) != parse_instant(now)
    except InputError:
        return False


def _other_number(earlier: Entry, entry: Entry) -> str:
    """The first number of the data (a score, a total, a count of what was withheld) that differs or has no counterpart, or empty."""
    before, now = (dict(_numbers(one.receipt.get("data"), "")) for one in (earlier, entry))
    return next((path for path in {**before, **now} if path not in before or path not in now or abs(before[path] - now[path]) > _SCORE), "")


def _numbers(value: object, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not _CLOCKED.search(str(key)):
                yield from _numbers(part, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            yield from _numbers(part, f"{path}.{place}".lstrip("."))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def _face(unit: Unit) -> tuple[str, str, str]:
    return unit.id, unit.text, unit.status


@EVALUATORS.register("document")
def document(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The text is exactly this, or contains these passages in order, byte for byte."""
    text = entry.receipt.get("data", {}).get("text")
    if not isinstance(text, str):
        return failed(f"{answer_name(entry)} holds no document: {entry.status}")
    whole = expectation.params.get("equals")
    if whole is not None and text != whole:
        return failed(f"the document of {answer_name(entry)} differs from character {_first_difference(text, str(whole))} on")
    at = 0
    for number, passage in enumerate(names(expectation.params.get("contains")), 1):
        found = text.find(passage, at)
        if found < 0:
            return failed(f"passage {number} is not in the document of {answer_name(entry)}, or not in its place")
        at = found + len(passage)
    return passed()


def _first_difference(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@EVALUATORS.register("provenance")
def provenance(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The item names the message it came from; of a list, the item that carries the fact."""
    message = str(expectation.params["message"])
    answer = case.answer(entry)
    carriers = [unit for fact in expectation.facts for unit in case.find(fact, answer.items())[0]]
    if entry.op == "explain":
        carriers = list(answer.items())
        named = next((unit for unit in carriers if unit.id == message), None)
        if named is not None and not case.was_said(named.text):
            return failed(f"{answer_name(entry)} gives message {_told_as(case, message)} in words that nobody said")
        if named is not None and len(carriers) - 1 > _NEIGHBOURS:
            return failed(f"{answer_name(entry)} names {len(carriers) - 1} messages beside {_told_as(case, message)}, which is no source")
        if named is not None:
            return passed()
        return failed(f"{answer_name(entry)} does not lead back to message {_told_as(case, message)} but to {len(carriers)} others")
    if not carriers:
        return failed(f"{fact_names(case, expectation.facts) or 'the item'} is not in {answer_name(entry)}")
    for unit in carriers:
        if message not in unit.sources:
            return failed(f"{unit_name(case, unit)} in {answer_name(entry)} does not name message {_told_as(case, message)} as its source")
    return passed()


def _told_as(case: Case, message: str) -> str:
    """The step that gave the message, since its id says nothing to a reader."""
    return next((f"of step {entry.step}" for entry in case.history if message in (entry.args.get("message_id"), entry.args.get("new_id"))), message)
