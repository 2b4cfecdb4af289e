"""Take rendered chat messages apart into pieces: verbatim turns, listed items, lines that no list mentions.

What a system says it sent and what it sent may differ; only the rendered text counts. An item counts where its text stands in
a message as it is, JSON-escaped or HTML-escaped. The current message and the application's texts are cut out first. What then
remains is memory that was not listed, line by line, with the fence undone.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_SKIPPED = 4
"""Messages, results of tools aside, that may be missing between two recent turns: what was forgotten or kept private of two exchanges."""
_FRAME = frozenset(["role", "content", "call_id", "tool_call_id", "id", "type"])
"""Parts of a rendered message that hold no words of their own."""
_MARKS = re.compile(r"^[\d\s:.,/+TZ-]*$|-\d+$")
"""Dates, and the numbers of ids, which stand beside an item and state nothing."""
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
    """What was said in one thread, to tell verbatim turns from text that memory made.

    `said`: (role, text) of every message, other branches included. `branch`: those of the active branch in order; default all.
    `calls`: every text of the tool calls that were given with them.
    """

    def __init__(self, said: Sequence[tuple[str, str]], branch: Sequence[tuple[str, str]] | None = None, calls: Iterable[str] = ()) -> None:
        self.said = tuple(said)
        self.branch = self.said if branch is None else tuple(branch)
        self.calls = frozenset(calls)
        self.texts = frozenset(text for _, text in said)
        self._by_role = frozenset(said)

    def holds(self, role: str, content: str) -> bool:
        """Whether this is a message of the thread, whole or with spans replaced by `[…]`. System text only if said as such."""
        if not content.strip() or (role, content) in self._by_role:
            return True
        if role != "system" and content in self.texts:
            return True
        return bool(_PLACEHOLDER.search(content)) and any(_is_turn(role, content, *given) for given in self.said)

    def run(self, rendered: Sequence[tuple[str, str]]) -> set[int]:
        """Which of the rendered (role, content) are the recent turns: those that lead back from the current message along the
        active branch, in its order. What was said long before is memory, even when it comes back word for word."""
        found: set[int] = set()
        at = len(self.branch)
        for n in range(len(rendered) - 1, -1, -1):
            skipped = 0
            for q in range(at - 1, -1, -1):
                if _is_turn(*rendered[n], *self.branch[q]):
                    found.add(n)
                    at = q
                    break
                skipped += self.branch[q][0] != "tool"
                if skipped > _SKIPPED:
                    break
        return found


def _is_turn(role: str, content: str, by: str, text: str) -> bool:
    if content == text:
        return role == by or (role != "system" and bool(text.strip()))
    cut = _PLACEHOLDER.split(content)
    if len(cut) == 1 or sum(ch.isalnum() for part in cut for ch in part) < _KEPT or (role == "system" and by != "system"):
        return False
    return _in_order(cut, text)


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
            content = content.replace(current, _CUT, 1)
        elif n in recent:
            turns.append(Piece(content, (n, 0), "turn", name=f"message {n + 1}"))
            beside += [Piece(hole, (n, 0), "line", name=f"message {n + 1}") for hole in _PLACEHOLDER.findall(content) if hole not in thread.texts]
            continue
        for text in application:
            if text.strip():
                content = content.replace(text, _CUT, 1)
        left[n] = Page(content)
    found = list(_take_items(items, left))
    listed = [*_listed_turns(turns, items, {piece.item for piece in found}), *found]
    return [*listed, *beside, *(piece for n, page in left.items() for piece in _lines(n, page.content))]


def _beside(n: int, message: Mapping[str, Any], given: frozenset[str]) -> Iterator[Piece]:
    """What a message says beside its content, tool calls above all: it reaches the model as well. `given`: what its calls were given."""
    for key, part in message.items():
        for text in texts_in(part) if key not in _FRAME else ():
            if text not in given and any(ch.isalnum() for ch in text):
                yield Piece(text, (n, 0), "line", name=f"{key} of message {n + 1}")


def texts_in(value: object) -> Iterator[str]:
    """Every text and key of a JSON value, inside strings that are JSON themselves too."""
    if isinstance(value, str):
        inside = _decoded(value) if value.lstrip().startswith(("{", "[")) else None
        yield from [value] if inside is None else texts_in(inside)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield str(key)
            yield from texts_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_in(part)


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


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


class Page:
    """The content of one message while texts are found in it and cut out."""

    def __init__(self, content: str) -> None:
        self.content = content
        self._literals: list[tuple[int, int, str]] | None = None

    def find(self, text: str) -> tuple[int, int, str] | None:
        """Where the text stands: as it is, HTML-escaped, in a JSON string of whatever escaping, or wrapped and indented. With it
        what must be left in its place: the rest of a JSON string that says more than the item."""
        for form in {text: None, html.escape(text): None, html.escape(text, quote=False): None}:
            if (start := self.content.find(form)) >= 0:
                return start, start + len(form), ""
        for start, end, value in self._decoded():
            if text in value:
                rest = value.replace(text, " ", 1).strip()
                return start, end, json.dumps(rest) if any(ch.isalnum() for ch in rest) else ""
        words = text.split()
        if len(words) > 1 and words[0] in self.content and " ".join(words) in " ".join(self.content.split()):
            wrapped = re.search(r"\s+".join(map(re.escape, words)), self.content)
            return (*wrapped.span(), "") if wrapped else None
        return None

    def cut(self, start: int, end: int, rest: str) -> None:
        """Take a span out. The places of all others stay as they are unless a `rest` is left behind."""
        self.content = self.content[:start] + (rest or _CUT * (end - start)) + self.content[end:]
        self._literals = None if rest else [part for part in self._decoded() if part[1] <= start or part[0] >= end]

    def _decoded(self) -> list[tuple[int, int, str]]:
        """The JSON strings in the content: start, end, value."""
        if self._literals is None:
            found = ((*literal.span(), _decode(literal[0])) for literal in _STRING.finditer(self.content))
            self._literals = [(start, end, value) for start, end, value in found if value]
        return self._literals


def _label(content: str, start: int, end: int, listed: str) -> str:
    """What tells the reader of what sort an item is: the rest of its line, and its listed label where that is rendered near it."""
    before, after = content[:start].split("\n"), content[end:].split("\n")
    inline = f"{before[-1]} {after[0]}".replace(_CUT, " ").strip()
    near = "\n".join([*before[-1 - _LABEL_ABOVE :], *after[: 1 + _LABEL_BELOW]])
    shown = listed if listed and Page(near).find(listed) is not None else ""
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
            yield ("label", value.strip(), value) if key in _LABEL_FIELDS else ("line", value.strip(), "")
    else:
        for text, label in undo_fence(whole):
            yield "line", text, label
            if label:
                yield "label", label, label


def undo_fence(line: str) -> list[tuple[str, str]]:
    """(text, label) of one rendered line: a JSON object's `text` and its other strings, a JSON string, or the line unescaped."""
    try:
        value = json.loads(line)
    except ValueError:
        return [(html.unescape(_STRING.sub(_unescaped, line)), "")]
    if isinstance(value, str):
        return [(value, "")]
    if isinstance(value, Mapping):
        label = " ".join(_MARKS.sub("", part) for key, field in value.items() if key != "text" for part in texts_in(field)).strip()
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
