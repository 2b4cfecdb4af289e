"""Whether the parts of a scenario fit together: every name that is used exists, and exists early enough."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from memgauge.clock import parse_duration, parse_instant
from memgauge.errors import InputError, nearest
from memgauge.records import Proof
from memgauge.scenarios import steps as kinds
from memgauge.scenarios.compile import DEFAULT_ACTOR
from memgauge.scenarios.drawing import PLACEHOLDER, RACE_NAMES, Drawing
from memgauge.scenarios.expect import Check, ProvenCheck, params_of
from memgauge.scenarios.filler import TOPICS
from memgauge.scenarios.scenario import Scenario
from memgauge.strict_yaml import Path_
from memgauge.surfaces import DEPTHS

FACT_PARAMS = ("misleading", "decoys", "fine", "durable", "covers", "not", "facts_in_order")
"""Parameters of checks that list facts."""
_RECORD = re.compile(r"\$([a-z][a-z0-9_]*)(\.revision)?")
_MESSAGE_KEYS = ("message_id", "parent", "message")


def check_references(scenario: Scenario) -> Iterator[InputError]:
    """Every fault that the file alone shows, in the order of the file."""
    yield from _values(scenario)
    yield from _placeholders(scenario)
    yield from _Steps(scenario).faults()


def _values(scenario: Scenario) -> Iterator[InputError]:
    spec = scenario.spec
    try:
        Drawing.make(0, spec.id, spec.values)
    except InputError as error:
        yield scenario.error(("values",), str(error), hint=error.hint)
    if spec.start is not None:
        try:
            parse_instant(spec.start)
        except InputError as error:
            yield scenario.error(("start",), str(error), hint=error.hint)
    for name, fact in spec.facts.items():
        if fact.replaces is not None and fact.replaces not in spec.facts:
            yield scenario.error(("facts", name, "replaces"), f"unknown fact {fact.replaces!r}", hint=nearest(fact.replaces, spec.facts))
        empty = [
            i for i, group in enumerate(fact.anchors) if not group or not all(text.strip() for text in ([group] if isinstance(group, str) else group))
        ]
        for i in empty:
            yield scenario.error(("facts", name, "anchors", i), "an empty anchor would match everything")


def _placeholders(scenario: Scenario) -> Iterator[InputError]:
    known = scenario.spec.values.keys() | RACE_NAMES
    for top in ("facts", "steps", "actors"):
        for path, text in _texts((top,), scenario.document.data.get(top)):
            for name in PLACEHOLDER.findall(text):
                if name and name not in known:
                    yield scenario.error(
                        path, f"no value is called {name!r}", hint=f"declare it under values, or write {{{{{name}}}}} for the braces themselves"
                    )


def _texts(path: Path_, data: Any) -> Iterator[tuple[Path_, str]]:
    if isinstance(data, str):
        yield path, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _texts((*path, key), value)
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from _texts((*path, i), value)


class _Steps:
    """Walks the steps in order and remembers what each has made so far."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.facts = scenario.spec.facts
        self.ids: dict[str, int] = {}
        self.records: set[str] = set()
        self.messages: set[str] = set()
        self.seen: dict[str, set[str]] = {}
        self.scanned: dict[str, set[str]] = {}

    def faults(self) -> Iterator[InputError]:
        for index, step in enumerate(self.scenario.spec.steps):
            path: Path_ = ("steps", index)
            if step.id is not None:
                if step.id in self.ids:
                    yield self._error((*path, "id"), f"step id {step.id!r} is taken", hint="ids are unique within a scenario")
                self.ids[step.id] = index
            yield from self._actor((*path, "as"), step.as_)
            yield from self._names(path, step)
            yield from self._kind(path, step)
            yield from self._checks((*path, "expect"), step)
            self._remember(step)

    def _kind(self, path: Path_, step: Any) -> Iterator[InputError]:
        match step:
            case kinds.AskStep():
                yield from self._ask(path, step)
            case kinds.AdvanceStep():
                try:
                    (parse_instant if step.advance[:1].isdigit() else parse_duration)(step.advance)
                except InputError as error:
                    yield self._error((*path, "advance"), str(error), hint=error.hint)
            case kinds.ScanStep():
                yield from self._known((*path, "scan"), step.scan)
            case kinds.FillerStep():
                for i, topic in enumerate(step.filler.topics or ()):
                    if topic not in TOPICS:
                        yield self._error((*path, "filler", "topics", i), f"unknown filler topic {topic!r}", hint=nearest(topic, TOPICS))
                if 2 * len(step.filler.near) > step.filler.messages + 1:
                    yield self._error((*path, "filler", "near"), "more near-misses than the filler has user messages", hint="raise messages")
            case kinds.KillStep() | kinds.RaceStep():
                if self.scenario.spec.lane != "process":
                    yield self._error(path, "needs lane: process", hint="steps with processes run only there; write `lane: process` beside the id")
                if isinstance(step, kinds.RaceStep):
                    scopes = step.concurrently.scopes
                    for actor in [*(scopes or ()), *(op.as_ for op in step.concurrently.ops or ())]:
                        yield from self._actor((*path, "concurrently"), actor)
                    if scopes is not None and len(scopes) != step.concurrently.writers:
                        yield self._error(
                            (*path, "concurrently", "scopes"), f"{len(scopes)} scopes for {step.concurrently.writers} writers", hint="one each"
                        )
        yield from self._known((*path, "tells"), getattr(step, "tells", ()))

    def _ask(self, path: Path_, step: kinds.AskStep) -> Iterator[InputError]:
        for key in ("needs", "fine", "decoys"):
            yield from self._known((*path, key), getattr(step, key))
        for i, entry in enumerate(step.absent):
            here = (*path, "absent", i)
            yield from self._known((*here, "fact"), [entry.fact])
            yield from self._proof(here, entry.proof, entry.fact, beside=[*step.needs, *step.fine])
            if entry.fact in step.needs:
                yield self._error(here, f"{entry.fact} is needed and must be absent", hint="drop one")
            for wrong in set(entry.via or ()) - set(step.via):
                yield self._error((*here, "via"), f"{wrong!r} is not a read path of this ask", hint=nearest(wrong, step.via))

    def _checks(self, path: Path_, step: Any) -> Iterator[InputError]:
        checks = getattr(step, "expect", None)
        for i, check in enumerate(checks if isinstance(checks, list) else ()):
            assert isinstance(check, Check)
            here = (*path, i)
            yield from self._known((*here, "facts"), check.facts)
            params = params_of(check)
            for key in FACT_PARAMS:
                yield from self._known((*here, key), params.get(key, ()))
            if "since" in params and params["since"] not in self.ids:
                yield self._error((*here, "since"), f"no earlier step is called {params['since']!r}", hint=nearest(params["since"], self.ids))
            if check.check == "residue" and (grade := params.get("grade", "bytes")) not in DEPTHS[1:]:
                yield self._error((*here, "grade"), f"unknown grade {grade!r}", hint=nearest(str(grade), DEPTHS[1:]))
            if isinstance(check, ProvenCheck):
                if not check.facts:
                    yield self._error(here, "names no fact", hint="facts: [...]")
                for fact in check.facts:
                    yield from self._proof(here, check.proof, fact, beside=None)

    def _proof(self, path: Path_, proof: Proof, fact: str, *, beside: Sequence[str] | None) -> Iterator[InputError]:
        here = (*path, proof.kind)
        if proof.kind == "control":
            yield from self._known(here, [proof.ref])
            if beside is not None and proof.ref in self.facts and proof.ref not in beside:
                yield self._error(here, f"the control {proof.ref!r} is not expected in this answer", hint="add it to needs or fine")
            return
        found = self.scanned if proof.kind == "bytes_seen" else self.seen
        if proof.ref not in self.ids:
            yield self._error(here, f"no earlier step is called {proof.ref!r}", hint=nearest(proof.ref, found))
        elif fact in self.facts and fact not in found.get(proof.ref, ()):
            verb = "scans for" if proof.kind == "bytes_seen" else "expects"
            yield self._error(here, f"step {proof.ref!r} proves nothing about {fact!r}: it never {verb} it", hint=f"add {fact} to what it needs")

    def _names(self, path: Path_, step: Any) -> Iterator[InputError]:
        data = self.scenario.document.data["steps"][path[1]] if isinstance(self.scenario.document.data.get("steps"), list) else {}
        for where, text in _texts(path, data):
            record = _RECORD.fullmatch(text)
            if record and record[1] not in self.records:
                yield self._error(
                    where, f"no earlier step saves anything as {record[1]!r}", hint=nearest(record[1], self.records) or "add save_as to the step"
                )
            if text.startswith("#") and where[-1] in _MESSAGE_KEYS and text[1:] not in self.messages:
                yield self._error(
                    where, f"no earlier step {text[1:]!r} makes a message", hint=nearest(text[1:], self.messages) or "give the step an id"
                )

    def _remember(self, step: Any) -> None:
        if getattr(step, "save_as", None):
            self.records.add(step.save_as)
        if step.id is None:
            return
        if isinstance(step, kinds.SayStep):
            self.messages |= {step.id, f"{step.id}.reply"}
        elif getattr(step, "op", "") in ("append", "edit_message"):
            self.messages.add(step.id)
        if isinstance(step, kinds.ScanStep):
            self.scanned[step.id] = set(step.scan)
        checks = getattr(step, "expect", None)
        present = {fact for check in (checks if isinstance(checks, list) else ()) if check.check == "present" for fact in check.facts}
        if isinstance(step, kinds.AskStep):
            self.seen[step.id] = present | set(step.needs)
        elif present:
            self.seen[step.id] = present

    def _known(self, path: Path_, names: Sequence[Any]) -> Iterator[InputError]:
        for i, name in enumerate(names):
            if not isinstance(name, str) or name not in self.facts:
                yield self._error((*path, i), f"unknown fact {name!r}", hint=nearest(str(name), self.facts) or "declare it under facts")

    def _actor(self, path: Path_, name: str | None) -> Iterator[InputError]:
        actors = self.scenario.spec.actors
        if name is not None and name not in actors and name != DEFAULT_ACTOR:
            yield self._error(path, f"unknown actor {name!r}", hint=nearest(name, [*actors, DEFAULT_ACTOR]))

    def _error(self, path: Path_, message: str, *, hint: str = "") -> InputError:
        return self.scenario.error(path, message, hint=hint)
