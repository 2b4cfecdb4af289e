"""One case as evaluators see it: the plan, the history, and what follows from the two. Nothing else is ever looked at."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from memgauge.anchors import Match, Matcher
from memgauge.evaluators.labels import NONE, LabelKey, Labels
from memgauge.evaluators.thread import Thread
from memgauge.evaluators.units import Answer, Unit, answer_of
from memgauge.protocol import Manifest
from memgauge.records import CasePlan, Entry, Expectation
from memgauge.texts import texts_in

AssembledBy = Literal["system", "harness"]


class Case:
    """Answers by step, facts in units, and aliases in the order in which ids were first seen."""

    def __init__(
        self,
        plan: CasePlan,
        history: Sequence[Entry],
        manifest: Manifest | None = None,
        assembled_by: AssembledBy = "system",
        labels: Labels = NONE,
    ) -> None:
        self.plan = plan
        self.history = tuple(sorted((e for e in history if e.type != "diagnosis" and "within" not in e.data), key=lambda entry: entry.n))
        self._later = {(e.step, str(e.data["within"])): e for e in history if "within" in e.data}
        self.looks = tuple(sorted((entry for entry in history if entry.type == "diagnosis"), key=lambda entry: entry.n))
        self.manifest = manifest
        self.assembled_by = assembled_by
        self.matcher = Matcher(plan.facts)
        self.labels = labels
        self.steps = {step.id: step for step in plan.steps}
        self._entries: dict[str, Entry] = {}
        for entry in self.history:
            self._entries.setdefault(entry.step, entry)
        self._answers: dict[int, Answer] = {}
        self._aliases = _aliases(self.history)

    def entry(self, step: str) -> Entry | None:
        """The first entry of a step, or None when the case never got there."""
        return self._entries.get(step)

    def later(self, step: str, within: str) -> Entry | None:
        """What a step showed when it was done again after a stated deletion period."""
        return self._later.get((step, within))

    def since(self, expectation: Expectation) -> Entry:
        """The earlier step an answer is compared with. `judge` has seen to it that the case got there; raises KeyError otherwise."""
        return self._entries[str(expectation.params["since"])]

    def answer(self, entry: Entry) -> Answer:
        """The units of an entry's answer."""
        if entry.n not in self._answers:
            self._answers[entry.n] = answer_of(entry, self.thread(entry))
        return self._answers[entry.n]

    def thread(self, entry: Entry) -> Thread:
        """The thread of an entry as it was before it."""
        calls = texts_in([m.get("calls") for m in self.messages(entry)], unpack=True)
        return Thread(self.said(entry), [(str(m.get("role", "user")), str(m.get("text", ""))) for m in self.branch(entry)], calls)

    def branch(self, entry: Entry) -> list[Mapping[str, Any]]:
        """Args of the messages of the thread's active branch before the entry, oldest first."""
        given: dict[str, Mapping[str, Any]] = {}
        parents: dict[str, str] = {}
        leaf = ""
        for earlier in self._in_thread(entry):
            if earlier.op == "switch":
                leaf = str(earlier.args.get("message_id", ""))
            for message in _given(earlier):
                edited = earlier.op == "edit_message"
                name = str(message.get("new_id" if edited else "message_id", ""))
                if not name or name in given:
                    continue
                parents[name] = parents.get(str(message.get("message_id")), "") if edited else str(message.get("parent") or leaf)
                given[name] = message
                leaf = name
        found: list[Mapping[str, Any]] = []
        while leaf in given:
            found.append(given[leaf])
            leaf = parents[leaf]
        return found[::-1]

    def _in_thread(self, entry: Entry) -> Iterator[Entry]:
        corner = _corner(entry)
        return (earlier for earlier in self.history if earlier.n < entry.n and _corner(earlier) == corner)

    def said(self, entry: Entry) -> list[tuple[str, str]]:
        """(role, text) of every message given to the entry's thread before it, other branches included."""
        return [(str(m.get("role", "user")), str(m.get("text", ""))) for m in self.messages(entry)]

    def messages(self, entry: Entry) -> list[Mapping[str, Any]]:
        """Args of every message given to the entry's thread before it."""
        return [message for earlier in self._in_thread(entry) for message in _given(earlier)]

    def was_said(self, text: str) -> bool:
        """Whether the text is a message of the case, or an excerpt of one, word for word."""
        excerpt = text.strip(" .…[]")
        return bool(excerpt) and any(excerpt in said for said in self._all_said)

    @functools.cached_property
    def _all_said(self) -> tuple[str, ...]:
        return tuple(str(m.get("text", "")) for entry in self.history for m in _given(entry))

    def match(self, fact: str, unit: Unit) -> Match:
        """What the rules say; where they cannot tell, what a person ruled."""
        found = self.matcher.match(fact, unit.text)
        if found is Match.UNSURE and self.labels:
            ruled = self.labels.get(LabelKey.of(self.plan.scenario, fact, unit.text))
            return found if ruled is None else Match.YES if ruled else Match.NO
        return found

    def find(self, fact: str, units: Iterable[Unit], *, told: bool = False) -> tuple[list[Unit], list[Unit]]:
        """(units that state the fact, units that may). `told`: a unit that only denies it counts too, for it tells the value."""
        sure: list[Unit] = []
        unsure: list[Unit] = []
        for unit in units:
            found = self.match(fact, unit)
            if found is Match.YES or (told and found is Match.DENIED):
                sure.append(unit)
            elif found is Match.UNSURE:
                unsure.append(unit)
        return sure, unsure

    def alias(self, unit: Unit) -> str:
        """`item-N` for an item, never its own id; for other text the place where it stands."""
        key = unit.id or (unit.text if unit.place in ("item", "recent", "listed") else "")
        return self._aliases.get(key) or unit.name or unit.section or unit.place


def degraded(entry: Entry) -> bool:
    """Whether the answer says that something it was to be made from did not work."""
    data = entry.receipt.get("data")
    return isinstance(data, Mapping) and bool(data.get("degraded"))


def _given(entry: Entry) -> list[Mapping[str, Any]]:
    """Args of the messages that an entry gave to its thread."""
    if entry.op == "append_many":
        return _dicts(entry.args.get("messages"))
    return [entry.args] if entry.op in ("append", "edit_message") else []


def _corner(entry: Entry) -> tuple[object, object, object]:
    return entry.scope.get("tenant", "default"), entry.scope.get("user", ""), entry.scope.get("thread")


def _aliases(history: Iterable[Entry]) -> dict[str, str]:
    names: dict[str, str] = {}
    for entry in history:
        if entry.type == "race":
            continue  # the order of a race is not a function of the case
        data = entry.receipt.get("data")
        parts = data if isinstance(data, Mapping) else {}
        listed = [*_dicts(parts.get("items")), *_dicts(parts.get("saved")), *_dicts(parts.get("messages"))]
        for key in (*(str(i) for i in entry.receipt.get("ids", ())), *(_key(item) for item in listed)):
            if key:
                names.setdefault(key, f"item-{len(names) + 1}")
    return names


def _key(item: Mapping[str, Any]) -> str:
    return str(item.get("id") or item.get("message_id") or item.get("text") or "")


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [part for part in value if isinstance(part, Mapping)] if isinstance(value, list | tuple) else []
