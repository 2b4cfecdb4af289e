"""Assemble the prompt: what goes before the model for one message, in which order, and what does not fit.

Order: application texts, pins, long-term memory, summary, recent turns verbatim, recalled evidence with goals, current message. The
parts that change least come first, so that a provider's prompt cache keeps its prefix. Everything stored is fenced data in the user
role; only the application speaks as system. Nothing here reads or writes: parts come in, a prompt comes out, the same for the same parts.

Filling order, in tokens of window − reserve − margin: the fixed parts (application, pins, current message); of the rest `memory_share` for
memory, of that `user_share` and `consolidated_share` for long-term memory, what remains for goals (half at most) and evidence; the
summary and the recent turns share what memory may not have, so that the window does not move when evidence comes and goes. What
they leave free goes to evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memgauge.memory_ref import fence, window
from memgauge.memory_ref.errors import Refused, StoreError
from memgauge.memory_ref.policy import Context
from memgauge.memory_ref.records import Item, Message
from memgauge.tokens import DEFAULT_ENCODING, PER_MESSAGE, PER_REQUEST, TokenCount, count_messages

Json = dict[str, Any]

_OVERHEAD = 60
"""Tokens kept free for the markers, label and escapes around a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Tokens of the whole window, of the reply, how they are counted; `recent_extra` widens the recent window (a control arm's knob)."""

    window: int
    reserve: int = 0
    encoding: str = DEFAULT_ENCODING
    recent_extra: int = 0

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Budget:
        """From a request. Raises Refused for a part that is unknown, missing, or no count."""
        unknown = sorted(set(given) - {"window", "reserve", "encoding", "recent_extra"})
        numbers = {name: given.get(name, 0) for name in ("window", "reserve", "recent_extra")}
        wrong = [name for name, value in numbers.items() if not isinstance(value, int) or isinstance(value, bool) or value < 0]
        if unknown or wrong or "window" not in given:
            raise Refused(
                f"budget: {', '.join(unknown or wrong or ['window'])} cannot be used; give {{window, reserve, encoding}}, counts of 0 or more"
            )
        return cls(**numbers, encoding=str(given.get("encoding") or DEFAULT_ENCODING))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a prompt may be made of, most wanted first within each part. `messages`: the newest of the active branch, oldest first;
    `older`: how many more there are."""

    application: tuple[str, ...] = ()
    current: str
    pins: tuple[Item, ...] = ()
    user: tuple[Item, ...] = ()
    consolidated: tuple[Item, ...] = ()
    messages: tuple[Message, ...] = ()
    older: int = 0
    goals: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What recall gave, and how many more there were by reason."""

    items: tuple[Item, ...] = ()
    withheld: Mapping[str, int] | None = None


Recaller = Callable[[frozenset[str]], Evidence]
"""Recall for the current message, given the ids of messages that stand in the window already."""
Fallback = Callable[[], tuple[Item, ...]]
"""What stands in for evidence when recall fails."""
Summariser = Callable[[frozenset[str], int], Item | None]
"""A summary of what is older than the window, given the ids in the window and the tokens its text may take."""


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The items by section, the messages exactly as they go out, what was left out and why, which parts failed."""

    items: tuple[Item, ...]
    messages: tuple[Json, ...]
    left_out: tuple[Json, ...]
    degraded: tuple[str, ...]

    def to_json(self) -> Json:
        """The data of the verb `context`."""
        return {
            "items": [item.to_json() for item in self.items],
            "messages": list(self.messages),
            "left_out": list(self.left_out),
            "degraded": list(self.degraded),
        }


def build(
    parts: Parts, budget: Budget, policy: Context, count: TokenCount, *, recall: Recaller, summarise: Summariser, fallback: Fallback = tuple
) -> PromptContext:
    """The prompt for one message. Raises Refused, with the numbers, when the application's texts, the pins and the current message
    alone do not fit."""
    total = budget.window - budget.reserve - math.ceil(budget.window * policy.margin)
    left: list[Json] = []
    pins = _pinned(parts, total, policy.pins, count, left)
    rest = total - PER_REQUEST - _cost([*parts.application, *_blocks(pins), parts.current], count)
    allowance = int(rest * policy.memory_share)
    long_term, used = _long_term(parts, allowance, policy, count, left)
    extra = min(budget.recent_extra, allowance - used)
    room = rest - allowance + extra
    recent, summary = _history(parts, room, int(rest * policy.summary_share), policy, count, summarise, left)
    degraded: list[str] = []
    try:
        evidence = recall(recent.ids())
    except StoreError as error:
        degraded.append(f"recall: {type(error).__name__}")
        evidence = Evidence(_fallen_back(fallback))
    asked = [item for item in evidence.items if not any(item.id == known.id and item.text in known.text for known in long_term)]
    left += [{"section": "recall", "reason": why, "count": number} for why, number in (evidence.withheld or {}).items()]
    free = allowance - used - extra + max(0, room - recent.tokens - _block_cost(summary, count))
    goals = _taken(parts.goals[: policy.active_goals], free // 2, count, left, "goals")
    recalled = _taken(asked, free, count, left, "recall", taken=_block_cost(goals, count))
    return _rendered(parts, pins, long_term, summary, recent, recalled, goals, total, count, left, degraded)


def _fallen_back(fallback: Fallback) -> tuple[Item, ...]:
    try:
        return fallback()
    except StoreError:  # the same damage may lie under both
        return ()


def _rendered(
    parts: Parts, pins: list[Item], long_term: list[Item], summary: list[Item], recent: window.Window, recalled: list[Item], goals: list[Item],
    total: int, count: TokenCount, left: list[Json], degraded: list[str],
) -> PromptContext:  # fmt: skip
    """Put the sections in order. Should the exact count still be over (texts joined can cost more than apart), the last evidence goes."""
    while True:
        messages: list[Json] = [{"role": "system", "content": text} for text in parts.application]
        messages += [{"role": "user", "content": content} for section in (pins, long_term, summary) for content in _blocks(section)]
        messages += [turn.rendered() for turn in recent.turns]
        messages += [{"role": "user", "content": content} for content in _blocks([*recalled, *goals])]
        messages.append({"role": "user", "content": parts.current})
        if count_messages((message["content"] for message in messages), count) <= total:
            break
        section = next(part for part in (recalled, goals, long_term, summary, pins) if part)
        left.append(_missing(section.pop(), "the exact count was over the budget", count))
    sections = {"pinned": pins, "longterm": long_term, "summary": summary, "recall": recalled, "goals": goals}
    kept = {name: [replace(item, section=name) for item in items] for name, items in sections.items()}
    turns = [_turn_item(turn) for turn in recent.turns]
    application = [
        Item(id=f"application-{n}", kind="message", text=text, section="application", role="system", label="the application's own text")
        for n, text in enumerate(parts.application, 1)
    ]
    current = Item(id="current", kind="message", text=parts.current, section="current", role="user", label="the current message")
    before = [*application, *kept["pinned"], *kept["longterm"], *kept["summary"], *turns]
    return PromptContext((*before, *kept["recall"], *kept["goals"], current), tuple(messages), tuple(left), tuple(degraded))


def _pinned(parts: Parts, total: int, most: int, count: TokenCount, left: list[Json]) -> list[Item]:
    """The pins, all of them where they fit. Their encoding costs more than their words: where only that does not fit, the
    proposed ones give way first, then the oldest. Where the words alone do not fit, the prompt is refused."""
    pins = list(parts.pins[:most])
    left += [_missing(item, "more pins than allowed", count) for item in parts.pins[most:]]
    needed = PER_REQUEST + _cost([*parts.application, *(pin.text for pin in pins if pin.status != "proposed"), parts.current], count)
    if needed > total:
        raise Refused(f"application texts, pins and message need {needed} tokens; window minus reserve leaves {total}")
    while pins and PER_REQUEST + _cost([*parts.application, *_blocks(pins), parts.current], count) > total:
        gone = next((pin for pin in pins if pin.status == "proposed"), pins[0])
        pins.remove(gone)
        left.append(_missing(gone, "no room for its encoding", count))
    return pins


def _long_term(parts: Parts, allowance: int, policy: Context, count: TokenCount, left: list[Json]) -> tuple[list[Item], int]:
    """Long-term items in their fixed order, and the tokens of their block."""
    user = _taken(parts.user, int(allowance * policy.user_share), count, left, "longterm")
    both = int(allowance * policy.user_share) + int(allowance * policy.consolidated_share)
    spent = _block_cost(user, count)
    shared = _taken(parts.consolidated, min(both, spent + int(allowance * policy.consolidated_share)), count, left, "longterm", taken=spent)
    chosen = {item.id for item in (*user, *shared)}
    ordered = [item for item in (*parts.consolidated, *reversed(parts.user)) if item.id in chosen]
    return ordered, _block_cost(ordered, count)


def _history(
    parts: Parts, room: int, summary_room: int, policy: Context, count: TokenCount, summarise: Summariser, left: list[Json]
) -> tuple[window.Window, list[Item]]:
    """The recent window, and a summary of what does not stand in it. Room for the summary is set aside as soon as something is older, so that
    the window's edge does not depend on the summary's length."""
    limits = (policy.recent_messages, policy.tool_result_tokens, count)
    recent = window.fit(parts.messages, room, *limits)
    summary: list[Item] = []
    if parts.older or recent.dropped:
        narrower = window.fit(parts.messages, room - summary_room, *limits)
        made = summarise(narrower.ids(), summary_room - _OVERHEAD)
        summary = _taken([made] if made else [], summary_room, count, left, "summary")
        recent = narrower if summary else recent
    gone = parts.older + len(recent.dropped)
    if gone:
        left.append({"section": "recent", "reason": "older than the window", "count": gone, "tokens": sum(turn.tokens for turn in recent.dropped)})
    stubs = [turn for turn in recent.turns if turn.stub]
    left += [
        {"id": turn.message.id, "section": "recent", "reason": "too long, replaced by its length", "tokens": count(turn.message.text)}
        for turn in stubs
    ]
    return recent, summary


def _taken(items: Iterable[Item], room: int, count: TokenCount, left: list[Json], section: str, taken: int = 0) -> list[Item]:
    """Whole items while there is room; one that does not fit is passed over and listed. `taken`: tokens of the block so far."""
    kept: list[Item] = []
    spent = taken or PER_MESSAGE + count(f"{fence.OPENING}\n{fence.CLOSING}")
    for item in items:
        tokens = _line_cost(item, count)
        if spent + tokens <= room:
            kept.append(item)
            spent += tokens
        else:
            left.append(_missing(replace(item, section=section), "no room in its share of the budget", count))
    return kept


def _line_cost(item: Item, count: TokenCount) -> int:
    return count(fence.line(item.label or item.kind, item.text) + "\n") + 1


def _blocks(items: Sequence[Item]) -> list[str]:
    """The one fenced message of a section; none for an empty section."""
    return [fence.block((item.label or item.kind, item.text) for item in items)] if items else []


def _block_cost(items: Sequence[Item], count: TokenCount) -> int:
    return _cost(_blocks(items), count)


def _cost(contents: Iterable[str], count: TokenCount) -> int:
    return sum(count(content) + PER_MESSAGE for content in contents)


def _missing(item: Item, reason: str, count: TokenCount) -> Json:
    return {"id": item.id, "section": item.section or item.kind, "reason": reason, "tokens": count(item.text)}


def _turn_item(turn: window.Turn) -> Item:
    message = turn.message
    shortened = ", shortened" if turn.stub else ""
    return Item(
        id=message.id,
        kind="message",
        text=turn.content,
        section="recent",
        role=message.role,
        source_ids=(message.id,),
        created_at=message.created_at,
        label=f"recent turn, {message.speaker or message.role}{shortened}",
    )
