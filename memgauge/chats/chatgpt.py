"""ChatGPT exports: a tree of nodes for each conversation, of which a person saw the way from `current_node` up to the root.

The form was read from exports of 2023 to 2026: user messages may lack `metadata`, titles and times may be null, branches come
from edits and regenerated answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memgauge.chats.chat import Chat, Left, Turn, clean, instant

SHOWN = ("text", "multimodal_text")


def is_chatgpt(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("mapping"), Mapping)


def read_chatgpt(entry: Mapping[str, Any], place: str, left: Left) -> Chat:
    """The visible turns of one conversation: user and assistant, to all, spoken or written."""
    nodes = {str(key): node for key, node in entry["mapping"].items() if isinstance(node, Mapping)}
    turns = tuple(turn for node in _path(nodes, entry.get("current_node"), left) for turn in _turn(node.get("message"), left))
    return Chat(str(entry.get("conversation_id") or entry.get("id") or place), clean(str(entry.get("title") or "")), turns)


def _path(nodes: Mapping[str, Mapping[str, Any]], current: object, left: Left) -> list[Mapping[str, Any]]:
    """From the root to the current node. A lost end is replaced by the newest leaf; a lost parent or a ring ends the way up."""
    if not isinstance(current, str) or current not in nodes:
        left["conversation without a usable end: its newest branch was taken"] += 1
        current = _newest_leaf(nodes)
    path: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in nodes and current not in seen:
        seen.add(current)
        path.append(nodes[current])
        current = nodes[current].get("parent")
    if current is not None:
        left["conversation whose beginning cannot be reached"] += 1
    return path[::-1]


def _newest_leaf(nodes: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The node without children that was written last; of equals, and where there are no times, the last in the file."""
    parents = {node.get("parent") for node in nodes.values()}
    leaves = [key for key in nodes if key not in parents]
    return max(enumerate(leaves), key=lambda leaf: (_written(nodes[leaf[1]]), leaf[0]))[1] if leaves else None


def _written(node: Mapping[str, Any]) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, Mapping) else None
    return time if isinstance(time, int | float) else 0.0


def _turn(message: object, left: Left) -> Iterator[Turn]:
    if not isinstance(message, Mapping):
        return
    role = _part(message, "author").get("role")
    content = _part(message, "content")
    kind = content.get("content_type")
    if role not in ("user", "assistant"):
        left[f"{role if role in ('system', 'tool') else 'unknown'} message"] += 1
    elif _part(message, "metadata").get("is_visually_hidden_from_conversation"):
        left["hidden message"] += 1
    elif message.get("recipient", "all") != "all":
        left["message to a tool"] += 1
    elif kind not in SHOWN:
        left["message that is no text"] += 1
    elif text := _text(content.get("parts"), left):
        yield Turn(role, text, instant(message.get("create_time"), left))
    else:
        left["empty message"] += 1


def _part(message: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = message.get(key)
    return value if isinstance(value, Mapping) else {}


def _text(parts: object, left: Left) -> str:
    """The words of a message: its texts, and what was spoken. Pictures and sound are counted."""
    words: list[str] = []
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            words.append(part["text"])
        else:
            left["picture or sound"] += 1
    return clean("\n".join(word for word in words if word.strip()))
