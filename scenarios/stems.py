"""Content stems of a text: what a full-text search could hold on to."""

from __future__ import annotations

import functools
import re
from typing import Any

import snowballstemmer

from memgauge.anchors import fold

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u0E00-\u0EFF\u3040-\u30FF\u3400-\u9FFF]")
_LANGUAGES = {
    "en": "english", "de": "german", "es": "spanish", "fr": "french", "ru": "russian", "el": "greek", "ar": "arabic",
    "hi": "hindi", "it": "italian", "pt": "portuguese", "tr": "turkish", "fi": "finnish", "nl": "dutch",
}  # fmt: skip

_FUNCTION_WORDS = """
a about after again all also am an and any are as at be been before but by can could did do does for from had has have he her here him
his how i if in into is it its just may me more my no not now of off on one or our out please remember she should so some still than that
the their them then there these they this those to up us was we were what when where which who whom whose why will with would you your
keep mind note tell told know let"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words, and the words with which people ask a memory to keep something."""


def content_stems(text: str, language: str = "en") -> set[str]:
    """Stems of the words that carry content; two-character pieces where a script writes no spaces."""
    stems: set[str] = set()
    for word in _WORD.findall(fold(text)):
        if _UNSPACED.search(word):
            stems |= {word[i : i + 2] for i in range(len(word) - 1)}
        elif word not in STOP_WORDS:
            stems.add(_stemmer(_LANGUAGES.get(language, "english")).stemWord(word))
    return stems


@functools.cache
def _stemmer(name: str) -> Any:
    return snowballstemmer.stemmer(name)
