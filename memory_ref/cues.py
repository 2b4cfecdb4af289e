"""The cue phrases of capture and review: at most 150, general, each group with where it comes from.

A phrase stands here only when it is a set phrase of the language, never because one text happens to use it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """`phrases` are literal words (curly and straight apostrophes alike); `source` says why they are cues."""

    source: str
    phrases: tuple[str, ...]


CUES: Mapping[str, Group] = {
    # --- the user asks for something to be kept -----------------------------------------------------------------------
    "intent": Group(
        "imperatives of keeping and standing-order adverbials of English (any learner's dictionary, s.v. remember, note, mind, now on)",
        ("remember", "note", "take note", "make a note", "keep in mind", "bear in mind", "don't forget", "do not forget",
         "never forget", "from now on", "going forward", "for future reference", "for the record", "for next time", "in future", "in the future", "memorize", "memorise",
         "save this", "store this", "keep this in memory"),
    ),
    "intent-other": Group(
        "the same imperatives in German, French, Spanish, Japanese, Chinese, Arabic (Wiktionary, s.v. merken, retenir, recordar, 覚える, 记住, تذكر)",
        ("merk dir", "merke dir", "denk daran", "ab jetzt", "souviens-toi que", "retiens que", "n'oublie pas que", "désormais", "recuerda que", "ten en cuenta que",
         "no olvides que", "a partir de ahora", "覚えておいて", "覚えてください", "忘れないで", "记住", "記住", "请记得", "تذكر أن", "تذكّر أن", "لا تنس أن"),
    ),
    # --- not meant as a statement -------------------------------------------------------------------------------------
    "hypothetical": Group(
        "openers of supposition (Cambridge Grammar of the English Language, ch. 8, conditional adjuncts)",
        ("what if", "suppose", "supposing", "imagine", "let's say", "let us say", "let's pretend", "pretend", "hypothetically", "in theory", "assume", "assuming", "say that",
         "for the sake of argument", "role play", "role-play", "roleplay"),
    ),
    "tentative": Group(
        "first-person verbs of wishing and considering, and their modals (same source, ch. 3)",
        ("maybe", "perhaps", "might", "could", "would", "thinking of", "thinking about", "considering", "wondering", "wish", "dream of", "toying with", "not sure"),
    ),
    "joke": Group("markers of jest (Wiktionary, s.v. just kidding, jk, lol, sarcasm)", ("just kidding", "only kidding", "just joking", "only joking", "haha", "lol", "jk")),
    "real": Group("openers that lead back to fact (usage notes s.v. actually, in Merriam-Webster)", ("actually", "in reality", "in real life", "seriously", "back to reality", "really though")),
    "refute": Group(
        "self-repair formulas of speech (Schegloff, Jefferson and Sacks 1977, repair)",
        ("scratch that", "never mind", "nevermind", "forget that", "forget what i said", "ignore that", "disregard that", "i take that back", "strike that", "no, let's not",
         "not really", "i was wrong"),
    ),
    "repair": Group("the same, when the right value follows", ("i mean", "i meant", "no wait", "wait no", "make that", "make it", "or rather", "sorry")),
    # --- something changed --------------------------------------------------------------------------------------------
    "change": Group(
        "adverbs and negations of a new state (Cambridge Grammar, ch. 8, aspectual adjuncts)",
        ("now", "any more", "anymore", "no longer", "any longer", "as of today", "instead"),
    ),
    # --- what a session note carries ----------------------------------------------------------------------------------
    "framing": Group("verbs of a changed view (WordNet, s.v. realise, reconsider)", ("i realise", "i realize", "it dawned on me", "i see it differently", "the real question is", "it's not about", "i used to think", "looked at this wrong")),
    "boundary": Group("refusals and limits (speech-act verbs of refusing, Searle and Vanderveken 1985)", ("i don't want", "i do not want", "off limits", "off-limits", "not up for discussion", "please stop", "i'm not comfortable", "don't bring up", "do not bring up", "no more")),
    "tension": Group("markers of an open conflict", ("torn between", "on the one hand", "can't decide", "cannot decide", "undecided", "part of me", "still unclear", "open question", "i keep going back and forth")),
    "correction": Group("openers of correcting another speaker (repair by the other, same source)", ("that's not right", "that is not right", "that's wrong", "that is wrong", "that was wrong", "you got", "you misunderstood", "no, i said", "i said", "not what i meant", "that's incorrect")),
}  # fmt: skip


def fold(text: str) -> str:
    """Apostrophes and quotes straight, so that one spelling of a cue is enough. Keeps every character's place."""
    return text.translate(_STRAIGHT)


_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


@functools.cache
def compiled(rule: str) -> re.Pattern[str]:
    """A rule of a table, compiled when it is first tried: those of all tables take a quarter of a second, and a process may need none."""
    return re.compile(rule, re.I)


@functools.cache
def pattern(group: str) -> re.Pattern[str]:
    """Any phrase of the group, on word boundaries where it begins or ends with a letter of a spaced script."""
    parts = []
    for phrase in sorted(CUES[group].phrases, key=len, reverse=True):
        body = re.escape(phrase).replace(r"\ ", r"\s+")
        left, right = (r"(?<!\w)" if phrase[0] < "\u2000" and phrase[0] != "/" else ""), (r"(?!\w)" if phrase[-1] < "\u2000" else "")
        parts.append(left + body + right)
    return re.compile("|".join(parts), re.I)
