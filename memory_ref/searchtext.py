"""Text → terms. What is indexed, and what a question and a record are compared by.

One fold for both sides: NFKC, case, Turkish dots, accents, Arabic and Hebrew points and letter forms. Words become stems: Porter as
the tokenizer of FTS5 computes it, besides the Snowball stem of the text's own language. Codes (`zx-4417`, `c++`, `gb/s`) stay whole and
also give their parts. Scripts without spaces give single characters and pairs; Korean words give their stem and pairs.
The index is a candidate finder: it may find too much, never too little. What counts is decided over the same terms in `relevance`.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import snowballstemmer

from memgauge.memory_ref.lexicon import KOREAN_ENDINGS, STOP_WORDS

# Combining marks that are spelling, not letters: Latin, Greek and Cyrillic accents; Hebrew points; Arabic vowel signs, hamza seats, tatweel.
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
_LETTERS = str.maketrans(
    {"ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ٱ": "ا", "ى": "ي", "ة": "ه", "ک": "ك", "ی": "ي"}
    | {"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "–": "-", "ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ"}
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
)
_W = r"[^\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]"
_INDIC = r"[\u0900-\u0963\u0966-\u0dff]"
WORD = re.compile(
    rf"(?P<word>(?:{_W}|{_INDIC})+(?:(?:[-_.+/@#&:']|(?<=\d),(?=\d))(?:{_W}|{_INDIC})+)*(?:\+\+|[#%](?!\w))?)"
    r"|(?P<hangul>[\uac00-\ud7af]+)"
    r"|(?P<han>[\u3400-\u9fff\uf900-\ufaff々]+)"
    r"|(?P<kana>[\u3041-\u3096\u30fc]+)"
    r"|(?P<kata>[\u30a1-\u30fa\u30fc]+)"
    r"|(?P<thai>[\u0e01-\u0e4e\u0e50-\u0e59]+)|(?P<lao>[\u0e81-\u0eff]+)"
    r"|(?P<khmer>[\u1780-\u17d3\u17dc-\u17ff]+)|(?P<myanmar>[\u1000-\u1049\u1050-\u109f]+)"
)
"""One run of text of one sort. The names are the sorts of `Token`."""
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:(?:[-_.+/@#&:']|(?<=\d),(?=\d))[A-Za-z0-9]+)*(?:\+\+|[#%](?!\w))?")
"""What WORD finds in a text of ASCII alone, several times as fast."""

_SCRIPT_LANGUAGES = (("\u0370", "\u03ff", "greek"), ("\u0400", "\u04ff", "russian"), ("\u0600", "\u06ff", "arabic"), ("\u0900", "\u097f", "hindi"))
_CONTRACTIONS = frozenset({"t", "re", "ve", "ll", "d", "m"})
_HEBREW_CLITICS = "הובלמשכ"
_CODE = re.compile(r"[-_.+/@#&:,%]")
_LATIN = re.compile(r"[a-z]")


@functools.lru_cache(maxsize=16_384)
def fold(text: str) -> str:
    """The form in which texts are compared, cached like `terms`. Idempotent; keeps the vowel signs of South and South East Asian scripts."""
    wide = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS)
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", wide))).translate(_LETTERS)


class Token(NamedTuple):
    """A run of folded text and its sort (see WORD)."""

    text: str
    sort: str


def tokens(folded: str) -> Iterator[Token]:
    """The runs of an already folded text, in order. Symbols alone give nothing."""
    if folded.isascii():
        for word in _ASCII_WORD.findall(folded):
            yield Token(word, "word")
        return
    for found in WORD.finditer(folded):
        if any(map(str.isalnum, found[0])):  # marks without a letter are no word to the index either
            yield Token(found[0], found.lastgroup or "word")


_stemmer_lock = threading.Lock()


@functools.cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


@functools.lru_cache(maxsize=65_536)
def porter(word: str) -> str:
    """The stem that FTS5's `porter` tokenizer makes of a folded word.

    SQLite (ext/fts5/fts5_tokenize.c) differs from Snowball's `porter` in five ways, all kept here: a bare ending has no rule, words under 3
    or over 63 bytes stay, "bli" and "logi" are reduced as in Porter's own later program, and any double consonant but l, s, z is undoubled.
    """
    size = len(word.encode("utf-8", "replace"))
    if not 3 <= size <= 63:
        return word
    if word in _BARE_ENDINGS:
        return _BARE_ENDINGS[word]
    if word.endswith("bly") and _measure(word[:-3]):
        word = word[:-1] + "e"
    with _stemmer_lock:
        stem: str = _stemmer("porter").stemWord(word)
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] in "chjkqvwx" and word.removeprefix(stem) in ("ed", "ing"):
        stem = stem[:-1]
    return stem[:-1] if stem.endswith("logi") and _measure(stem[:-4]) else stem


_BARE_ENDINGS = {"eed": "e", "ies": "ie", "sses": "sse"}
"""Endings without a word before them: too short in SQLite for their own rule, so that the next one takes them (-ed, -s)."""


def _measure(stem: str) -> int:
    """Porter's m: how many vowel-consonant sequences a stem holds."""
    return len(re.findall(r"(?:[aeiou]|(?<=[^aeiou])y)+[^aeiou]", stem))


@functools.lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    """The Snowball stem of a folded word, or the word itself for a language without a stemmer."""
    if language == "english":
        return porter(word)
    if language not in snowballstemmer.algorithms():
        return word
    with _stemmer_lock:
        return fold(_stemmer(language).stemWord(word))


STOPS = {language: frozenset(map(fold, words)) for language, words in STOP_WORDS.items()}
"""The stop words of each language, folded."""
_STOPS_OF = {word: tuple(language for language in STOPS if word in STOPS[language]) for words in STOPS.values() for word in words}
_RANK = {language: n for n, language in enumerate(STOPS)}
"""Of two languages with as many words in a text, the first one counts."""


@functools.lru_cache(maxsize=4096)
def language_of(folded: str) -> str:
    """The language whose function words stand most often in the text; "" when none stands there. A guess that only adds stems."""
    counts: dict[str, int] = {}
    for word in folded.replace("'", " ").split()[:400]:
        for language in _STOPS_OF.get(word.strip('.,;:!?¿¡()"'), ()):
            counts[language] = counts.get(language, 0) + 1
    return max(counts, key=lambda language: (counts[language], -_RANK[language]), default="")


def word_language(word: str, text_language: str) -> str:
    """By script where the script tells it, else that of the text."""
    first = word[0]
    for low, high, language in _SCRIPT_LANGUAGES:
        if low <= first <= high:
            return language
    if "\u0590" <= first <= "\u05ff":
        return "hebrew"
    return text_language if _LATIN.search(word) else ""


def plain(word: str) -> str:
    """A word without its elision, genitive or Turkish case tail: l'ecole → ecole, ana's → ana, istanbul'da → istanbul; don't → dont."""
    if "'" not in word:
        return word
    parts = [part for part in word.split("'") if part]
    if len(parts) == 2 and parts[1] in _CONTRACTIONS:
        return "".join(parts)
    return max(parts, key=len, default="")


def is_code(word: str) -> bool:
    """Whether a word is joined by symbols: zx-4417, c++, gb/s, a@b.org, 9:30, 3.5."""
    return _CODE.search(word) is not None


def code_parts(word: str) -> list[str]:
    """The words inside a code."""
    return [part for part in re.split(r"[-_.+/@#&:,%']+", word) if part]


def word_stems(word: str, language: str) -> set[str]:
    """All forms under which one plain folded word can be found: Porter, its own language's stem, and Hebrew without its prefix letter."""
    own = word_language(word, language)
    forms = {porter(word), stem(word, own)}
    if own == "hebrew" and len(word) >= 4 and word[0] in _HEBREW_CLITICS:
        forms |= {word[1:]}
    if own == "arabic":
        forms |= {re.sub("^(?:و|ف)?(?:ال|بال|كال|لل|ب(?=ال))", "", word) or word}
    return {form for form in forms if form}


@functools.lru_cache(maxsize=16_384)
def korean_stem(word: str) -> str:
    """A word without its particle or verb ending (longest that leaves a syllable), twice where a particle follows another."""
    for _ in range(2):
        for ending in KOREAN_ENDINGS:
            if len(word) > len(ending) and word.endswith(ending):
                word = word[: -len(ending)]
                break
    return word


def clusters(run: str) -> list[str]:
    """Letters with the vowel and tone signs that stand on them, so that no sign is split from its letter."""
    parts: list[str] = []
    for char in run:
        if parts and unicodedata.category(char) in ("Mn", "Mc"):
            parts[-1] += char
        else:
            parts.append(char)
    return parts


def pairs(units: list[str] | str) -> list[str]:
    """Neighbouring units joined; a single unit stands for itself."""
    return [units[i] + units[i + 1] for i in range(len(units) - 1)] or list(units)


@functools.lru_cache(maxsize=65_536)
def _token_terms(token: Token, language: str) -> tuple[str, ...]:
    """All terms of one token, in order, each once. Cached, like the stems: a store of many messages has few different words."""
    text, sort = token
    found: list[str]
    if sort == "word":
        if is_code(text):
            parts = code_parts(text)
            found = [text, "".join(parts), *(stem for part in parts for stem in sorted(word_stems(part, language)))]
        else:
            word = plain(text)
            found = sorted(word_stems(word, language)) if word else []
    elif sort == "hangul":
        found = [text, korean_stem(text), *pairs(text)]
    elif sort in ("thai", "lao", "khmer", "myanmar"):
        units = clusters(text)
        found = [*units, *pairs(units)]
    else:
        found = [*text, *pairs(text), *([text] if sort == "kata" else [])]
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=65_536)
def _indexed(token: Token, language: str) -> str:
    """What is indexed for one token."""
    if token.sort != "word" or is_code(token.text):
        return " ".join(_token_terms(token, language))
    word = plain(token.text)
    return " ".join((word, *sorted(word_stems(word, language) - {porter(word), word})))


@functools.lru_cache(maxsize=16_384)
def terms(text: str) -> frozenset[str]:
    """All terms of a record's text. Cached by text, so that a store is taken apart once a process, not once a question."""
    folded = fold(text)
    language = language_of(folded)
    return frozenset(term for token in tokens(folded) for term in _token_terms(token, language))


def with_slot(text: str, slot: str | None) -> str:
    """A fact's text with the words of its slot behind it, so that a statement is also found by what it is about."""
    return text if slot is None else f"{text}\n{re.sub('[-_.:|]+', ' ', slot)}"


def search_text(text: str) -> str:
    """What is put into the full-text index for a record: its words (FTS5 stems them), further stems, codes, parts and pairs."""
    folded = fold(text)
    language = language_of(folded)
    return " ".join([_indexed(token, language) for token in tokens(folded)])
