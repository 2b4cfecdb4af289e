"""`memgauge show CASE`: a case as lines of text, evidence first, then the verdicts, then what to type."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator

from memgauge.records import STAGES
from memgauge.reports.casefile import CaseFile, Item, Moment
from memgauge.reports.counts import many
from memgauge.reports.run import CheckLine
from memgauge.reports.screen import one_line

WIDTH = 110
TEXT_SHOWN = 300
"""Characters of one text that are shown; `--json` has all of them."""

_READS = ("context", "recall", "list", "history", "explain")


def lines(file: CaseFile) -> list[str]:
    """The timeline of a case, without control characters, no line wider than `WIDTH` where words allow it."""
    case = file.case
    head = [
        f"{case.id}   {case.outcome.upper()}",
        f"  {case.title}",
        f"  system {case.system}, arm {case.arm}, prompt assembled by the {case.assembled_by}",
    ]
    if case.path:
        head.append(f"  {case.path}")
    if case.error:
        head.append(f"  broke: {case.error}")
    told = [f"  {name}: {text}" for name, text in file.facts.items()]
    body = [text for moment in file.folded() for text in (_moment(moment) if isinstance(moment, Moment) else _quiet(moment))]
    late = [text for moment in file.late for text in _moment(moment)]
    reads = [text for moment in file.diagnosis for text in _moment(moment)]
    parts = [head, ["FACTS", *told] if told else [], ["TIMELINE", *body], ["VERDICTS", *_verdicts(file.checks)]]
    if late:
        parts.insert(3, ["WHEN THE DELETION PERIOD WAS OVER", *late])
    if reads:
        parts.append(["LOOKED AFTERWARDS, to find where it was lost", *reads])
    parts.append(["AGAIN", f"  {again(file)}"])
    return [one_line(text) for part in parts if part for text in ("", *part)][1:]


def again(file: CaseFile) -> str:
    """The command that runs this case once more."""
    case = file.case
    seed = f" --seed {case.seed}" if case.seed else ""
    arm = f" --arm on --arm {case.arm}" if case.arm != "on" else " --arm on"
    suite = f" --suite {shlex.quote(case.path)}" if case.path and not case.path.startswith("builtin@") else ""
    return f"memgauge run {shlex.quote(case.scenario)}{suite} --system {shlex.quote(case.system)}{seed}{arm}"


def _moment(moment: Moment) -> Iterator[str]:
    judged = f"   ← {', '.join(moment.judged)}" if moment.judged else ""
    told = f" ⇒ {', '.join(moment.tells)}" if moment.tells else ""
    tokens = f" · {moment.tokens} tokens" if moment.tokens is not None else ""
    yield f"  {moment.n:>3}  {moment.what} [{moment.step}] {moment.who} · {moment.now} · {moment.status or 'done'}{tokens}{judged}"
    if moment.about:
        yield from _folded(f"“{_short(moment.about)}”{told}", 7)
    for notice in moment.notices:
        yield from _folded(f"notice: {notice}", 7)
    for item in moment.items:
        yield from _folded(_item(item), 9)
    if moment.what in _READS and not moment.items and moment.status.startswith("ok"):
        yield "         (no items)"
    for left in moment.left_out:
        tokens = f", {left.tokens} tokens" if left.tokens else ""
        yield from _folded(f"left out: {' '.join(part for part in (left.section, left.id) if part)} ({left.reason}{tokens})", 9)


def _quiet(count: int) -> list[str]:
    return [f"       … {many(count, 'quiet step')}: no fact stated, nothing judged"]


def _item(item: Item) -> str:
    label = f" ({item.label})" if item.label else ""
    carries = f" ⇒ {', '.join(item.carries)}" if item.carries else ""
    why = ", ".join(part for part in (f"score {item.score}" if item.score else "", item.reason) if part)
    return f"{item.section or 'item'} {item.id}{label}: {_short(item.text)}{carries}{f' [{why}]' if why else ''}"


def _verdicts(checks: tuple[CheckLine, ...]) -> Iterator[str]:
    """Whatever did not pass one by one, all that passed in one line."""
    for check in checks:
        if check.outcome != "pass":
            yield from _check(check)
    if passed := [f"{check.name} ({check.kind}{_period(check)})" for check in checks if check.outcome == "pass"]:
        yield from _folded(f"PASS        {', '.join(passed)}", 2, hanging=14)


def _check(check: CheckLine) -> Iterator[str]:
    proof = f", proof {check.proof}" if check.proof else ""
    yield f"  {check.outcome.upper():<11} {check.name} ({check.kind}) at [{check.step}]{proof}{_period(check)}"
    for text in (check.witness, check.reason):
        if text:
            yield from _folded(text, 14)
    if check.lost_at:
        yield f"              lost at: {way(check.lost_at)}"


def _period(check: CheckLine) -> str:
    """What a deletion was judged against, and how deep."""
    depths = ", ".join(f"{depth} {'not examined' if outcome == 'unscored' else outcome}" for depth, outcome in check.depths.items())
    return "".join(f", {part}" for part in (check.within and f"judged within {check.within}", depths if check.grade == "bytes" else "") if part)


def way(lost_at: str) -> str:
    """The way of a fact to the prompt, with the stage where it was lost in capitals."""
    return " → ".join(stage.upper() if stage == lost_at else stage for stage in STAGES)


def _folded(text: str, indent: int, hanging: int | None = None) -> list[str]:
    later = " " * (indent + 2 if hanging is None else hanging)
    return textwrap.wrap(one_line(text), WIDTH, initial_indent=" " * indent, subsequent_indent=later, break_on_hyphens=False)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}… ({len(text)} characters)"
