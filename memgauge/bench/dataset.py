"""The LoCoMo file: ten long two-person conversations with questions and the ids of the turns that answer them.

Maharana and others, ACL 2024. The data is CC BY-NC 4.0: it is never shipped, a user brings a copy. Ids in the evidence are
repaired by one stated rule, so that the share of questions scored is known: pattern `D:?(session):0*(turn)`, an id that
names no turn is dropped, a question left without evidence is not scored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memgauge.errors import InputError

LICENCE_NOTE = "LoCoMo is CC BY-NC 4.0: for testing only, not for a commercial gate, never to be shipped"
CATEGORIES: Mapping[int, str] = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Numbers and names as the authors' own scorer treats them."""

_EVIDENCE_ID = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `text` is `Speaker: words [image: caption]`, the unit that is indexed."""

    id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting, at `start` (RFC 3339, the file's local time taken as UTC)."""

    number: int
    start: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the turns that answer it, at least one."""

    text: str
    category: int
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]
    unscored: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """The whole file. `sha256` identifies it; `unscored` questions had no usable evidence."""

    conversations: tuple[Conversation, ...]
    sha256: str

    @property
    def questions(self) -> int:
        return sum(len(c.questions) for c in self.conversations)

    @property
    def unscored(self) -> int:
        return sum(c.unscored for c in self.conversations)


def read_locomo(path: Path) -> Dataset:
    """Read a LoCoMo file. Raises InputError with what is wrong and where."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path), hint="give the path of locomo10.json") from None
    try:
        samples = json.loads(raw)
        conversations = tuple(_conversation(sample) for sample in samples)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", where=f"{path}:{error.lineno}:{error.colno}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", where=str(path)) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"not shaped like LoCoMo: {type(error).__name__} {error}", where=str(path), hint="expected the authors' locomo10.json"
        ) from None
    if not conversations:
        raise InputError("holds no conversation", where=str(path))
    return Dataset(conversations, hashlib.sha256(raw).hexdigest())


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    sessions = tuple(_sessions(sample["conversation"]))
    known = {turn.id for session in sessions for turn in session.turns}
    questions: list[Question] = []
    for qa in sample["qa"]:
        evidence = evidence_ids(qa.get("evidence", ()), known)
        if evidence:
            questions.append(Question(str(qa["question"]), int(qa["category"]), evidence))
    return Conversation(str(sample["sample_id"]), sessions, tuple(questions), len(sample["qa"]) - len(questions))


def _sessions(conversation: Mapping[str, Any]) -> Iterator[Session]:
    numbers = sorted(int(m[1]) for key in conversation if (m := re.fullmatch(r"session_(\d+)", key)))
    for number in numbers:
        start = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        yield Session(number, start.isoformat(), tuple(_turn(turn) for turn in conversation[f"session_{number}"]))


def _turn(turn: Mapping[str, Any]) -> Turn:
    caption = turn.get("blip_caption")
    text = f"{turn['speaker']}: {turn['text']}" + (f" [image: {caption}]" if caption else "")
    return Turn(str(turn["dia_id"]), str(turn["speaker"]), text)


def evidence_ids(raw: list[str] | tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    """The turn ids that a question's evidence names, repaired and without repeats, in order."""
    found = (f"D{session}:{turn}" for entry in raw for session, turn in _EVIDENCE_ID.findall(entry))
    return tuple(dict.fromkeys(i for i in found if i in known))
