"""Cut passages out of messages. The message, its id and its place in the tree stay; a placeholder stands where the words stood."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from memgauge.memory_ref.question import ask
from memgauge.memory_ref.records import Json, Message, from_row
from memgauge.memory_ref.screen import REMOVED
from memgauge.memory_ref.searchtext import terms
from memgauge.memory_ref.store import Store

Range = tuple[int, int]

_SENTENCE = re.compile(r"\S.*?(?:[.!?…](?=\s|$)|[。！？।]|(?=\n)|$)", re.S)
_VALUE = re.compile(r"(?<=[^\W\d_]\s)[^\W\d_a-z][\w'-]*|\b\w*\d[\w.:/-]*")
"""Words that name something of their own: capitals inside a sentence, anything with a digit."""
SIMILAR = 0.5
"""Share of a fact's words from which a sentence of its message is taken for its source, when the passage was not recorded."""


def whole(store: Store, message: Message) -> None:
    """Empty a message: text and arguments of its calls go, call ids stay so that pairs still fit."""
    calls: list[Json] = [{"id": call.get("id"), "name": call.get("name"), "arguments": {}} for call in message.calls]
    store.database.run("UPDATE messages SET text = ?, calls = ?, state = 'removed' WHERE id = ?", (REMOVED, json.dumps(calls), message.id))
    store.database.run("UPDATE edges SET first = NULL, past = NULL WHERE parent = ?", (message.id,))
    store.unindex(message.id)


def ranges(store: Store, message: Message, cuts: Iterable[Range]) -> None:
    """Replace passages by the placeholder and move the recorded places of other passages along."""
    merged: list[Range] = []
    for first, past in sorted(cuts):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(past, merged[-1][1]))
        else:
            merged.append((first, past))
    text = message.text
    for first, past in reversed(merged):
        text = text[:first] + REMOVED + text[past:]
        moved = len(REMOVED) - (past - first)
        store.database.run("UPDATE edges SET first = first + ?, past = past + ? WHERE parent = ? AND first >= ?", (moved, moved, message.id, past))
    if not re.search(r"\w", text.replace(REMOVED, "")):
        whole(store, message)
        return
    store.database.run("UPDATE messages SET text = ? WHERE id = ?", (text, message.id))
    if store.database.value("SELECT 1 FROM search_rows WHERE record = ?", (message.id,)):
        store.index(message.id, "message", text)


def passage(message: Message, text: str) -> Range:
    """Where a message says `text`, when that was not recorded: the very words, else the sentences most like it, else all of it."""
    at = message.text.casefold().find(text.casefold().rstrip(" .!"))
    if at >= 0 and len(message.text.casefold()) == len(message.text):
        return at, at + len(text.rstrip(" .!"))
    concepts = ask(text).concepts
    like = [
        place
        for place, sentence in sentences(message.text)
        if concepts and sum(concept.cover(terms(sentence)) > 0 for concept in concepts) >= SIMILAR * len(concepts)
    ]
    return (like[0][0], like[-1][1]) if like else (0, len(message.text))


def echoes(store: Store, threads: Iterable[str], records: Sequence[str], passages: Sequence[str]) -> dict[str, list[Range]]:
    """Sentences that only repeat what was forgotten, the texts of `records` and the `passages` that were cut: the assistant's or a
    tool's, when they hold all of its words or a name or number that the user's remaining words no longer hold; the user's own,
    when they are the very sentence of a record."""
    marks = {store.mark(text) for text in records}
    forgotten = [*records, *passages]
    whole_words = [concepts for text in forgotten if len(concepts := [c for c in ask(text).concepts if c.weight == 1.0]) > 1]
    values = _orphans(store, {value for text in forgotten for value in _VALUE.findall(text)})
    found: dict[str, list[Range]] = {}
    for thread in sorted(set(threads)):
        for row in store.database.all("SELECT * FROM messages WHERE thread = ? AND state != 'removed'", (thread,)):
            message = from_row(Message, row)
            for place, sentence in sentences(message.text):
                own = message.role == "user"
                words = terms(sentence)
                repeats = not own and (
                    any(all(concept.cover(words) >= 1.0 for concept in concepts) for concepts in whole_words) or _holds(sentence, values)
                )
                if repeats or store.mark(sentence) in marks:
                    found.setdefault(message.id, []).append(place)
    return found


def sentences(text: str) -> list[tuple[Range, str]]:
    """Sentences and lines of a text with the places where they stand."""
    return [(match.span(), match[0]) for match in _SENTENCE.finditer(text)]


def _orphans(store: Store, values: set[str]) -> set[str]:
    """Values that stand in no message of the user and in no live fact any more."""
    return {
        value
        for value in values
        if not store.database.value("SELECT 1 FROM messages WHERE role = 'user' AND instr(text, ?) LIMIT 1", (value,))
        and not store.database.value("SELECT 1 FROM facts WHERE instr(text, ?) LIMIT 1", (value,))
    }


def _holds(sentence: str, values: set[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence) for value in values)
