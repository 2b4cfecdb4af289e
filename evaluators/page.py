"""Text as it is rendered: found under whatever escaping, cut out, and its fence undone."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping

from memgauge.texts import texts_in

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_MARKS = re.compile(r"^[\d\s:.,/+TZ-]*$|-\d+$")
"""Dates, and the numbers of ids, which stand beside an item and state nothing."""
CUT = "\x00"
"""Stands where a text was taken out, so that the two sides do not grow together. Not a word character."""


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
        self.content = self.content[:start] + (rest or CUT * (end - start)) + self.content[end:]
        self._literals = None if rest else [part for part in self._decoded() if part[1] <= start or part[0] >= end]

    def _decoded(self) -> list[tuple[int, int, str]]:
        """The JSON strings in the content: start, end, value."""
        if self._literals is None:
            found = ((*literal.span(), decode(literal[0])) for literal in STRING.finditer(self.content))
            self._literals = [(start, end, value) for start, end, value in found if value]
        return self._literals


def undo_fence(line: str) -> list[tuple[str, str]]:
    """(text, label) of one rendered line: a JSON object's `text` and its other strings, a JSON string, or the line unescaped."""
    try:
        value = json.loads(line)
    except ValueError:
        return [(html.unescape(STRING.sub(_unescaped, line)), "")]
    if isinstance(value, str):
        return [(value, "")]
    if isinstance(value, Mapping):
        label = " ".join(_MARKS.sub("", part) for key, field in value.items() if key != "text" for part in texts_in(field, unpack=True)).strip()
        if isinstance(value.get("text"), str):
            return [(value["text"], label)]
    return [(text, "") for literal in STRING.findall(line) if (text := decode(literal)) is not None] or [(line, "")]


def _unescaped(literal: re.Match[str]) -> str:
    """A JSON string inside a line that is no JSON as a whole, as it reads."""
    value = decode(literal[0]) if "\\" in literal[0] else None
    return literal[0] if value is None else f'"{value}"'


def decode(literal: str) -> str | None:
    """The text of a JSON string, or None for what is none."""
    try:
        value = json.loads(literal, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
