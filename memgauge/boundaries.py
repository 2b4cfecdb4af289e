"""Where a word begins and ends, in scripts with and without spaces.

A value stands in a text when it is not a piece of a longer word or number: `Go` is not in `Django`, `900` not in `1,900`, and
the Hindi word for heart not in the name of Delhi. Scripts that write no spaces have no such borders, Korean none behind a
noun, and Arabic and Hebrew write their prepositions onto it. Text is expected as `memgauge.anchors.fold` leaves it.
"""

from __future__ import annotations

import re
import unicodedata

_UNSPACED = re.compile(
    r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Thai to Tibetan, Burmese, Khmer, kana, Chinese characters."""
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_PREFIXED = re.compile(r"(?<![^\W\d_])(?:[وف]?[بكل]?(?:ال)?|[وف]?لل|[ושהבלכמ]{1,3})$")
"""Arabic and Hebrew words written onto the next one: and, so, in, as, to, the, from, that."""
_RIGHT_TO_LEFT = re.compile(r"[\u05d0-\u05ea\u0620-\u064a\u0671-\u06d3]")
_NUMBER_BEFORE = re.compile(r"\d[.,]$")
_NUMBER_AFTER = re.compile(r"[.,]\d{3}(?!\d)|\.\d{1,2}(?![\d.])")
"""Behind a digit: a group of thousands, or decimals. 12.03.2026 is a date, and 12 stands in it."""
_DIGIT_BEFORE = re.compile(r"\d[-:./,]$")
_DIGIT_AFTER = re.compile(r"[-:./,]\d")
_ADDRESS_BEFORE = re.compile(r"\w[.+-]$")
_ADDRESS_AFTER = re.compile(r"[.-]\w")
"""A mail address is a piece of a longer one."""


def stands_at(text: str, start: int, end: int) -> bool:
    """Whether text[start:end], not empty, is a value of its own."""
    if "@" in text[start:end] and (_ADDRESS_BEFORE.search(text, max(0, start - 2), start) or _ADDRESS_AFTER.match(text, end)):
        return False
    return _begins(text, start) and _ends(text, end)


def stands_apart(text: str, start: int, end: int) -> bool:
    """The same, and no digit follows or precedes beyond a mark: 38 in `size 38`, not in `10:38`. For forms a value was not told in."""
    return stands_at(text, start, end) and not _DIGIT_BEFORE.search(text, max(0, start - 2), start) and not _DIGIT_AFTER.match(text, end)


def _begins(text: str, start: int) -> bool:
    first, before = text[start], text[start - 1 : start]
    if not before or not _is_word(first) or _UNSPACED.match(first):
        return True
    if first.isdigit() and _NUMBER_BEFORE.search(text, max(0, start - 2), start):
        return re.match(r"\d{3}(?!\d)", text[start:]) is None
    if before == "_":
        return not _is_word(text[start - 2 : start - 1])
    if not _is_word(before) or _changes_script(before, first):
        return True
    return _RIGHT_TO_LEFT.match(first) is not None and _PREFIXED.search(text[max(0, start - 6) : start]) is not None


def _ends(text: str, end: int) -> bool:
    last, after = text[end - 1], text[end : end + 1]
    if not after:
        return True
    if unicodedata.category(after).startswith("M"):  # a vowel sign or accent belongs to the letter before it
        return False
    if not _is_word(last) or _UNSPACED.match(last) or _HANGUL.match(last):
        return True
    if last.isdigit() and _NUMBER_AFTER.match(text, end):
        return False
    if after == "_":
        return not _is_word(text[end + 1 : end + 2])
    return not _is_word(after) or _changes_script(after, last)


def _is_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or unicodedata.category(character).startswith("M"))


def _changes_script(one: str, other: str) -> bool:
    """Between a script without spaces, or Hangul, and any other a word may end without a space."""
    return _border_group(one) != _border_group(other)


def _border_group(character: str) -> int:
    return 1 if _UNSPACED.match(character) else 2 if _HANGUL.match(character) else 0
