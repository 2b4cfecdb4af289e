"""`memgauge system check`: in a few seconds, what a system can do, whether the basics work, and how much of the suite that unlocks."""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from memgauge.clock import DEFAULT_START
from memgauge.errors import InputError, MemgaugeError, SystemFault
from memgauge.protocol import VERBS, Manifest, MemorySystem, Receipt, Request, check_answer
from memgauge.records import CasePlan, Json, Scope
from memgauge.surfaces import FILE_KINDS, Surface
from memgauge.systems.assembler import Assembler
from memgauge.systems.faults import describe
from memgauge.systems.parting import let_go
from memgauge.systems.process import NotStarted
from memgauge.systems.reading import NotRead, Reader
from memgauge.systems.server import Server
from memgauge.systems.spec import SystemSpec
from memgauge.systems.strays import none_left

STATEMENT, WORD, QUESTION = "The spare key hangs behind the boiler.", "boiler", "Where does the spare key hang?"
BUDGET = {"window": 4000, "reserve": 500}
SUGGESTED = 3
"""Missing verbs named with what they would add."""


State = Literal["works", "FAILS", "BREAKS", "absent", "not tried"]


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing that was tried. `BREAKS`: the system raised, hung, died or left the protocol, where `FAILS` is an honest answer
    that is not right. `absent`: the system does not offer it."""

    what: str
    state: State
    detail: str = ""

    @property
    def ok(self) -> bool | None:
        """None where nothing was tried."""
        return None if self.state in ("absent", "not tried") else self.state == "works"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result: what was tried, and of `planned` scenarios how many can be asked in full; `missing` verbs with the scenarios each would add."""

    system: str
    manifest: Manifest | None
    probes: tuple[Probe, ...]
    planned: int
    unlocked: int
    missing: tuple[tuple[str, int], ...]

    @property
    def exit_code(self) -> int:
        """0 where all that was tried works, 1 where something fails, 3 where the system broke."""
        states = {probe.state for probe in self.probes}
        return 3 if "BREAKS" in states else 1 if "FAILS" in states else 0

    def lines(self) -> list[str]:
        """For the terminal."""
        width = max(len(probe.what) for probe in self.probes)
        lines = [f"{probe.what:<{width}}  {probe.state}{'  ' + probe.detail if probe.detail else ''}" for probe in self.probes]
        if self.manifest is not None:
            lines.append(f"unlocks {self.unlocked} of {self.planned} scenarios in full; every other one is asked as far as it goes")
            lines += [f"  add {verb}: +{count}" for verb, count in self.missing]
        return lines

    def to_json(self) -> Json:
        return {
            "name": self.system,
            "probes": [{"what": probe.what, "ok": probe.ok, "state": probe.state, "detail": probe.detail} for probe in self.probes],
            "planned": self.planned,
            "unlocked": self.unlocked,
            "missing": dict(self.missing),
            "manifest": self.manifest.to_json() if self.manifest is not None else None,
        }


def check_system(spec: SystemSpec, plans: Sequence[CasePlan], root: Path, opener: Callable[[SystemSpec], MemorySystem]) -> Checked:
    """Try a system on an empty folder. A system that breaks is a failed probe, not an exception; InputError when there is none such, NotStarted
    when a child or the server behind it does not come up."""
    with none_left(str(root)):
        server = Server(spec)
        server.start(root)
        trial = _Trial(spec, root, opener, server)
        try:
            probes = list(trial.run())
        finally:
            trial.end()
            with contextlib.suppress(SystemFault):
                server.stop(root)
    manifest = trial.manifest
    unlocked, missing = unlocks(manifest, plans) if manifest is not None else (0, ())
    return Checked(spec.name, manifest, tuple(probes), len(plans), unlocked, missing)


def unlocks(manifest: Manifest, plans: Sequence[CasePlan]) -> tuple[int, tuple[tuple[str, int], ...]]:
    """(plans whose every verb the system has, the missing verbs that alone keep most others shut, each with their number)."""
    alone: Counter[str] = Counter()
    unlocked = 0
    for plan in plans:
        lacking = {op for op in needs(plan) if not manifest.supports(op)}
        unlocked += not lacking
        if len(lacking) == 1:
            alone[lacking.pop()] += 1
    return unlocked, tuple(sorted(alone.items(), key=lambda pair: (-pair[1], pair[0]))[:SUGGESTED])


def needs(plan: CasePlan) -> set[str]:
    """The verbs a plan calls, those of races and kills included. Without `end_turn`: a store that captures nothing is asked all the same."""
    ops = {step.op for step in plan.steps if step.kind == "call"}
    for step in plan.steps:
        ops.update(str(op["op"]) for op in step.args.get("ops", ()))
        if step.kind == "concurrently" and "op" in step.args:
            ops.add(str(step.args["op"]))
    return {op for op in ops if VERBS[op].effect != "control"} - {"end_turn"}


class _Trial:
    """One run through the basics."""

    def __init__(self, spec: SystemSpec, root: Path, opener: Callable[[SystemSpec], MemorySystem], server: Server) -> None:
        self._server = server
        self.manifest: Manifest | None = None
        self._spec, self._root, self._opener = spec, root, opener
        self._assembler = Assembler(spec.assemble)
        self._raw: MemorySystem | None = opener(spec)  # made by the first opening, and again by each reopening
        self._system: MemorySystem | None = None
        self._ids: tuple[str, ...] = ()
        self._foreign = False
        new = f"memgauge-check-{secrets.token_hex(4)}"
        self._ana, self._ben = Scope(user=f"{new}-ana", thread="one"), Scope(user=f"{new}-ben", thread="one")

    def run(self) -> Iterator[Probe]:
        yield self._probe("open", self._open)
        if self.manifest is None:
            return
        yield self._probe("a new user has nothing", self._empty)
        if self._foreign:
            return  # somebody's data: nothing is written, let alone deleted
        verb = next((verb for verb in ("remember", "append") if self.manifest.supports(verb)), "")
        write = self._probe("write", lambda: self._write(verb)) if verb else Probe("write", "absent", "neither append nor remember")
        yield write
        yield from self._surfaces(is_written=write.state == "works")
        for what, op, trial in (
            ("read back by recall", "recall", lambda: self._found(self._recall(self._ana))),
            ("read back by context", "context", lambda: self._found(self._prompt(self._ana))),
            ("list", "list", lambda: self._found(self._call("list", self._ana).data["items"])),
            ("another user sees nothing", "", lambda: self._hidden(self._ben)),
            ("continues after a reopen", "", self._reopened),
            ("delete", "forget", self._forgotten),
            ("close", "", self._close),
        ):
            if op and not self.manifest.supports(op):
                yield Probe(what, "absent", f"no verb {op}")
            elif write.state != "works" and what != "close":
                yield Probe(what, "not tried", "nothing could be written")
            else:
                yield self._probe(what, trial)

    def _probe(self, what: str, trial: Callable[[], str]) -> Probe:
        try:
            return Probe(what, "works", trial())
        except (InputError, NotStarted):
            raise
        except MemgaugeError as error:
            return Probe(what, "FAILS" if isinstance(error, _Unmet) else "BREAKS", " ".join(error.lines()))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the boundary to code that is under test
            return Probe(what, "BREAKS", describe(error))

    def _open(self) -> str:
        raw, self._raw = self._raw or self._opener(self._spec), None
        self._system = raw  # until it has said what it lacks
        answer = raw.call(Request(op="describe", now=DEFAULT_START))
        declared = Manifest.from_json(answer.data.get("manifest"))
        self._system, self.manifest, by_harness = self._assembler.around(raw, declared)
        self._call("open", Scope(), root=str(self._root), config=dict(self._spec.config))
        verbs = sum(support != "absent" for support in declared.verbs.values())
        return f"{declared.name}, {verbs} verbs" + (", prompts assembled by the harness" if by_harness else "")

    def end(self) -> None:
        """Whatever became of it, nothing of the system is left running."""
        for system in (self._raw, self._system):
            if system is not None:
                let_go(system)

    def _call(self, op: str, scope: Scope, **args: Any) -> Receipt:
        if self._system is None:
            raise _Unmet("it is closed")
        receipt = self._system.call(Request(op=op, now=DEFAULT_START, scope=scope, args=args))
        if not receipt.ok:
            raise _Unmet(f"{op} answered {receipt.status}: {receipt.reason or 'no reason given'}")
        check_answer(op, receipt)
        return receipt

    def _write(self, op: str) -> str:
        args: Mapping[str, Any] = {"text": STATEMENT} if op == "remember" else {"message_id": "m1", "role": "user", "text": STATEMENT}
        self._ids = self._call(op, self._ana, **args).ids
        if self.manifest is not None and self.manifest.reads_see_writes == "after_settle":
            self._call("settle", Scope())
        return f"by {op}" + (f", id {self._ids[0]}" if self._ids else ", no id came back")

    def _recall(self, scope: Scope) -> Sequence[Mapping[str, Any]]:
        return list(self._call("recall", scope, query=QUESTION, k=5).data["items"])

    def _read(self, scope: Scope) -> Sequence[Mapping[str, Any]]:
        """By recall, or by context where there is no recall."""
        return self._recall(scope) if self.manifest is not None and self.manifest.supports("recall") else self._prompt(scope)

    def _prompt(self, scope: Scope) -> Sequence[Mapping[str, Any]]:
        return [{"text": m["content"]} for m in self._call("context", scope, text=QUESTION, budget=BUDGET).data["messages"]]

    def _close(self) -> str:
        self._call("close", Scope())
        self._system = None
        return ""

    def _found(self, items: Sequence[Mapping[str, Any]]) -> str:
        if not any(WORD in str(item["text"]) for item in items):
            raise _Unmet(f"what was written is not among {len(items)} items")
        return ""

    def _surfaces(self, *, is_written: bool) -> Iterator[Probe]:
        """Whether each place that is no plain file can be read, and holds what was written: else nothing can be shown of a deletion there."""
        named = list(self._spec.surfaces)
        if self.manifest is not None and self.manifest.supports("surfaces"):
            yield self._probe("surfaces", lambda: self._told(named))
        for surface in map(Surface.of, named):
            if surface.kind not in FILE_KINDS:
                what = f"surface {surface.name} ({surface.kind}, {surface.depth})"
                yield self._probe(what, partial(self._holds, surface)) if is_written else Probe(what, "not tried", "nothing could be written")

    def _told(self, named: list[Mapping[str, Any]]) -> str:
        """Add what the system names."""
        told = self._call("surfaces", self._ana).data.get("surfaces", ())
        try:
            named += [asdict(Surface.of(line)) for line in told]
        except InputError as error:
            raise _Unmet("; ".join(error.lines())) from None
        return f"{len(told)} named"

    def _holds(self, surface: Surface) -> str:
        try:
            data = Reader(self._spec, self._root, Path.read_bytes, self._root).read(surface)
        except NotRead as fault:
            raise _Unmet(str(fault)) from None
        if WORD.encode() not in data:
            raise _Unmet(f"what was written is not in its {len(data)} bytes, so nothing can be shown of its deletion there")
        return f"{len(data)} bytes"

    def _empty(self) -> str:
        if self.manifest is not None and self.manifest.supports("recall"):
            found = self._recall(self._ana)
        else:
            items = self._call("context", self._ana, text=QUESTION, budget=BUDGET).data["items"]
            found = [item for item in items if item.get("section") not in ("application", "current")]
        if found:
            self._foreign = True
            raise _Unmet(f"it has {len(found)} records before anything was written")
        return ""

    def _hidden(self, scope: Scope) -> str:
        if any(WORD in str(item["text"]) for item in self._read(scope)):
            raise _Unmet("it sees what the first user wrote")
        return ""

    def _reopened(self) -> str:
        self._close()
        self._server.stop(self._root)
        self._server.start(self._root)
        self._open()
        return self._found(self._read(self._ana))

    def _forgotten(self) -> str:
        record = self._ids[0] if self._ids else next((str(i["id"]) for i in self._read(self._ana) if i.get("id")), "")
        self._call("forget", self._ana, id=record)
        if any(WORD in str(item["text"]) for item in self._read(self._ana)):
            raise _Unmet("it is still found")
        return ""


class _Unmet(MemgaugeError):
    """A basic that does not hold."""
