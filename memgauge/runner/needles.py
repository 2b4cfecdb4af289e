"""What a deleted fact may look like in the bytes of a store: its wordings, their index terms, and the encodings they may stand in."""

from __future__ import annotations

import base64
import functools
import itertools
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import snowballstemmer

from memgauge.protocol import VERBS
from memgauge.records import CasePlan, Fact
from memgauge.texts import texts_in

SHORT = 4
"""Bytes below which a needle counts only between characters that are neither letters nor digits: noise would find it elsewhere."""
LEAST_ENCODED = 5
"""Bytes a needle needs to be looked for in base64 and hex, where every alphabet is small and digests abound."""
LEAST_DIGITS = 10
"""Digits from which an id of digits alone is no chance find."""

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3040-\u30FF\u3400-\u9FFF]")


@dataclass(frozen=True, slots=True)
class Form:
    """One wording to look for: `sentence`, `anchor`, `pair` (two neighbouring words of an anchor), `stem` (its index term), or `id`: that of a
    record made of the fact, which is all that a vector without its text can be known by."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Needle:
    """One fact with all its forms, longest first."""

    fact: str
    forms: tuple[Form, ...]


def needle(fact: Fact, plan: CasePlan) -> Needle:
    """The forms of a fact. Pairs and stems that other texts of the plan have too prove nothing and are left out."""
    elsewhere = set(_terms(text for text in _other_texts(fact, plan)))
    forms = {Form("sentence", fact.text)} if fact.text else set()
    for spelling in (s for group in fact.anchors for s in group if s.strip()):
        forms.add(Form("anchor", spelling))
        words = _words(spelling)
        for left, right in itertools.pairwise(words):
            joined = left + right if _UNSPACED.match(left) else f"{left} {right}"
            if not {stem(left), stem(right)} <= elsewhere:
                forms.add(Form("pair", joined))
        forms.update(Form("stem", stem(word)) for word in words if stem(word) not in elsewhere and len(stem(word)) >= SHORT)
    return Needle(fact.id, tuple(sorted(forms, key=lambda form: (-len(form.text), form.kind, form.text))))


def by_id(fact: str, ids: Iterable[str]) -> Needle:
    """The records made of a fact, by those ids that are found by no chance in other data: a few digits are."""
    telling = dict.fromkeys(i for i in ids if len(i) >= (LEAST_DIGITS if i.isdigit() else LEAST_ENCODED))
    return Needle(fact, tuple(Form("id", i) for i in telling))


def bare_needle(name: str, text: str) -> Needle:
    """The forms of a text of which nothing else is known: as it stands, and its index term when it is one word."""
    words = _words(text)
    forms = [Form("anchor", text)]
    if len(words) == 1 and len(stem(words[0])) >= SHORT:
        forms.append(Form("stem", stem(words[0])))
    return Needle(name, tuple(forms))


def encodings(text: str) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of every way the text may be written down. Names ending in `folded` are looked for in lower-cased bytes."""
    seen: set[bytes] = set()
    for name, found in _encodings(text):
        if found and found not in seen:
            seen.add(found)
            yield name, found


@functools.cache
def _porter() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("porter")


@functools.lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The Porter stem, as full-text indexes with a porter tokenizer keep it."""
    return str(_porter().stemWord(word.casefold()))


def _words(text: str) -> list[str]:
    """Words; in scripts without spaces, characters."""
    return [part for word in _WORD.findall(text) for part in (list(word) if _UNSPACED.search(word) else [word])]


def _terms(texts: Iterable[str]) -> Iterator[str]:
    return (stem(word) for text in texts for word in _words(text))


def _other_texts(fact: Fact, plan: CasePlan) -> Iterator[str]:
    """Every text of the plan but those that tell the fact, ask for its removal, or look for it."""
    for step in plan.steps:
        if fact.id in step.tells or (step.op in VERBS and VERBS[step.op].effect == "destroy") or step.kind == "scan":
            continue
        yield from texts_in(step.args, keys=False)


def _encodings(text: str) -> Iterator[tuple[str, bytes]]:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    plain = composed.encode("utf-8", "surrogatepass")
    yield "utf-8", plain
    yield "utf-8 NFD", decomposed.encode("utf-8", "surrogatepass")
    yield "utf-8 folded", composed.casefold().encode("utf-8", "surrogatepass")
    yield "utf-8 NFD folded", decomposed.casefold().encode("utf-8", "surrogatepass")
    yield "utf-16le", composed.encode("utf-16-le", "surrogatepass")
    yield "utf-16be", composed.encode("utf-16-be", "surrogatepass")
    escaped = json.dumps(composed)[1:-1]
    yield "json escapes", escaped.encode()
    yield "json escapes folded", escaped.casefold().encode()
    if len(plain) >= LEAST_ENCODED:
        yield "hex folded", plain.hex().encode()
        for shift in range(3):
            for name, alphabet in (("base64", None), ("base64url", b"-_")):
                yield f"{name} +{shift}", _base64_inside(plain, shift, alphabet)


def _base64_inside(plain: bytes, shift: int, alphabet: bytes | None) -> bytes:
    """The base64 characters that depend on these bytes alone when they start `shift` bytes into a group of three."""
    encoded = base64.b64encode(b"\0" * shift + plain, alphabet)
    start = -(-shift * 8 // 6)
    return encoded[start : (shift + len(plain)) * 8 // 6]
