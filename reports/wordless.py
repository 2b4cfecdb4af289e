"""Histories without the words of their scenario: every word that the plan says is written as its number in the plan's vocabulary.

What is left shows what was done and what the system added of its own, and no message. Whoever has the scenario (its digest is kept)
can put the words back exactly, and judge the history again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from memgauge.records import CasePlan, Entry, Json
from memgauge.reports.codec import encode
from memgauge.texts import texts_in

_OPEN, _CLOSE = "⟦⟧"
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Scripts written without blanks between words, where every character counts as a word."""

_WORD = re.compile(rf"{_OPEN}|[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_NUMBER = re.compile(rf"{_OPEN}(\d+){_CLOSE}")


class Vocabulary:
    """The words of one plan in a fixed order, each also in lower, upper and title case. Equal plans give equal numbers."""

    def __init__(self, plan: CasePlan) -> None:
        words = {word for text in texts_in(encode(replace(plan, path=""))) for word in _WORD.findall(text)}
        forms = {form for word in words for form in (word, word.lower(), word.upper(), word.capitalize(), word.casefold())}
        self._words: list[str] = sorted({_OPEN, *forms})
        self._numbers = {word: number for number, word in enumerate(self._words)}

    def take_out(self, entries: Iterable[Entry]) -> list[Json]:
        """The entries as plain JSON with the plan's words as numbers."""
        return [{name: held if name == "n" else _each(held, self._out) for name, held in entry.to_json().items()} for entry in entries]

    def put_back(self, lines: Iterable[Mapping[str, Any]]) -> tuple[Entry, ...]:
        """The entries again. Raises ValueError for a number that the plan has no word for, TypeError for what is no entry."""
        return tuple(Entry.from_json({name: _each(held, self._back) for name, held in line.items()}) for line in lines)

    def _out(self, text: str) -> str:
        def number(found: re.Match[str]) -> str:
            word: str = found[0]
            known = self._numbers.get(word)
            return word if known is None else f"{_OPEN}{known}{_CLOSE}"

        return _WORD.sub(number, text)

    def _back(self, text: str) -> str:
        def word(found: re.Match[str]) -> str:
            number = int(found[1])
            if number >= len(self._words):
                raise ValueError(f"the plan has no word {number}")
            return self._words[number]

        return _NUMBER.sub(word, text)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _each(held, change) for key, held in value.items()}
    return [_each(held, change) for held in value] if isinstance(value, list | tuple) else value
