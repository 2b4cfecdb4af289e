"""What a summary holds: the facts of its range, none from outside it, and no claim that nobody made."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memgauge.anchors import fold, stands_in
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, names, passed, unscored, unsure
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name, fact_name, fact_names, unit_name
from memgauge.records import Entry, Expectation
from memgauge.texts import texts_in

_SUPPORT = 1 / 3
"""Share of a sentence's content words that must stand in what was said. An extract has all; a free summary has its topic at the least."""
_FEWEST = 3
"""Content words from which a sentence says anything that can be looked up."""
_STEM = 5
"""Letters by which two forms of one word are known."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
_NAME = re.compile(r"(?<=[\w,] )[A-Z][a-z]{2,}")
_ACTS = re.compile(
    r"\b(?:approved?|agreed?|asked|authori[sz]ed|confirmed|consented|decided|instructed|ordered|permitted|promised|requested|wants?|wanted)\b"
)
"""Requests and approvals: what a summary must never put into somebody's mouth."""
_FRAME = frozenset(
    [
        "about",
        "above",
        "after",
        "also",
        "assistant",
        "before",
        "been",
        "being",
        "below",
        "both",
        "conversation",
        "covered",
        "discussed",
        "during",
        "earlier",
        "from",
        "have",
        "into",
        "messages",
        "mentioned",
        "more",
        "other",
        "over",
        "part",
        "previous",
        "range",
        "said",
        "some",
        "summary",
        "summarised",
        "talked",
        "than",
        "that",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "thread",
        "through",
        "topics",
        "turns",
        "user",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "will",
        "with",
        "would",
        "your",
    ]
)
"""Words of which a summary may be made whatever was said."""


@EVALUATORS.register("summary")
def summary(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The summary keeps the covered facts and has none from outside its range. The value is the share kept."""
    units = _summaries(case, entry)
    covers = names(expectation.params["covers"])
    if not units:
        return failed(f"{answer_name(entry)} holds no summary", 0.0) if covers else unscored("there is no summary")
    missing: list[str] = []
    doubtful: list[str] = []
    for fact in covers:
        sure, maybe = case.find(fact, units)
        if not sure:
            (doubtful if maybe else missing).append(fact)
    share = 1 - (len(missing) + len(doubtful)) / len(covers) if covers else 1.0
    if missing:
        return failed(f"{fact_names(case, missing)} is lost in the summary of {answer_name(entry)}", share)
    for fact in names(expectation.params.get("not")):
        sure, maybe = case.find(fact, units)
        if sure:
            return failed(f"{unit_name(case, sure[0])} in {answer_name(entry)} states {fact_name(case, fact)}, which it does not cover", share)
        doubtful += [fact] if maybe else []
    said = fold(" ".join(_told(case, entry)))
    for unit in units:
        for sentence in _unsupported(unit.text, said):
            if _claims(sentence, said):
                return failed(f"{unit_name(case, unit)} in {answer_name(entry)} claims something that nobody said", share)
            doubtful.append(f"a sentence of {unit_name(case, unit)}")
    return unsure(doubtful) if doubtful else passed(share)


def _told(case: Case, entry: Entry) -> Iterator[str]:
    """Every text that the user of the entry gave the memory before it."""
    for earlier in case.history:
        if earlier.n < entry.n and (earlier.scope.get("tenant"), earlier.scope.get("user")) == (entry.scope.get("tenant"), entry.scope.get("user")):
            yield from texts_in(earlier.args, unpack=True)


def _unsupported(text: str, said: str) -> Iterator[str]:
    """Sentences of which hardly a word stands in what was said."""
    for sentence in _SENTENCE.split(text):
        words = [word for word in _WORD.findall(fold(sentence)) if word not in _FRAME]
        if len(words) >= _FEWEST and sum(word[:_STEM] in said for word in words) < _SUPPORT * len(words):
            yield sentence


def _claims(sentence: str, said: str) -> bool:
    """Whether it holds a number or name that was not said, or tells of a request or an approval."""
    details = [*_NUMBER.findall(sentence), *(name for name in _NAME.findall(sentence) if fold(name) not in _FRAME)]
    return _ACTS.search(fold(sentence)) is not None or any(not stands_in(detail, said) for detail in details)


def _summaries(case: Case, entry: Entry) -> tuple[Unit, ...]:
    """The summary items of an answer."""
    return tuple(unit for unit in case.answer(entry).items() if unit.kind == "summary" or unit.section == "summary")
