"""The recent window: which messages of the active branch stand in a prompt verbatim, and at what size.

Whole turns only, newest first. A turn is a user's message with all that answers it. A tool call and all of its results are one exchange:
kept together or dropped together. Before a turn is dropped, long tool results, oldest first, are replaced by a stub that says how long they
were; so is any single message that would take more than half of the room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.memory_ref.records import Message
from memgauge.tokens import PER_MESSAGE, TokenCount

GIANT_SHARE = 0.5
"""A message that takes more than this share of the room is stubbed, so that one of them does not push out all others."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as it is rendered. `stub`: its text gave way to a note of its length."""

    message: Message
    content: str
    tokens: int
    stub: bool = False

    def rendered(self) -> dict[str, Any]:
        """The message before a model: role and content, and the calls or the call id that belong to it."""
        line: dict[str, Any] = {"role": self.message.role, "content": self.content}
        if self.message.calls:
            line["calls"] = [dict(call) for call in self.message.calls]
        if self.message.call_id is not None:
            line["call_id"] = self.message.call_id
        return line


@dataclass(frozen=True, slots=True)
class Window:
    """The turns kept, oldest first; the messages among those offered that are not."""

    turns: tuple[Turn, ...] = ()
    dropped: tuple[Turn, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of the kept messages with their framing."""
        return sum(turn.tokens + PER_MESSAGE for turn in self.turns)

    def ids(self) -> frozenset[str]:
        return frozenset(turn.message.id for turn in self.turns)


def fit(messages: Sequence[Message], room: int, most: int, tool_tokens: int, count: TokenCount) -> Window:
    """The newest whole turns of `messages` (oldest first) within `room` tokens and `most` messages. Results longer than `tool_tokens` are
    stubbed when something has to give. Where the newest turn alone is too large, its newest exchanges are kept."""
    offered = [Turn(message, message.text, count(message.text)) for message in _paired(messages)]
    newest = _newest(_by_turn(offered), most)
    fitted = _stubbed(newest, room, tool_tokens, count)
    kept: list[Turn] = []
    for group in reversed(_by_turn(fitted)):
        if _size(group) + _size(kept) > room or len(group) + len(kept) > most:
            if not kept:
                kept = _newest_exchanges(group, room, most)
            break
        kept = [*group, *kept]
    inside = {turn.message.id for turn in kept}
    return Window(tuple(kept), tuple(turn for turn in offered if turn.message.id not in inside))


def _paired(messages: Sequence[Message]) -> list[Message]:
    """Without results whose call is not here, and without calls of which a result is missing."""
    results = {message.call_id for message in messages if message.call_id is not None}
    whole = [message for message in messages if all(_call_id(call) in results for call in message.calls)]
    calls = {_call_id(call) for message in whole for call in message.calls}
    return [message for message in whole if message.call_id is None or message.call_id in calls]


def _call_id(call: Mapping[str, Any]) -> str:
    return str(call.get("id", ""))


def _by_turn(turns: Sequence[Turn]) -> list[list[Turn]]:
    """Cut before each user message, unless a tool exchange is still open there."""
    groups: list[list[Turn]] = []
    awaited: set[str] = set()
    for turn in turns:
        if not groups or (turn.message.role == "user" and not awaited):
            groups.append([])
        groups[-1].append(turn)
        awaited |= {_call_id(call) for call in turn.message.calls}
        awaited.discard(str(turn.message.call_id))
    return groups


def _newest(groups: Sequence[list[Turn]], most: int) -> list[Turn]:
    """As many of the newest turns as hold at most `most` messages; the newest one whatever it holds."""
    kept: list[Turn] = []
    for group in reversed(groups):
        if kept and len(kept) + len(group) > most:
            break
        kept = [*group, *kept]
    return kept


def _stubbed(turns: Sequence[Turn], room: int, tool_tokens: int, count: TokenCount) -> list[Turn]:
    """Stubs until all fits or nothing is left to stub: giants anywhere, then long tool results, oldest first."""
    over = _size(turns) > room
    made = [_stub(turn, count) if over and turn.tokens > max(room * GIANT_SHARE, tool_tokens) else turn for turn in turns]
    for i, turn in enumerate(made):
        if _size(made) <= room:
            break
        if turn.message.role == "tool" and turn.tokens > tool_tokens and not turn.stub:
            made[i] = _stub(turn, count)
    return made


def _stub(turn: Turn, count: TokenCount) -> Turn:
    what = "tool result" if turn.message.role == "tool" else "message"
    text = f"[{what} of {turn.tokens} tokens left out]"
    tokens = count(text)
    return Turn(turn.message, text, tokens, stub=True) if tokens < turn.tokens else turn


def _newest_exchanges(group: Sequence[Turn], room: int, most: int) -> list[Turn]:
    """The newest messages of one turn that fit, with calls and results together."""
    kept: list[Turn] = []
    pending: list[Turn] = []
    needed: set[str] = set()
    for turn in reversed(group):
        pending.insert(0, turn)
        if turn.message.call_id is not None:
            needed.add(turn.message.call_id)
        needed -= {_call_id(call) for call in turn.message.calls}
        if needed:
            continue
        if _size(pending) + _size(kept) > room or len(pending) + len(kept) > most:
            break
        kept = [*pending, *kept]
        pending = []
    return kept


def _size(turns: Sequence[Turn]) -> int:
    return sum(turn.tokens + PER_MESSAGE for turn in turns)
