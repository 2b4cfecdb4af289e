"""Whether a sentence says the opposite of a value that stands in it: it denies the value, asks for it, or puts it in the past.

"Ana does not live in Ghent" and "Do I live in Ghent?" hold the value and do not state it. Only the clause around the value is
read, so that "in Lyon, not in Ghent" still states Lyon. A statement that was itself told with a denial keeps its own sense in
whatever words, and is not read this way. Texts are expected as `memgauge.anchors.fold` leaves them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_CLAUSES = re.compile(
    r"[;:()\[\]|\n]+|,(?=\s)|\s-+\s|、|，|；|：|،"
    r"|\b(?:but|although|though|while|because|since|so|sondern|aber|weil|mais|parce|pero|sino|porque|но|а|потому|ama|çünkü|αλλά|γιατί|लेकिन|لكن|بل)\b"
)
"""Where one clause ends and another begins: marks, and the commonest words that join two of different sense."""

_WORDS: Mapping[str, str] = {
    "en": r"\b(?:not|never|cannot|neither|nor|no (?:longer|more)|used to|formerly|previously lived|\w+n't)\b",
    "de": r"\b(?:nicht|nie|niemals|kein(?:e[mnrs]?)?|früher|ehemals)\b",
    "fr": r"\b(?:ne|pas|jamais|autrefois)\b|\bn'",
    "es": r"\b(?:no|nunca|jamás|antes)\b",
    "it": r"\b(?:non|mai)\b",
    "pt": r"\b(?:não|nunca)\b",
    "ru": r"\b(?:не|нет|никогда|раньше)\b",
    "tr": r"\b(?:değil|asla|eskiden)\b|\w+m[iıuü]yor",
    "el": r"\b(?:δεν|μην|όχι|ποτέ)\b",
    "ja": r"ません|(?:では|じゃ|で|い|し)ない|なかった",
    "zh": r"不是|不再|不在|不会|不要|没有|從未|从未|并非",
    "ko": r"않|아니|못",
    "hi": r"नहीं|मत\b",
    "ar": r"(?:^|\s)(?:لا|ليس|ليست|لم|لن|ما عاد)(?=\s)",
}
_OWN_LETTERS = ("ru", "el", "ja", "zh", "ko", "hi", "ar")
"""Languages whose words can be taken for those of no other, so that they are looked for in every text."""
_SENSE = re.compile(
    r"\b(?:avoid|ban|banned|dislike|except|forbid|forbidden|hate|must|no|off|only|quit|refuse|skip|stop|stopped|without|ohne|sans|sin|без)\w*\b"
)
"""Words by which a statement may mean a denial without having one: in other words it may rightly get one."""


def turns(value_in: Callable[[str], bool], sentence: str, language: str) -> bool:
    """Whether a clause of the sentence with (part of) the value denies it, or the whole sentence asks."""
    if asks(sentence):
        return True
    clauses = [clause for clause in _CLAUSES.split(sentence) if clause and clause.strip()]
    return any(denies(clause, language) for clause in clauses if value_in(clause))


def asks(sentence: str) -> bool:
    """Whether the sentence is a question."""
    return sentence.rstrip(" \"')]}»”*_`").endswith(("?", "؟"))


def denies(clause: str, language: str) -> bool:
    """Whether there is a word of denial or of the past, in the language, or in one in which a memory may answer anyway."""
    return any(re.search(_WORDS[name], clause) for name in {language.split("-")[0], "en", *_OWN_LETTERS} if name in _WORDS)


def has_own_sense(statement: str, language: str) -> bool:
    """Whether a statement as it was told denies, asks, or means a denial, so that another wording of it may do so too."""
    return "?" in statement or "؟" in statement or denies(statement, language) or _SENSE.search(statement) is not None
