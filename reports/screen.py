"""The first screen: may I trust it, is anyone harmed, does it help, what does it cost, what changed, what next.

The same lines in the same order open the terminal output, the HTML page and the Markdown summary.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memgauge.records import CONTROL_ARMS, WITHOUT, Arm
from memgauge.reports.arms import Benefit, Harm
from memgauge.reports.cost import Cost
from memgauge.reports.counts import many, some
from memgauge.reports.summary import RunSummary, SystemSummary

Tone = Literal["good", "bad", "warn", "plain"]

MAX_LINES = 24
SYSTEMS_SHOWN = 3
NAMES_SHOWN = 3
_LABEL = 9

FAIREST_FIRST: tuple[Arm, ...] = ("on", "recent-equal", "placebo", "off", *WITHOUT)
"""Memory earns its cost against the same tokens of recent history; the other controls say less."""

BUILTIN_NOTE = (
    "The scenarios were written together with the reference memory, so full marks here show that the harness works, "
    "not how good a memory is. Put your own to the test: memgauge system new"
)


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """One topic in one line. `tone` is for whoever colours; the words say the same without it."""

    label: str
    text: str
    tone: Tone = "plain"


def first_screen(summary: RunSummary) -> tuple[ScreenLine, ...]:
    """The topics in their order. With several systems a topic has one line for each, those with most failures first."""
    shown = sorted(summary.systems, key=lambda system: -system.counts.failed)[:SYSTEMS_SHOWN]
    lines = [ScreenLine("RUN", summary.identity), _verdict(summary)]
    for topic in (_trust, _safety, _benefit, _kinds, _harm, _cost):
        for system in shown:
            line = topic(system)
            if line is None:
                continue
            lines.append(ScreenLine(line.label, f"{system.name}: {line.text}", line.tone) if len(summary.systems) > 1 else line)
        if topic is _trust and summary.control_errors:
            lines.append(ScreenLine("", f"{many(summary.control_errors, 'case')} broke in control arms, left out of every comparison", "warn"))
        if topic is _trust:
            lines += _sittings(summary)
    if hidden := len(summary.systems) - len(shown):
        lines.append(ScreenLine("", f"{many(hidden, 'more system')} in the report"))
    lines += [*_changed(summary), *_errors(summary), *_causes(summary), ScreenLine("NEXT", " · ".join(next_steps(summary)))]
    if summary.builtin_only:
        lines.append(ScreenLine("NOTE", BUILTIN_NOTE))
    return tuple(lines)


def plain(lines: Sequence[ScreenLine], width: int = 120) -> list[str]:
    """The screen as text of at most `MAX_LINES` lines; where it would be more, long topics are cut and end in an ellipsis."""
    for deep in (4, 3, 2, 1):
        wrapped = [text for line in lines for text in _wrapped(line, width, deep)]
        if len(wrapped) <= MAX_LINES:
            return wrapped
    return [*wrapped[: MAX_LINES - 1], wrapped[-1]]


def _wrapped(line: ScreenLine, width: int, deep: int) -> list[str]:
    head, indent = f"{line.label:<{_LABEL}}", " " * _LABEL
    text = one_line(line.text)
    wrap = textwrap.wrap(text, width, initial_indent=head, subsequent_indent=indent, max_lines=deep, placeholder=" …", break_on_hyphens=False)
    return wrap or [line.label]


def one_line(text: str) -> str:
    """The text without anything that moves a cursor or changes a colour."""
    return "".join(char if char.isprintable() else " " for char in text)


def _verdict(summary: RunSummary) -> ScreenLine:
    decision = summary.decision
    tone: Tone = "good" if decision.exit_code == 0 else "warn" if decision.exit_code in (4, 130) else "bad"
    allowed = f" · not measured: {some(decision.unmeasured, NAMES_SHOWN)}" if decision.unmeasured and 4 not in decision.codes else ""
    return ScreenLine("VERDICT", f"{decision.exit_code}: {decision.text}{allowed}", tone)


def _trust(system: SystemSummary) -> ScreenLine:
    counts = system.counts
    parts = [f"scored {counts.scored} of {counts.planned} planned"]
    parts += [f"{count} {reason}" for reason, count in system.reasons[:4] if not reason.startswith("error")]
    if left := sum(count for _, count in system.reasons[4:]):
        parts.append(f"{left} more without a score")
    parts.append(many(counts.error, "error"))
    held, asked = system.proofs
    parts.append(f"detection power {held / asked:.2f} ({held} of {asked} proofs held)" if asked else "no check needed a proof")
    tone: Tone = "bad" if counts.error else "plain" if counts.scored == counts.planned else "warn"
    return ScreenLine("TRUST", " · ".join(parts), tone)


def _sittings(summary: RunSummary) -> Iterator[ScreenLine]:
    """What was not done in one go: cases kept from an earlier sitting, and cases tried again beside those that were not."""
    for sitting in summary.run.manifest.get("resumed", ()):
        again = ", ".join(f"{count} × {reason}" for reason, count in sitting["again"].items())
        yield ScreenLine(
            "", f"went on: {many(sitting['reused'], 'case')} reused, {sum(sitting['again'].values())} run again" + (f": {again}" if again else "")
        )
    if count := len(summary.run.manifest.get("retried", ())):
        these, others = summary.retried
        yield ScreenLine("", f"{many(count, 'case')} broke and ran again: their checks {these}, those of the others {others}", "warn")


def _safety(system: SystemSummary) -> ScreenLine:
    if not system.safety:
        return ScreenLine("SAFETY", "nothing of it was checked", "warn")
    bad = any(topic.counts.failed or topic.not_proven for topic in system.safety)
    return ScreenLine("SAFETY", " · ".join(topic.words for topic in system.safety), "bad" if bad else "good")


def _benefit(system: SystemSummary) -> ScreenLine:
    found: Benefit = system.benefit
    if not found.arms:
        return ScreenLine("BENEFIT", "no scenario asked whether the prompt suffices", "warn")
    order = [arm for arm in FAIREST_FIRST if arm in found.arms]
    rates = " · ".join(f"{arm} {found.arms[arm]}" for arm in order)
    fair = next((arm for arm in FAIREST_FIRST if arm in found.ahead), None)
    if fair is None:
        return ScreenLine("BENEFIT", f"sufficient: {rates} · no control to compare with, so nothing shows that memory helps", "warn")
    ahead = found.ahead[fair]
    tone: Tone = "warn" if not ahead.clear else "good" if ahead.mean > 0 else "bad"
    return ScreenLine("BENEFIT", f"sufficient: {rates} · on − {fair} {ahead.words}", tone)


def _kinds(system: SystemSummary) -> ScreenLine | None:
    """Only where an arm without some kind was run."""
    if not system.kinds:
        return None
    harmful = any(kind.ahead is not None and kind.ahead.clear and kind.ahead.mean < 0 for kind in system.kinds)
    return ScreenLine("KINDS", " · ".join(kind.words for kind in system.kinds), "bad" if harmful else "plain")


def _harm(system: SystemSummary) -> ScreenLine:
    found: Harm = system.harm
    if not any(arm in system.benefit.arms for arm in CONTROL_ARMS) and not found.possible:
        return ScreenLine("HARM", "cannot be seen: no scenario was scored without memory", "warn")
    if not found.possible:
        return ScreenLine("HARM", "cannot show: no scenario passes without memory", "warn")
    if not found.scenarios:
        return ScreenLine("HARM", f"none: all {found.possible} scenarios that pass without memory pass with it", "good")
    count = len(found.scenarios)
    said = f"{many(count, 'scenario')} {'passes' if count == 1 else 'pass'} without memory and {'fails' if count == 1 else 'fail'} with it"
    return ScreenLine("HARM", f"{said}, {found.possible} could have: {some(found.scenarios, NAMES_SHOWN)}", "bad")


def _cost(system: SystemSummary) -> ScreenLine:
    found: Cost = system.cost
    parts = []
    if found.memory:
        parts.append(f"memory puts {found.memory.mean:,.0f} tokens into a turn (p95 {found.memory.p95:,.0f})")
    if found.prompt:
        off = f", off {found.without.mean:,.0f}" if found.without else ""
        parts.append(f"prompt {found.prompt.mean:,.0f} (p95 {found.prompt.p95:,.0f}){off}")
    if found.wait_ms:
        parts.append(f"an answer takes {found.wait_ms.mean:.1f} ms (p95 {found.wait_ms.p95:.1f})")
    return ScreenLine("COST", " · ".join(parts) or "not measured")


def _changed(summary: RunSummary) -> Iterator[ScreenLine]:
    changes = summary.changes
    if changes is None:
        return
    named = [*changes.regressed, *changes.missing, *changes.fixed]
    text = f"{changes.words} since {changes.baseline}"
    tone: Tone = "bad" if changes.regressed or changes.missing else "good" if changes.fixed else "plain"
    yield ScreenLine("CHANGED", f"{text}: {some(named, NAMES_SHOWN)}" if named else text, tone)


def _errors(summary: RunSummary) -> Iterator[ScreenLine]:
    if summary.messages:
        (text, count, first), *others = summary.messages
        more = f" · {many(len(others), 'other message')}" if others else ""
        yield ScreenLine("ERRORS", f"{many(summary.broken, 'case')} broke: {count} × {text or 'an evaluator broke'} (e.g. {first}){more}", "bad")


def _causes(summary: RunSummary) -> Iterator[ScreenLine]:
    if not summary.failed:
        return
    causes = [f"{cause.count} × {cause.what} in {cause.class_}" for cause in summary.causes]
    several = f"{summary.failures} failed, {many(len(causes), 'cause')}: "
    yield ScreenLine("CAUSES", several + some(causes, 5, " · "), "bad")
    worst = summary.example(summary.causes[0])
    yield ScreenLine("", f"e.g. {worst.id}: {worst.witness}")


def next_steps(summary: RunSummary) -> list[str]:
    """The command to type next, for a shell: the first case of the main cause, else what the exit code asks for. It names the run, so that
    it means this one whatever has been run since."""
    code, folder = summary.decision.exit_code, shlex.quote(str(summary.run.folder))
    if code == 130:
        return [f"memgauge run --resume {folder}"]
    if summary.causes:
        return [show_command(summary, summary.example(summary.causes[0]).case_id)]
    if summary.errors:
        return [show_command(summary, summary.errors[0].id)]
    if code == 5:
        return ["memgauge list scenarios"]
    if code == 4:
        return [f"memgauge system check {shlex.quote(system.name)}" for system in summary.systems[:1]]
    if code == 0 and summary.changes is None:
        return [f"memgauge baseline set main {folder} --reason 'first accepted run'"]
    return [f"memgauge report {folder}"]


def show_command(summary: RunSummary, case_id: str) -> str:
    """What shows a case of this run in a terminal, quoted for a shell."""
    return f"memgauge show {shlex.quote(short_case(case_id))} --run {shlex.quote(str(summary.run.folder))}"


def short_case(case_id: str) -> str:
    """A case id without the seed and repeat that every run has."""
    return case_id.removesuffix("#0.0")
