"""Units: the pieces of an answer in which a fact is looked for.

Every answer becomes the same shape, whatever verb gave it: items, lines nobody listed, verbatim turns, and asides (labels,
reasons, notices, ids, what was left out). Facts are looked for in the first three; only what must be nowhere is looked for
in asides too. The current message and the application's own texts are never units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memgauge.evaluators.marking import says_past
from memgauge.evaluators.rendered import Listed, Piece, messages_of, split_prompt
from memgauge.evaluators.thread import Thread
from memgauge.records import Entry
from memgauge.texts import texts_in

Place = Literal["item", "line", "recent", "listed", "aside"]
"""item, line: what memory put there; recent: a verbatim turn; listed: a turn that the list has and the prompt has not; aside: the rest."""

_PLACES: Mapping[str, Place] = {"turn": "recent", "item": "item", "line": "line", "label": "line"}
_TIMES = frozenset({"created_at", "confirmed_at", "expires_at", "updated_at"})
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_TEXTS = frozenset({"text", "content"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One piece of an answer. `rank` counts from 1 in the order of the answer; `at` is (message, offset) in a prompt."""

    text: str
    place: Place
    section: str = ""
    kind: str = ""
    id: str = ""
    label: str = ""
    status: str = ""
    sources: tuple[str, ...] = ()
    rank: int = 0
    at: tuple[int, int] = (0, 0)
    name: str = ""

    @property
    def is_past(self) -> bool:
        """Whether its label or status says that it is not the present value: a labelled old value is not stale."""
        return says_past(self.label) or says_past(self.status)


@dataclass(frozen=True, slots=True)
class Answer:
    """All units of one answer."""

    units: tuple[Unit, ...]

    def memory(self) -> tuple[Unit, ...]:
        """What memory put there: items and unlisted lines, without the verbatim turns."""
        return tuple(u for u in self.units if u.place in ("item", "line"))

    def content(self) -> tuple[Unit, ...]:
        """What a reader of the answer is told: memory and verbatim turns."""
        return tuple(u for u in self.units if u.place in ("item", "line", "recent"))

    def items(self) -> tuple[Unit, ...]:
        return tuple(u for u in self.units if u.place == "item")

    def recalled(self) -> tuple[Unit, ...]:
        """Items of the verb recall, or of the section recall of a prompt, best first."""
        return tuple(u for u in self.units if u.place == "item" and u.section == "recall")


def answer_of(entry: Entry, thread: Thread) -> Answer:
    """The units of one entry. `thread` is what was said in the entry's thread so far."""
    data = _mapping(entry.receipt.get("data"))
    items = [item for item in _list(data.get("items")) if isinstance(item, Mapping)]
    shown = _prompt_units(entry, items, thread) if entry.op == "context" else _plain_units(entry, data, items)
    sent = [str(entry.args[name]) for name in ("text", "query") if entry.args.get(name)]
    return Answer((*shown, *dict.fromkeys(unit for unit in _asides(entry.receipt, items, sent) if unit.text.strip())))


def _prompt_units(entry: Entry, items: Sequence[Mapping[str, Any]], thread: Thread) -> Iterator[Unit]:
    pieces = split_prompt(
        messages=messages_of(entry.receipt),
        items=[
            Listed(_text(item), str(item.get("label") or "")) if item.get("section") not in ("application", "current") else Listed("")
            for item in items
        ],
        current=str(entry.args.get("text", "")),
        application=[str(text) for text in _list(entry.args.get("application"))],
        thread=thread,
    )
    found = {piece.item for piece in pieces}
    own = (str(entry.args.get("text", "")), *(str(text) for text in _list(entry.args.get("application"))))
    for n, item in enumerate(items):
        if n not in found and not any(_text(item) in text for text in own):
            unseen: Place = "listed" if _text(item) in thread.texts else "aside"
            yield replace(_item(item, 0), place=unseen, section=str(item.get("section", "")), name="an item that is not rendered")
    spoken = [(n, (str(item.get("role", "user")), _text(item))) for n, item in enumerate(items) if item.get("section") == "recent"]
    recent = {spoken[place][0] for place in thread.run([given for _, given in spoken])}  # rendered as a transcript, not as messages
    ranks: dict[str, int] = {}
    for piece in sorted(pieces, key=_listing_order):
        if piece.item is None:
            text = _DAY.sub(" ", piece.text) if piece.sort == "label" else piece.text
            yield Unit(text=text, place=_PLACES[piece.sort], label=piece.label, at=piece.at, name=piece.name)
            continue
        item = items[piece.item]
        section = str(item.get("section", ""))
        ranks[section] = ranks.get(section, 0) + 1
        said = piece.sort == "turn" or piece.item in recent
        place: Place = "recent" if said else "item"
        label = piece.label  # what is rendered; a label or status that only the list knows tells the model nothing
        yield replace(_item(item, ranks[section]), place=place, section=section, label=label, status="", at=piece.at, name=piece.name)


def _listing_order(piece: Piece) -> tuple[int, tuple[int, int]]:
    return (-1 if piece.item is None else piece.item, piece.at)


def _plain_units(entry: Entry, data: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Iterator[Unit]:
    for rank, item in enumerate(items, 1):
        yield replace(_item(item, rank), section=entry.op if entry.op == "recall" else str(item.get("section") or entry.op))
    for message in _list(data.get("messages")):
        if isinstance(message, Mapping):
            yield Unit(text=_text(message), place="item", section=entry.op, kind="message", id=str(message.get("message_id", "")))
    for saved in _list(data.get("saved")):
        if isinstance(saved, Mapping):
            yield replace(_item(saved, 0), section="saved", status=str(saved.get("outcome", "")))
    if isinstance(data.get("text"), str):
        yield Unit(text=data["text"], place="item", section="document", id=str(entry.args.get("name", "")))
    for number, (text, status) in enumerate(_bundled(data.get("bundle"), ""), 1):
        yield Unit(text=text, place="item", section="export", status=status, name=f"text {number} of the bundle")


def _bundled(value: object, status: str) -> Iterator[tuple[str, str]]:
    """Every text of a bundle with the status of the record around it."""
    if isinstance(value, Mapping):
        inner = str(value.get("status") or status)
        for key, part in value.items():
            yield str(key), ""
            yield from _bundled(part, inner)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _bundled(part, status)
    elif isinstance(value, str) and value.strip():
        yield value, status


def _item(item: Mapping[str, Any], rank: int) -> Unit:
    return Unit(
        text=_text(item),
        place="item",
        kind=str(item.get("kind", "")),
        id=str(item.get("id", "")),
        label=str(item.get("label") or ""),
        status=str(item.get("status") or ""),
        sources=tuple(str(source) for source in _list(item.get("source_ids"))),
        rank=rank,
    )


def _asides(receipt: Mapping[str, Any], items: Sequence[Mapping[str, Any]], sent: Sequence[str]) -> Iterator[Unit]:
    """Everything a receipt says beside its content, without the echo of what the step itself `sent`."""

    def aside(text: str, name: str) -> Unit:
        for own in sent:
            text = text.replace(own, " ")
        return _aside(text, name)

    for key in ("notices", "reason", "conflict", "ids"):
        for text in texts_in(receipt.get(key)):
            yield aside(text, key)
    for item in items:
        for key, value in item.items():
            if key not in _TIMES:
                for text in () if key in _TEXTS else (str(key), *texts_in(value)):
                    yield aside(text, f"{key} of an item")
    for key, value in _mapping(receipt.get("data")).items():
        if key not in ("items", "messages", "saved", "text", "bundle"):
            for text in (str(key), *texts_in(value)):
                yield aside(text, str(key))


def _aside(text: str, name: str) -> Unit:
    """Ids lose their digits: `fact-12` must not be taken for the number 12, while `lives-in-ghent` tells something. Labels and
    reasons lose their days: that a record is of a day tells nothing of a fact with the same date."""
    if name.split(" ")[0].endswith(("id", "ids")):
        text = " ".join(part for part in text.replace("-", " ").replace("_", " ").replace("/", " ").split() if not part.isdigit())
    return Unit(text=_DAY.sub(" ", text), place="aside", name=name)


def _text(item: Mapping[str, Any]) -> str:
    return str(item.get("text", item.get("content", "")))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
