"""Take rendered chat messages apart into pieces: verbatim turns, listed items, lines that no list mentions.

What a system says it sent and what it sent may differ; only the rendered text counts. An item counts where its text stands in
a message as it is, JSON-escaped or HTML-escaped. The current message and the application's texts are cut out first. What then
remains is memory that was not listed, line by line, with the fence undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memgauge.evaluators.page import CUT, STRING, Page, decode, undo_fence
from memgauge.evaluators.thread import PLACEHOLDER, Thread
from memgauge.texts import texts_in

_FIELD = re.compile(rf"({STRING.pattern})\s*:\s*({STRING.pattern})")
_CUTS = re.compile(f"{CUT}+")
_LABEL_FIELDS = frozenset(
    ["label", "id", "kind", "type", "source", "source_ids", "section", "scope", "status", "date", "created_at", "confirmed_at", "reason"]
)
_FRAME = frozenset(["role", "content", "call_id", "tool_call_id", "id", "type"])
"""Parts of a rendered message that hold no words of their own."""
_LABEL_LENGTH = 160
"""Characters that may stand beside an item on its line and still be its label; more is text of its own."""
_EDGES = re.compile(r"\}\s*,\s*\{|(?<=[.!?;])\s+(?=[\w\"'])|(?<=\w)[.!?]\s*$")
"""Where one object or sentence of a line ends and the next begins."""
_LABEL_ABOVE, _LABEL_BELOW = 3, 2
"""Lines above and below an item in which its listed label may be rendered: a field of a record written over several lines."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the prompt. turn: a verbatim message of the thread; item: a listed item; line: what no list mentions; label:
    the fields beside an item in its fence. `item` is an index into the listed items, `at` is (message, offset)."""

    text: str
    at: tuple[int, int]
    sort: Literal["turn", "item", "line", "label"]
    item: int | None = None
    label: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """What the list says of an item: the text to look for (none when empty), and its label."""

    text: str
    label: str = ""


def split_prompt(
    *, messages: Sequence[Mapping[str, Any]], items: Sequence[Listed], current: str, application: Sequence[str], thread: Thread
) -> list[Piece]:
    """All pieces of the prompt, in no particular order."""
    turns: list[Piece] = []
    left: dict[int, Page] = {}
    asked_at = _asked_at(messages, current)
    spoken = [(str(message.get("role", "")), text_of(message)) for message in messages]
    recent = thread.run(spoken[:asked_at] if asked_at >= 0 else spoken)
    beside: list[Piece] = []
    for n, message in enumerate(messages):
        content = spoken[n][1]
        beside += _beside(n, message, thread.calls if n in recent else frozenset())
        if n == asked_at:
            if content in current:
                continue
            content = content.replace(current, CUT, 1)
        elif n in recent:
            turns.append(Piece(content, (n, 0), "turn", name=f"message {n + 1}"))
            beside += [Piece(hole, (n, 0), "line", name=f"message {n + 1}") for hole in PLACEHOLDER.findall(content) if hole not in thread.texts]
            continue
        for text in application:
            if text.strip():
                content = content.replace(text, CUT, 1)
        left[n] = Page(content)
    found = list(_take_items(items, left))
    listed = [*_listed_turns(turns, items, {piece.item for piece in found}), *found]
    return [*listed, *beside, *(piece for n, page in left.items() for piece in _lines(n, page.content))]


def _beside(n: int, message: Mapping[str, Any], given: frozenset[str]) -> Iterator[Piece]:
    """What a message says beside its content, tool calls above all: it reaches the model as well. `given`: what its calls were given."""
    for key, part in message.items():
        for text in texts_in(part, unpack=True) if key not in _FRAME else ():
            if text not in given and any(ch.isalnum() for ch in text):
                yield Piece(text, (n, 0), "line", name=f"{key} of message {n + 1}")


def _asked_at(messages: Sequence[Mapping[str, Any]], current: str) -> int:
    """The message that holds the current one, whole or cut short: the last that does. -1 when none does."""
    contents = [text_of(message) for message in messages]
    whole = [n for n, content in enumerate(contents) if current.strip() and current in content]
    cut = [n for n, content in enumerate(contents) if content.strip() and content in current]
    return max(whole or cut, default=-1)


def messages_of(receipt: object) -> list[Mapping[str, Any]]:
    """Rendered messages of a receipt; whatever is no message is left out."""
    data = receipt.get("data") if isinstance(receipt, Mapping) else None
    found = data.get("messages") if isinstance(data, Mapping) else None
    return [message for message in found if isinstance(message, Mapping)] if isinstance(found, list | tuple) else []


def text_of(message: Mapping[str, Any]) -> str:
    """Content as text; a list of parts is joined."""
    content = message.get("content", "")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return "" if content is None else str(content)


def _listed_turns(turns: Sequence[Piece], items: Sequence[Listed], used: set[int | None]) -> Iterator[Piece]:
    """Tie each verbatim turn to the first listed item of the same text that is not rendered elsewhere."""
    for turn in turns:
        item = next((i for i, listed in enumerate(items) if i not in used and listed.text == turn.text and turn.text), None)
        used.add(item)
        yield replace(turn, item=item)


def _take_items(items: Sequence[Listed], left: Mapping[int, Page]) -> Iterator[Piece]:
    """Find each listed text, longest first so that a text within another does not steal its place, and cut it out of `left`."""
    for item in sorted(range(len(items)), key=lambda i: (-len(items[i].text), i)):
        text = items[item].text.strip()
        for n, page in left.items() if text else ():
            if (span := page.find(text)) is not None:
                start, end, _ = span
                page.cut(*span)
                label = _label(page.content, start, end, items[item].label)
                yield Piece(items[item].text, (n, start), "item", item=item, label=label, name=f"message {n + 1}")
                break


def _label(content: str, start: int, end: int, listed: str) -> str:
    """What tells the reader of what sort an item is: the rest of its line, and its listed label where that is rendered near it."""
    before, after = content[:start].split("\n"), content[end:].split("\n")
    inline = f"{_nearest(before[-1], last=True)} {_nearest(after[0], last=False)}".replace(CUT, " ").strip()
    near = "\n".join([*before[-1 - _LABEL_ABOVE :], *after[: 1 + _LABEL_BELOW]])
    shown = listed if listed and Page(near).find(listed) is not None else ""
    return f"{inline} {shown}".strip() if len(inline) <= _LABEL_LENGTH or inline.startswith(("{", "[")) else shown


def _nearest(beside: str, *, last: bool) -> str:
    """What stands beside an item in the same object or sentence: a label of its neighbour is none of its own."""
    parts = _EDGES.split(beside)
    return parts[-1] if last else parts[0]


def _lines(n: int, content: str) -> Iterator[Piece]:
    offset = 0
    for number, line in enumerate(content.split("\n"), 1):
        for sort, text, label in _parts(line):
            if any(ch.isalnum() for ch in text):
                yield Piece(text, (n, offset), sort, label=label, name=f"line {number} of message {n + 1}")
        offset += len(line) + 1


def _parts(line: str) -> Iterator[tuple[Literal["line", "label"], str, str]]:
    whole = _CUTS.sub(" ", line).strip()
    if CUT in line and whole.startswith(("{", "[")):
        for field in _FIELD.finditer(whole):
            key, value = (decode(literal) or "" for literal in field.groups())
            yield ("label", value.strip(), value) if key in _LABEL_FIELDS else ("line", value.strip(), "")
    else:
        for text, label in undo_fence(whole):
            yield "line", text, label
            if label:
                yield "label", label, label
