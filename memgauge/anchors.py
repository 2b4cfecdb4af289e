"""Recognise a planted fact in text a memory may have reworded.

A fact is recognised by values that survive rewording (a name, number, place or code), not by its sentence. Text is folded
(see `fold`); an anchor counts on word boundaries, or as a substring in scripts that write no spaces; all anchors must stand
in one item, in a long item in one sentence or bullet. What turns a match off, a wording of `not_if`, the value of the fact
that replaces it, or a denial, must stand in the same sentence. A value may be written in another form (`memgauge.spellings`).
See `records.Fact` for the parts of a fact.
"""

from __future__ import annotations

import enum
import functools
import html.entities
import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence

from memgauge import denial
from memgauge.boundaries import stands_apart, stands_at
from memgauge.records import Fact
from memgauge.spellings import forms, grouped

LONG_ITEM = 240
"""Characters from which an item is taken sentence by sentence: about three spoken sentences, more than one atomic fact."""
AFTERTHOUGHT = 5
"""Words up to which the next sentence still speaks of this one: "I lived in Ghent. Not any more." """

_BREAK = re.compile(r"\n\s*(?:[-*•]\s+)?|\s[-*•]\s+|(?<=[.!?…])\s+|(?<=[.!?…][\"'»”’)\]])\s+|(?<=[。！？।؟])\s*")
_BREAKABLE = re.compile(r"[\s。!?।؟]")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|[Ss]te?|[DM]r|Mrs?|Ms|Prof|No|Nr|St[rn]?|vs|approx|ca|etc|Inc|Ltd|Jr|Sr|[Aa]ve|[Aa]pt|[Tt]el|e\.g|i\.e"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
"""Full stops that end no sentence: initials and the commonest abbreviations before a name or number."""

_UNSEEN = re.compile(
    "[\u00ad\u034f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Characters that show nothing (Unicode's default-ignorables) and the vowel signs that Arabic and Hebrew leave out at will."""
_ALIKE = str.maketrans("‘’‛ʼ“”‟‐‑‒–—―−ı", "''''\"\"\"-------i")


_ESCAPED = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});|\\u(?!d[89a-f])[0-9a-f]{4}", re.I)


class Match(enum.Enum):
    """`UNSURE`: the anchors stand there without any word of the claim. Unscored, listed, for a person to rule on.

    `DENIED`: they stand there, in a sentence that does not state the fact: it denies it, asks, puts it in the past, or names what
    replaced it. Nobody is told the fact by it; whoever must not know the value is.
    """

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"
    DENIED = "denied"


def fold(text: str) -> str:
    """What the eye takes as the same becomes the same: NFKC, case (with Turkish i), quotes and dashes, digits of every script,
    unseen characters dropped, white space runs to one blank."""
    return _remembered(text) if len(text) <= LONG_ITEM else _folded(text)


def _folded(text: str) -> str:
    if text.isascii():
        return " ".join(text.casefold().split())
    folded = unicodedata.normalize("NFKC", _UNSEEN.sub("", unicodedata.normalize("NFKC", text).casefold()))
    folded = re.sub(r"\d", lambda digit: str(unicodedata.digit(digit[0])), folded.translate(_ALIKE).replace("i\u0307", "i"))
    return " ".join(folded.split())


_remembered = functools.lru_cache(maxsize=16_384)(_folded)
"""Every fact of a case is looked for in every item of it: short texts come again and again."""


def unescaped(text: str) -> str:
    """The text with the escapes of HTML and JSON read, as whoever stored it escaped meant it."""
    return _ESCAPED.sub(_character, text) if "&" in text or "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    """The character that an escape of HTML or JSON stands for; what is no such escape stays."""
    said = escape[0]
    if said.startswith("\\u"):
        return chr(int(said[2:], 16))
    known = said[1] == "#" or said[1:] in html.entities.html5
    return html.unescape(said) if known else said


def sentences(text: str, whole: Sequence[str] = ()) -> list[str]:
    """Folded sentences, lines and bullets of a text, without empty ones. No break falls inside a folded text of `whole`."""
    folded, cuts, last = "", [], 0
    for gap in _BREAK.finditer(text):
        folded += fold(text[last : gap.start()])
        if not _ABBREVIATED.search(text[max(last, gap.start() - 12) : gap.start()]):
            cuts.append(len(folded))
        folded += " " if gap[0] else ""
        last = gap.end()
    folded += fold(text[last:])
    kept = [(at, at + len(part)) for part in whole if _BREAKABLE.search(part) for at in _places(part, folded)]
    cuts = [0, *(cut for cut in cuts if not any(start < cut < end for start, end in kept)), len(folded)]
    return [part for start, end in itertools.pairwise(cuts) if (part := folded[start:end].strip())]


def stands_in(spelling: str, folded_text: str) -> bool:
    """Whether one spelling stands in already folded text, on word boundaries."""
    wanted = fold(spelling)
    return any(stands_at(folded_text, at, at + len(wanted)) for at in _places(wanted, folded_text))


def _places(part: str, text: str) -> list[int]:
    found, at = [], text.find(part) if part else -1
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def occurrences(spelling: str, folded_text: str) -> int:
    """How often one spelling stands in already folded text, on word boundaries, without overlap."""
    wanted = fold(spelling)
    found, free = 0, 0
    for at in _places(wanted, folded_text):
        if at >= free and stands_at(folded_text, at, at + len(wanted)):
            found, free = found + 1, at + len(wanted)
    return found


def _any(spellings: Sequence[str], folded_text: str) -> bool:
    return any(stands_in(s, folded_text) for s in spellings)


def _valued(spellings: Sequence[str], folded_text: str) -> bool:
    """Whether a value stands there in one of its spellings, or in another form of one."""
    return any(stands_in(s, folded_text) or _otherwise(fold(s), folded_text) for s in spellings)


def _otherwise(value: str, text: str) -> bool:
    if any(stands_apart(text, at, at + len(form)) for form in forms(value)[1:] for at in _places(form, text)):
        return True
    digits = grouped(value)
    return digits is not None and digits.search(text) is not None


class Matcher:
    """Matches the facts of one case. Knows which fact replaces which: a sentence with old and new value is not stale."""

    def __init__(self, facts: Mapping[str, Fact]) -> None:
        self.facts = facts
        self._successors: dict[str, list[Fact]] = {}
        for fact in facts.values():
            if fact.replaces is not None:
                self._successors.setdefault(fact.replaces, []).append(fact)

    def match(self, fact_id: str, text: str) -> Match:
        """Whether the text states the fact."""
        fact, text = self.facts[fact_id], unescaped(text)
        item = fold(text)
        if not self._anchored(fact, item):
            return Match.NO
        is_short = len(text) <= LONG_ITEM
        parts = sentences(text, [fold(s) for group in fact.anchors for s in group])
        stating = [(part, after) for part, after in zip(parts, [*parts[1:], ""], strict=True) if self._anchored(fact, part)]
        if not stating and is_short:
            stating = [(item, "")]
        found = {self._sentence(fact, part, after, item if is_short else part) for part, after in stating}
        return next((match for match in (Match.YES, Match.UNSURE, Match.DENIED) if match in found), Match.NO)

    def _sentence(self, fact: Fact, part: str, after: str, claimed_in: str) -> Match:
        """One sentence with all anchors, the sentence behind it, and the text in which the claim must stand."""
        heard = f"{part} {after}" if len(after.split()) <= AFTERTHOUGHT else part
        if excuses := [wording for wording in fact.not_if if stands_in(wording, heard)]:
            return Match.NO if any(self._excuses(fact, wording) for wording in excuses) else Match.DENIED
        if any(self._anchored(later, part) for later in self._successors.get(fact.id, ())) or self._turned(fact, part):
            return Match.DENIED
        return Match.YES if not fact.claim or _any(fact.claim, claimed_in) else Match.UNSURE

    @staticmethod
    def _excuses(fact: Fact, wording: str) -> bool:
        """Whether a wording of `not_if` makes it another fact ("my brother") rather than this one denied or gone ("from Ghent")."""
        folded = fold(wording)
        return not any(_any(group, folded) for group in fact.anchors) and not denial.denies(folded, fact.language)

    def _turned(self, fact: Fact, part: str) -> bool:
        if any(denial.has_own_sense(fold(statement), fact.language) for statement in (fact.text, *fact.like, *itertools.chain(*fact.anchors))):
            return False
        return denial.turns(lambda clause: any(_valued(group, clause) for group in fact.anchors), part, fact.language)

    @staticmethod
    def _anchored(fact: Fact, folded: str) -> bool:
        return bool(fact.anchors) and all(_valued(group, folded) for group in fact.anchors)
