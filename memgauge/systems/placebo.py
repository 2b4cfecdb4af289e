"""The placebo: a prompt with as many tokens as memory put there, of the user's own words that have nothing to do with it.

What tells a memory from a longer prompt. The harness hands the texts in, `off` renders them like any recalled items.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from memgauge.systems.conversation import Budget, Json

SMALL_TALK = (
    "I watered the balcony plants this morning.", "The bus was late again on Monday.", "I tidied the cupboard under the stairs.",
    "We watched an old film and fell asleep halfway.", "It rained for most of the weekend.", "I repaired the handle of the garden gate.",
    "The neighbours are painting their fence.", "I bought new batteries for the torch.", "Somebody left an umbrella in the hall.",
    "I finally sorted the box of loose screws.", "The bakery had run out of rye bread.", "I walked along the canal after lunch.",
    "Our lift was out of order on Thursday.", "I sewed a button back on my coat.", "The kettle makes an odd noise lately.",
    "I lost a glove somewhere on the tram.", "They resurfaced the road behind the station.", "I tried to teach the parrot a tune.",
    "The curtains came back from the cleaners.", "I swept the leaves off the terrace.", "A delivery went to the wrong floor.",
    "I descaled the coffee machine yesterday.", "The clock in the kitchen runs slow.", "I found an old ticket in a book.",
)  # fmt: skip
"""What fills the rest where the user said too little else."""


def small_talk() -> Iterator[str]:
    """Remarks without end, no two alike."""
    yield from SMALL_TALK
    for week in itertools.count(2):
        yield from (f"Week {week}: {remark}" for remark in SMALL_TALK)


def placebo(texts: Iterable[str], budget: Budget, tokens: int) -> tuple[list[Json], list[Json]]:
    """Items and the message that holds them, a line each: at most so many tokens, framing included, the last text cut short so that no
    word more would fit. Both empty where not even one fits."""
    kept: list[str] = []
    for text in dict.fromkeys(texts):
        words = text.split()
        fitting = (" ".join(words[:length]) for length in range(len(words), 0, -1))
        part = next((part for part in fitting if budget.cost(_message([*kept, part])) <= tokens), "")
        kept += [part] if part else []
        if part != " ".join(words):
            break
    items: list[Json] = [{"id": f"placebo-{n}", "kind": "fact", "section": "recall", "text": text} for n, text in enumerate(kept, start=1)]
    return items, [_message(kept)] if kept else []


def _message(lines: list[str]) -> Json:
    return {"role": "user", "content": "\n".join(lines)}
