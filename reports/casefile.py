"""One case laid open: what was done, what each prompt held and left out, how it was judged, where a fact was lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memgauge.anchors import Match, Matcher
from memgauge.records import Entry
from memgauge.reports.folder import read_history
from memgauge.reports.run import CaseLine, CheckLine, Run

_TEXT_ARGS = ("text", "query")
"""Arguments that say what a step is about; the other short ones follow them."""

_SILENT_ARGS = ("message_id", "budget", "ok")
"""Arguments that hardly ever tell anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of an answer. `carries` are the planted facts that its text states."""

    section: str
    id: str
    label: str
    text: str
    score: str
    reason: str
    carries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What would have been in the prompt, had there been room or leave."""

    section: str
    id: str
    reason: str
    tokens: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One line of the history. `about` is what was said or asked; `judged` names the checks that look at this step."""

    n: int
    step: str
    what: str
    who: str
    now: str
    about: str
    status: str
    notices: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    tokens: int | None = None
    judged: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    diagnosis: bool = False
    late: bool = False

    @property
    def telling(self) -> bool:
        """Whether it is worth reading: all but messages that neither state a fact nor are judged, and turns that ended quietly."""
        quiet = self.what in ("append", "append_many", "end_turn") and self.status in ("", "ok") and not self.notices
        return not quiet or bool(self.judged or self.tells)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """A case with its checks and its history in order; reads made after a failure to find its cause come last."""

    case: CaseLine
    checks: tuple[CheckLine, ...]
    moments: tuple[Moment, ...]
    facts: Mapping[str, str]

    def folded(self) -> tuple[Moment | int, ...]:
        """The history of the case itself, with runs of moments that tell nothing replaced by how many they are."""
        shown: list[Moment | int] = []
        for moment in self.moments:
            if moment.diagnosis or moment.late:
                continue
            if moment.telling:
                shown.append(moment)
            elif shown and isinstance(last := shown[-1], int):
                shown[-1] = last + 1
            else:
                shown.append(1)
        return tuple(shown)

    @property
    def late(self) -> tuple[Moment, ...]:
        """What was done at the end, when a deletion period that the system states was over."""
        return tuple(moment for moment in self.moments if moment.late)

    @property
    def diagnosis(self) -> tuple[Moment, ...]:
        """Reads made only after a failure, to find its cause."""
        return tuple(moment for moment in self.moments if moment.diagnosis)


def open_case(run: Run, case: CaseLine, checks: tuple[CheckLine, ...] | None = None) -> CaseFile:
    """Read the history of one case. Raises InputError when it cannot be read."""
    plan, history = read_history(run, case)
    found = tuple(sorted(checks or (check for check in run.checks if check.case_id == case.id), key=_worst_first))
    matcher = Matcher(plan.facts)
    tells = {step.id: step.tells for step in plan.steps}
    moments = tuple(_moment(entry, matcher, found, tells.get(entry.step, ())) for entry in history)
    facts = {name: fact.text or ", ".join(group[0] for group in fact.anchors if group) for name, fact in plan.facts.items()}
    return CaseFile(case=case, checks=found, moments=moments, facts=facts)


def _worst_first(check: CheckLine) -> tuple[int, str]:
    return ("fail", "error", "unscored", "unsupported", "skip", "not_applicable", "pass").index(check.outcome), check.name


def _moment(entry: Entry, matcher: Matcher, checks: tuple[CheckLine, ...], tells: tuple[str, ...]) -> Moment:
    data = entry.receipt.get("data")
    data = data if isinstance(data, Mapping) else {}
    tokens = entry.data.get("tokens_total")
    return Moment(
        n=entry.n,
        step=entry.step,
        what=entry.op or entry.type,
        who="/".join(str(entry.scope[part]) for part in ("user", "project", "agent", "thread") if entry.scope.get(part)),
        now=entry.now,
        about=_about(entry),
        status=": ".join(part for part in (entry.status, str(entry.receipt.get("reason") or "")) if part),
        notices=tuple(str(notice) for notice in entry.receipt.get("notices", ())),
        items=tuple(_item(item, matcher) for item in _objects(data.get("items"))),
        left_out=tuple(
            LeftOut(section=_text(part, "section"), id=_text(part, "id"), reason=_text(part, "reason"), tokens=_text(part, "tokens"))
            for part in _objects(data.get("left_out"))
        ),
        tokens=tokens if isinstance(tokens, int) else None,
        judged=tuple(check.name for check in checks if check.step == entry.step),
        tells=tells,
        diagnosis=entry.type == "diagnosis",
        late="within" in entry.data,
    )


def _about(entry: Entry) -> str:
    said = [str(entry.args[name]) for name in _TEXT_ARGS if entry.args.get(name)]
    rest = {name: value for name, value in entry.args.items() if name not in (*_TEXT_ARGS, *_SILENT_ARGS) and (name, value) != ("role", "user")}
    if entry.type == "scan":
        rest |= {"surfaces": [_surface(surface) for surface in _objects(entry.data.get("surfaces"))]}
        return ", ".join(f"{name}: {', '.join(map(str, value))}" for name, value in rest.items())
    if entry.type != "call":
        rest |= entry.data
    told = ", ".join(f"{name}: {_briefly(value)}" for name, value in rest.items())
    return " · ".join(part for part in (*said, told) if part)


def _surface(surface: Mapping[str, Any]) -> str:
    examined = f"{surface.get('bytes', 0)} bytes" if surface.get("examined") else "not examined"
    reason = f": {surface['reason']}" if surface.get("reason") else ""
    return f"{_text(surface, 'name')} ({_text(surface, 'kind')}, {examined}{reason})"


def _briefly(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) if len(value) <= 3 and all(isinstance(part, str) for part in value) else f"{len(value)} of them"
    return f"{len(value)} parts" if isinstance(value, Mapping) else str(value)


def _item(item: Mapping[str, Any], matcher: Matcher) -> Item:
    text = _text(item, "text") or _text(item, "content")
    return Item(
        section=_text(item, "section") or _text(item, "kind"),
        id=_text(item, "id"),
        label=_text(item, "label"),
        text=text,
        score=_text(item, "score"),
        reason=_text(item, "reason"),
        carries=tuple(name for name in matcher.facts if matcher.match(name, text) is not Match.NO),
    )


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    return (part for part in value if isinstance(part, Mapping)) if isinstance(value, list | tuple) else iter(())


def _text(item: Mapping[str, Any], part: str) -> str:
    value = item.get(part)
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
