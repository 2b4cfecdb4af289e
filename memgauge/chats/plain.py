"""Exports in which a conversation is a list: Claude, ShareGPT, and rows for OpenAI's chat interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memgauge.chats.chat import Chat, Left, Role, Turn, clean, instant

Entry = Mapping[str, Any]

ROLES: Mapping[str, Role] = {"human": "user", "user": "user", "assistant": "assistant", "gpt": "assistant"}
"""Who speaks, by the names the three use: Claude human/assistant, ShareGPT human/gpt, OpenAI user/assistant."""


def is_claude(entry: Entry) -> bool:
    return isinstance(entry.get("chat_messages"), list)


def is_sharegpt(entry: Entry) -> bool:
    return isinstance(entry.get("conversations"), list)


def is_openai(entry: Entry) -> bool:
    return isinstance(entry.get("messages"), list)


def read_claude(entry: Entry, place: str, left: Left) -> Chat:
    """The written words of both sides; what was thought, looked up or attached is counted."""
    turns = _turns(entry["chat_messages"], "sender", _claude_words, left)
    return Chat(str(entry.get("uuid") or place), clean(str(entry.get("name") or "")), turns)


def read_sharegpt(entry: Entry, place: str, left: Left) -> Chat:
    return Chat(str(entry.get("id") or place), "", _turns(entry["conversations"], "from", lambda line, _: line.get("value"), left))


def read_openai(entry: Entry, place: str, left: Left) -> Chat:
    """Texts and text parts; calls of tools and their answers are counted."""
    turns = _turns(entry["messages"], "role", lambda line, left: _blocks(line.get("content"), left), left)
    return Chat(str(entry.get("id") or place), "", turns)


def _turns(lines: list[Any], speaker: str, words: Callable[[Entry, Left], object], left: Left) -> tuple[Turn, ...]:
    def read() -> Iterator[Turn]:
        for line in lines:
            name = line.get(speaker) if isinstance(line, Mapping) else None
            role = ROLES.get(name) if isinstance(name, str) else None
            if role is None:
                left[f"{name if name in ('system', 'developer', 'tool') else 'unknown'} message"] += 1
                continue
            text = words(line, left)
            if isinstance(text, str) and text.strip():
                yield Turn(role, clean(text), instant(line.get("created_at"), left))
            else:
                left["empty message"] += 1

    return tuple(read())


def _claude_words(line: Entry, left: Left) -> object:
    for kind in ("attachments", "files"):
        held = line.get(kind)
        if isinstance(held, list) and held:
            left["attachment"] += len(held)
    return line.get("text") or _blocks(line.get("content"), left)


def _blocks(content: object, left: Left) -> object:
    """The words of a content that is text, or a list of blocks of which some are."""
    if not isinstance(content, list):
        return content
    words: list[str] = []
    for block in content:
        if isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str):
            words.append(block["text"])
        else:
            left["part that is no text"] += 1
    return "\n".join(words)
