"""Numbers that are reported and never judged: one row each, for the documentation and the reports.

A measure is taken where it means something and left out elsewhere, so a mean over steps is a mean over the steps that had one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class MeasureKind:
    """One row. A name says all, as `recall_fraction@5/item`; `@k` stands for the number that was asked for."""

    name: str
    unit: str
    direction: Literal["higher", "lower", ""]
    doc: str
    source: str


_ROWS = (
    MeasureKind("tokens_total", "tokens", "lower",
                "the whole rendered prompt of one context, framing included", "seed 001, tokens per turn"),
    MeasureKind("tokens_memory", "tokens", "lower",
                "the part of it that memory put there", "seed 002, token overhead"),
    MeasureKind("tokens_recent", "tokens", "",
                "the part of it that is verbatim turns of the thread", "architecture, arms"),
    MeasureKind("tokens_always_on", "tokens", "lower",
                "items of the sections pinned, longterm, goals and summary", "seed 000, every category has a limit"),
    MeasureKind("tokens_recalled", "tokens", "lower",
                "items of the section recall, or of the verb recall", "seed 002, token overhead"),
    MeasureKind("recall_any@k/item", "0 or 1", "higher",
                "whether any needed fact is among the first k recalled items", "LoCoMo, LongMemEval"),
    MeasureKind("recall_all@k/item", "0 or 1", "higher",
                "whether every needed fact is", "LoCoMo, LongMemEval"),
    MeasureKind("recall_fraction@k/item", "share of facts", "higher",
                "share of the needed facts that are", "LoCoMo, LongMemEval"),
    MeasureKind("reciprocal_rank/item", "1/rank", "higher",
                "one over the rank of the first item with a needed fact, 0 without one", "Voorhees 1999, TREC-8"),
    MeasureKind("precision_strict@k/item", "share of items", "higher",
                "recalled items that are needed or fine, of all recalled", "seed 002, irrelevant or harmful retrievals"),
    MeasureKind("precision_labelled@k/item", "share of items", "higher",
                "the same, of those that state any planted fact", "seed 002, irrelevant or harmful retrievals"),
    MeasureKind("precision_tokens", "share of tokens", "higher",
                "tokens of sentences with a needed fact, of the tokens of all recalled items: one long item pays for its rest", "own"),
    MeasureKind("irrelevant_items", "items", "lower",
                "recalled items that state nothing needed or fine", "seed 002, irrelevant or harmful retrievals"),
    MeasureKind("harmful_items", "items", "lower",
                "recalled items that state what misleads here", "seed 002, irrelevant or harmful retrievals"),
    MeasureKind("off_topic_rate", "0 or 1", "lower",
                "whether a fact of another topic appears; the mean is the share of probes", "seed 004, the creepy callback"),
    MeasureKind("stale_rate", "0 or 1", "lower",
                "whether a superseded fact appears unlabelled; the mean is the share of probes", "seed 002, stale records that reach the prompt"),
    MeasureKind("memory_precision", "share of records", "higher",
                "saved records that are worth saving, of all saved", "seed 001, memory precision"),
    MeasureKind("update_latency_turns", "turns", "lower",
                "the user's messages from the told change to the first prompt with the new value and without the old", "seed 002"),
    MeasureKind("update_latency_s", "simulated seconds", "lower",
                "the same in the time of the case", "seed 002, correction-to-update latency"),
    MeasureKind("repeated_corrections", "corrections", "lower",
                "a change told again after a prompt that still had the old value", "seed 002, repeated corrections"),
)  # fmt: skip

MEASURES: Mapping[str, MeasureKind] = {row.name: row for row in _ROWS}


def measure_kind(name: str) -> MeasureKind:
    """The row of a measure as it is recorded: `recall_all@5/item` is of the row `recall_all@k/item`. Raises KeyError."""
    before, at, behind = name.partition("@")
    return MEASURES[f"{before}@k/{behind.partition('/')[2]}" if at else name]
