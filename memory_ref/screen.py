"""Never-store screening, for every write path.

A secret is cut out and the useful rest is kept; private categories are kept, put to review or rejected as the policy says; text of
an untrusted origin is no memory at all. How often it is right is measured in `docs/explanation/never-store.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from memgauge.memory_ref.credentials import find_credentials
from memgauge.memory_ref.found import Found
from memgauge.memory_ref.identifiers import find_identifiers
from memgauge.memory_ref.policy import Policy, Screening
from memgauge.memory_ref.sensitive import NEEDS, find_sensitive

REMOVED = "[removed]"
"""What stands in the place of a cut passage. Plain text, so that order and sense of the sentence stay."""

Verdict = Literal["keep", "review", "reject"]
Origin = Literal["message", "stated", "inferred", "imported", "untrusted"]
"""message: a turn of the conversation, kept for its thread · stated: the user's own words, for memory · inferred: concluded by a
program · imported: from a bundle · untrusted: read in a tool result, a pasted document, a link."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A passage that was cut: its kind, and where it stood in the text as given. Never the passage itself."""

    kind: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """`text` may be stored when the verdict is keep, and be proposed when it is review. `reason` is a sentence for the user, without content."""

    text: str
    removed: tuple[Removed, ...] = ()
    verdict: Verdict = "keep"
    reason: str = ""
    sensitivity: Literal["low", "high"] = "low"
    categories: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should be told, if anything."""
        return (f"{self.reason[:1].upper()}{self.reason[1:]}.",) if self.reason else ()


def screen(text: str, policy: Policy, *, origin: Origin = "message") -> Screened:
    """What of a text may be written. Pure; safe in threads. Screening a screened text again changes nothing."""
    removed = _passages(text, policy.screening)
    cut = _cut(text, removed)
    if origin == "message":
        return Screened(text=cut, removed=removed, reason=_told(removed))
    if origin == "untrusted":
        return Screened(text=cut, removed=removed, verdict="reject", reason="text of a tool, document or link is not kept as memory")
    kept = _useful(cut)
    if not kept:
        return Screened(
            text=cut, removed=removed, verdict="reject", reason=_told(removed) or ("a secret is not kept" if removed else "the text is empty")
        )
    categories = find_sensitive(kept)
    verdict, reason = _ruling(categories, policy.screening, origin)
    return Screened(
        text=kept,
        removed=removed,
        verdict=verdict,
        reason=reason or _told(removed),
        sensitivity="high" if categories else "low",
        categories=categories,
    )


_RULINGS: Mapping[str, Verdict] = {"keep_when_explicit": "keep", "review": "review", "never": "reject"}


def _ruling(categories: tuple[str, ...], rules: Screening, origin: Origin) -> tuple[Verdict, str]:
    if not categories:
        return "keep", ""
    named = ", ".join("diet, allergy or access needs" if c == NEEDS else c for c in categories)
    if origin == "inferred":
        return "reject", f"never concluded about you: {named}"
    by_category = {NEEDS: rules.needs, "health": rules.health}
    verdict = max((_RULINGS[by_category.get(c, rules.other_sensitive)] for c in categories), key=("keep", "review", "reject").index)
    if verdict == "keep" and origin == "imported":
        verdict = "review"
    return verdict, "" if verdict == "keep" else f"sensitive, so not kept {'without your word' if verdict == 'review' else 'at all'}: {named}"


def _passages(text: str, rules: Screening) -> tuple[Removed, ...]:
    found: list[Found] = []
    if rules.secrets:
        found += find_credentials(text, entropy=rules.entropy, length=rules.entropy_length)
    if rules.payment or rules.government_ids:
        found += [f for f in find_identifiers(text) if (rules.payment if f.kind == "payment" else rules.government_ids)]
    merged: list[Removed] = []
    for passage in sorted(found, key=lambda f: f.span):
        if merged and passage.span[0] < merged[-1].span[1]:
            last = merged[-1]
            merged[-1] = Removed(last.kind, (last.span[0], max(last.span[1], passage.span[1])))
        elif REMOVED not in text[passage.span[0] : passage.span[1]]:
            merged.append(Removed(passage.kind, passage.span))
    return tuple(merged)


def _cut(text: str, removed: tuple[Removed, ...]) -> str:
    for passage in reversed(removed):
        text = text[: passage.span[0]] + REMOVED + text[passage.span[1] :]
    return text


def _told(removed: tuple[Removed, ...]) -> str:
    kinds = ", ".join(dict.fromkeys(passage.kind for passage in removed))
    return f"cut out and not kept: {kinds}" if kinds else ""


_PARTS = re.compile(
    r"(?<=[.!?])\s+|\s*;\s*|,?\s+(?:and|but)\s+(?=(?:the|my|our|his|her|its|your|i|we|it)\b)|,\s+(?=(?:the|my|our|with|pass\s?\w+|pin|key|token|code)\b)|\n+",
    re.I,
)
_NAMES_A_SECRET = re.compile(
    r"pass\s?\w*|pins?|codes?|pwd|keys?|tokens?|secrets?|api|credentials?|cards?|accounts?|bank|numbers?|no|iban|ssn|cvv|cvc|visa|mastercard|credit|debit|"
    r"social|security|insurance|national|identity|id|tax|licen[cs]e|driving|drivers?|removed|wifi|wi-fi|login|remember|note|keep|please|save|"
    r"the|a|an|my|our|is|are|was|it|its|that|this|for|to|of|on|at|in|with|and|or|i|we|you|user|new|old|now|has|have|use|uses|using|here",
    re.I,
)
_MIN_WORDS = 3
"""Content words a clause with a cut secret must have beside the secret's own name to be worth keeping."""


def _useful(text: str) -> str:
    """The text without the clauses that held nothing but a secret; empty when nothing is left."""
    if REMOVED not in text:
        return text
    kept, end = "", 0
    for first, past in _clauses(text):
        clause = text[first:past]
        words = [w for w in re.findall(r"[\w-]+", clause) if not _NAMES_A_SECRET.fullmatch(w)]
        if REMOVED not in clause or len(words) >= _MIN_WORDS:
            kept += text[end:past] if kept else clause
        end = past
    kept = kept.strip(" ,;")
    return (
        kept
        if re.search(r"\w", kept.replace(REMOVED, "")) and re.sub(r"(?i)\b(?:please|remember|note|that|keep in mind|hi|hello|thanks)\b|\W", "", kept)
        else ""
    )


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    first = 0
    for gap in _PARTS.finditer(text):
        yield first, gap.start()
        first = gap.end()
    yield first, len(text)
