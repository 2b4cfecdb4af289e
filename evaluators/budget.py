"""Tokens of the prompt against the window, by the harness's own count of what was rendered."""

from __future__ import annotations

from memgauge.evaluators.case import Case
from memgauge.evaluators.rendered import messages_of, text_of
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, number, passed, unscored
from memgauge.evaluators.witness import answer_name
from memgauge.records import Entry, Expectation
from memgauge.tokens import PER_MESSAGE, PER_REQUEST


def limit_of(entry: Entry) -> int | None:
    """Tokens the prompt may have: window minus the reserve for the reply; None without a budget."""
    budget = entry.args.get("budget")
    if not isinstance(budget, dict) or not isinstance(budget.get("window"), int):
        return None
    return int(budget["window"]) - int(budget.get("reserve", 0))


def total_of(entry: Entry) -> int | None:
    """Tokens of all rendered messages with their framing; None when the harness stored no counts."""
    tokens = entry.data.get("tokens")
    if not isinstance(tokens, list | tuple):
        return None
    return sum(int(count) + PER_MESSAGE for count in tokens) + PER_REQUEST


def breach(entry: Entry) -> str:
    """One sentence when the prompt is over its budget, else empty."""
    limit, total = limit_of(entry), total_of(entry)
    if limit is None or total is None or total <= limit:
        return ""
    return f"{answer_name(entry)} has {total} tokens, {total - limit} over the {limit} that window and reserve leave"


def fixed_parts_fit(entry: Entry) -> bool:
    """Whether application texts, pins and the current message fit by themselves, so that a refusal is wrong."""
    limit = limit_of(entry)
    return limit is None or int(entry.data.get("fixed_tokens", 0)) <= limit


@EVALUATORS.register("budget")
def budget(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Content + 4 a message + 3 within window minus reserve; a refusal only where the fixed parts do not fit; fixed parts whole."""
    limit = limit_of(entry)
    if limit is None:
        return unscored("the step has no budget")
    if entry.status == "refused":
        if fixed_parts_fit(entry):
            return failed(f"{answer_name(entry)} was refused though the fixed parts fit into {limit} tokens")
        return passed(why="refused, and rightly: the fixed parts alone do not fit")
    total = total_of(entry)
    if total is None:
        return broken(f"no token counts stand in the history of step {entry.step}")
    if over := breach(entry):
        return failed(over, float(total))
    if missing := _cut_short(entry):
        return failed(f"{missing} is not whole in {answer_name(entry)}", float(total))
    return passed(float(total))


def _cut_short(entry: Entry) -> str:
    """Which fixed part is not in the messages word for word, or empty."""
    rendered = [text_of(message) for message in messages_of(entry.receipt)]
    application = entry.args.get("application")
    for number_, text in enumerate(application if isinstance(application, list) else (), 1):
        if not any(str(text) in content for content in rendered):
            return f"application text {number_}"
    current = str(entry.args.get("text", ""))
    return "" if any(current in content for content in rendered) else "the current message"


@EVALUATORS.register("growth")
def growth(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Prompt tokens of two probes of one question differ by at most this share of the budget."""
    earlier = case.since(expectation)
    limit, now, before = limit_of(entry), total_of(entry), total_of(earlier)
    if limit is None or limit <= 0:
        return unscored("the step has no budget")
    if now is None or before is None:
        return broken(f"no token counts stand in the history of steps {earlier.step} and {entry.step}")
    share = abs(now - before) / limit
    most = number(expectation.params.get("max"), 0.02)
    if share > most:
        return failed(
            f"the prompt went from {before} tokens at {earlier.step} to {now} at {entry.step}: {share:.1%} of the budget, allowed {most:.1%}", share
        )
    return passed(share)
