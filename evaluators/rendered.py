"""Take rendered chat messages apart into pieces: verbatim turns, listed items, lines that no list mentions.

What a system says it sent and what it sent may differ; only the rendered text counts. An item counts where its text stands in
a message as it is, JSON-escaped or HTML-escaped. The current message and the application's texts are cut out first. What then
remains is memory that was not listed, line by line, with the fence undone.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_FIELD = re.compile(rf"({_STRING.pattern})\s*:\s*({_STRING.pattern})")
_PLACEHOLDER = re.compile(r"\[[^\[\]\n]{1,120}\]")
_LABEL_FIELDS = frozenset(
    ["label", "id", "kind", "type", "source", "source_ids", "section", "scope", "status", "date", "created_at", "confirmed_at", "reason"]
)
_KEPT = 8
"""Letters and digits that must be left of a turn with spans cut out; fewer could be of any message."""
_CUT = "\x00"
"""Stands where a text was taken out, so that the two sides do not grow together. Not a word character."""
_CUTS = re.compile(f"{_CUT}+")
_LABEL_LENGTH = 160
"""Characters that may stand beside an item on its line and still be its label; more is text of its own."""
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


class Thread:
    """What was said in one thread, as (role, text), to tell verbatim turns from text that memory made."""

    def __init__(self, said: Sequence[tuple[str, str]]) -> None:
        self.said = tuple(said)
        self.texts = frozenset(text for _, text in said)
        self._by_role = frozenset(said)

    def holds(self, role: str, content: str) -> bool:
        """Whether this is a message of the thread, whole or with spans replaced by `[…]`. System text only if said as such."""
        if not content.strip() or (role, content) in self._by_role:
            return True
        if role != "system" and content in self.texts:
            return True
        cut = _PLACEHOLDER.split(content)
        if len(cut) == 1 or sum(ch.isalnum() for part in cut for ch in part) < _KEPT:
            return False
        return any(_in_order(cut, text) for by, text in self.said if role != "system" or by == "system")


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
    left: dict[int, str] = {}
    asked_at = _asked_at(messages, current)
    for n, message in enumerate(messages):
        content = text_of(message)
        if n == asked_at:
            if content in current:
                continue
            content = content.replace(current, _CUT, 1)
        elif thread.holds(str(message.get("role", "")), content):
            turns.append(Piece(content, (n, 0), "turn", name=f"message {n + 1}"))
            continue
        for text in application:
            if text.strip():
                content = content.replace(text, _CUT, 1)
        left[n] = content
    found = list(_take_items(items, left))
    listed = [*_listed_turns(turns, items, {piece.item for piece in found}), *found]
    return [*listed, *(piece for n, content in left.items() for piece in _lines(n, content))]


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


def _in_order(parts: Sequence[str], whole: str) -> bool:
    if not whole.startswith(parts[0]) or not whole.endswith(parts[-1]):
        return False
    at = 0
    for part in parts:
        at = whole.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _listed_turns(turns: Sequence[Piece], items: Sequence[Listed], used: set[int | None]) -> Iterator[Piece]:
    """Tie each verbatim turn to the first listed item of the same text that is not rendered elsewhere."""
    for turn in turns:
        item = next((i for i, listed in enumerate(items) if i not in used and listed.text == turn.text and turn.text), None)
        used.add(item)
        yield replace(turn, item=item)


def _take_items(items: Sequence[Listed], left: dict[int, str]) -> Iterator[Piece]:
    """Find each listed text, longest first so that a text within another does not steal its place, and cut it out of `left`."""
    for item in sorted(range(len(items)), key=lambda i: (-len(items[i].text), i)):
        text = items[item].text.strip()
        for n, content in left.items() if text else ():
            if (span := _span(text, content)) is not None:
                start, end, rest = span
                left[n] = content[:start] + (rest or _CUT * (end - start)) + content[end:]
                label = _label(content, start, end, items[item].label)
                yield Piece(items[item].text, (n, start), "item", item=item, label=label, name=f"message {n + 1}")
                break


def _span(text: str, content: str) -> tuple[int, int, str] | None:
    """Where the text stands: as it is, HTML-escaped, in a JSON string of whatever escaping, or wrapped and indented. With it
    what must be left in its place: the rest of a JSON string that says more than the item."""
    for form in (text, html.escape(text), html.escape(text, quote=False)):
        if (start := content.find(form)) >= 0:
            return start, start + len(form), ""
    for literal in _STRING.finditer(content):
        if (value := _decode(literal.group())) is not None and text in value:
            rest = value.replace(text, " ", 1).strip()
            return *literal.span(), json.dumps(rest) if any(ch.isalnum() for ch in rest) else ""
    words = text.split()
    if len(words) > 1 and " ".join(words) in " ".join(content.split()):
        wrapped = re.search(r"\s+".join(map(re.escape, words)), content)
        return (*wrapped.span(), "") if wrapped else None
    return None


def _label(content: str, start: int, end: int, listed: str) -> str:
    """What tells the reader of what sort an item is: the rest of its line, and its listed label where that is rendered near it."""
    before, after = content[:start].split("\n"), content[end:].split("\n")
    inline = f"{before[-1]} {after[0]}".replace(_CUT, " ").strip()
    near = "\n".join([*before[-1 - _LABEL_ABOVE :], *after[: 1 + _LABEL_BELOW]])
    shown = listed if listed and _span(listed, near) is not None else ""
    return f"{inline} {shown}".strip() if len(inline) <= _LABEL_LENGTH or inline.startswith(("{", "[")) else shown


def _lines(n: int, content: str) -> Iterator[Piece]:
    offset = 0
    for number, line in enumerate(content.split("\n"), 1):
        for sort, text, label in _parts(line):
            if any(ch.isalnum() for ch in text):
                yield Piece(text, (n, offset), sort, label=label, name=f"line {number} of message {n + 1}")
        offset += len(line) + 1


def _parts(line: str) -> Iterator[tuple[Literal["line", "label"], str, str]]:
    whole = _CUTS.sub(" ", line).strip()
    if _CUT in line and whole.startswith(("{", "[")):
        for field in _FIELD.finditer(whole):
            key, value = (_decode(literal) or "" for literal in field.groups())
            yield "label" if key in _LABEL_FIELDS else "line", value.strip(), ""
    else:
        for text, label in undo_fence(whole):
            yield "line", text, label


def undo_fence(line: str) -> list[tuple[str, str]]:
    """(text, label) of one rendered line: a JSON object's `text` and its other strings, a JSON string, or the line unescaped."""
    try:
        value = json.loads(line)
    except ValueError:
        return [(html.unescape(_STRING.sub(_unescaped, line)), "")]
    if isinstance(value, str):
        return [(value, "")]
    if isinstance(value, Mapping):
        label = " ".join(str(part) for key, part in value.items() if key != "text" and isinstance(part, str))
        if isinstance(value.get("text"), str):
            return [(value["text"], label)]
    return [(text, "") for literal in _STRING.findall(line) if (text := _decode(literal)) is not None] or [(line, "")]


def _unescaped(literal: re.Match[str]) -> str:
    """A JSON string inside a line that is no JSON as a whole, as it reads."""
    value = _decode(literal[0]) if "\\" in literal[0] else None
    return literal[0] if value is None else f'"{value}"'


def _decode(literal: str) -> str | None:
    try:
        value = json.loads(literal, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
