"""A conversation of an export to a scenario file: the words as they were said, the question, and what must and must not come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from memgauge.chats import Chat, Turn, read_chats
from memgauge.clock import parse_instant
from memgauge.errors import InputError, InputErrors
from memgauge.scenarios.loader import read
from memgauge.scenarios.short import dump
from memgauge.strict_yaml import parse

PAUSE = timedelta(minutes=1)
"""Shorter gaps between turns are not written down: a step takes a second by itself."""
MOST_SHOWN = 8


def scenario_text(id_: str, export: Path, which: Sequence[str], ask: str, expect: Sequence[str], never: Sequence[str]) -> tuple[str, str]:
    """The file in the short form, marked private, and a line on what was left out.

    `which` picks conversations by number, id, or a part of the title. Raises InputError when they, or what is asked of them, cannot be used.
    """
    chats, left = read_chats(export)
    picked = [chat for name in which for chat in [_pick(chats, name, export)]] if which else [_only(chats, export)]
    turns = sorted((turn for chat in picked for turn in chat.turns), key=lambda turn: turn.at or "") if _timed(picked) else _in_order(picked)
    body: dict[str, Any] = {"id": id_, "title": ask, "content": "private", "say": list(_exchanges(turns)), "ask": ask}
    body |= {name: texts[0] if len(texts) == 1 else list(texts) for name, texts in (("expect", expect), ("never", never)) if texts}
    text = dump(body)
    try:
        read(parse(text, ""))
    except InputErrors as errors:
        raise InputErrors([_of_the_command(error) for error in errors.errors]) from None
    except InputError as error:
        raise _of_the_command(error) from None
    words = ", ".join(f"{n} × {what}" for what, n in left.most_common())
    return text, f"left out of the export: {words}" if words else ""


def _of_the_command(error: InputError) -> InputError:
    """A fault of the file that was not written, told without its line."""
    return InputError(re.sub(r"^[\d:]+ ", "", str(error)), where="--from-chat", hint=error.hint)


def _timed(chats: Sequence[Chat]) -> bool:
    return all(turn.at for chat in chats for turn in chat.turns)


def _in_order(chats: Sequence[Chat]) -> list[Turn]:
    return [turn for chat in chats for turn in chat.turns]


def _only(chats: Sequence[Chat], export: Path) -> Chat:
    if len(chats) > 1:
        raise InputError(
            f"holds {len(chats)} conversations: {_titles(chats)}", where=str(export), hint="--chat: a number, an id, or a part of a title"
        )
    return chats[0]


def _pick(chats: Sequence[Chat], name: str, export: Path) -> Chat:
    if name.isdecimal() and 1 <= int(name) <= len(chats):
        return chats[int(name) - 1]
    found = [chat for chat in chats if chat.id == name] or [chat for chat in chats if name.lower() in chat.title.lower()]
    if len(found) != 1:
        raise InputError(f"{len(found)} conversations match {name!r}", where="--chat", hint=f"there are: {_titles(found or chats)}")
    return found[0]


def _titles(chats: Sequence[Chat]) -> str:
    shown = ", ".join(f"{chat.title or '(no title)'} ({chat.id})" for chat in chats[:MOST_SHOWN])
    return shown + (f" and {len(chats) - MOST_SHOWN} more" if len(chats) > MOST_SHOWN else "")


def _exchanges(turns: Sequence[Turn]) -> Iterator[str | dict[str, str]]:
    """What the user said with what the assistant answered. Messages of one side in a row are one."""
    told: Turn | None = None
    for turn in _joined(turns):
        if turn.role == "assistant":
            yield ({"text": told.text} if told else {}) | {"reply": turn.text} | _at(told or turn)
            told = None
        else:
            told = turn
    if told:
        yield {"text": told.text} | _at(told)


def _at(turn: Turn) -> dict[str, str]:
    return {"at": turn.at} if turn.at else {}


def _joined(turns: Sequence[Turn]) -> list[Turn]:
    """Turns of alternating sides. A time is kept where it is later than the last kept one by a pause."""
    joined: list[Turn] = []
    last: str | None = None
    for turn in turns:
        at = turn.at if turn.at and (last is None or parse_instant(turn.at) - parse_instant(last) >= PAUSE) else None
        last = at or last
        if joined and joined[-1].role == turn.role:
            before = joined.pop()
            joined.append(Turn(turn.role, f"{before.text}\n\n{turn.text}", before.at))
        else:
            joined.append(Turn(turn.role, turn.text, at))
    return joined
