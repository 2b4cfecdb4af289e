"""The LoCoMo file: ten long two-person conversations with questions and the ids of the turns that answer them.

Maharana and others, ACL 2024. The data is CC BY-NC 4.0: it is never shipped, a user brings a copy. Ids in the evidence are
repaired by one stated rule, so that the share of questions scored is known: pattern `D:?(session):0*(turn)`, an id that
names no turn is dropped, a question left without evidence is not scored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memgauge.bench.dataset import Conversation, Dataset, Question, Session, Turn, read_json

CATEGORIES: Mapping[int, str] = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}
"""Numbers and names as the authors' own scorer treats them."""

QUOTED = (1, 2, 3, 4)
"""Categories to quote. Category 5 rewards finding the turn that a trick question twists, so it is shown but not quoted."""

DRAGON: Mapping[int, float] = {5: 0.567, 10: 0.662, 25: 0.767, 50: 0.827}
"""Recall of dialogue turns by DRAGON, Table 3 of the paper: its own question set, empty evidence counted as found."""

NOTES = (
    "quote categories 1-4; the answer key has known errors; DRAGON was measured on its own question set, so compare in size",
    "LoCoMo is CC BY-NC 4.0: for testing only, not for a commercial gate, never to be shipped",
)

_EVIDENCE_ID = re.compile(r"D:?(\d+):0*(\d+)")


def read_locomo(path: Path) -> Dataset:
    """Read a LoCoMo file. Raises InputError with what is wrong and where."""
    found, sha256 = read_json(path, lambda samples: tuple(map(_conversation, samples)), "LoCoMo", "give the authors' locomo10.json")
    groups = {"all": frozenset(CATEGORIES.values()), "1-4": frozenset(CATEGORIES[n] for n in QUOTED)}
    return Dataset(
        name="LoCoMo",
        conversations=tuple(conversation for conversation, _ in found),
        unscored=sum(unscored for _, unscored in found),
        sha256=sha256,
        groups=groups | {name: frozenset({name}) for name in CATEGORIES.values()},
        notes=NOTES,
        published={"DRAGON (paper), all": DRAGON},
    )


def _conversation(sample: Mapping[str, Any]) -> tuple[Conversation, int]:
    sessions = tuple(_sessions(sample["conversation"]))
    known = {turn.id for session in sessions for turn in session.turns}
    questions: list[Question] = []
    for qa in sample["qa"]:
        evidence = evidence_ids(qa.get("evidence", ()), known)
        if evidence:
            questions.append(Question(str(qa["question"]), CATEGORIES[int(qa["category"])], evidence))
    return Conversation(str(sample["sample_id"]), sessions, tuple(questions)), len(sample["qa"]) - len(questions)


def _sessions(conversation: Mapping[str, Any]) -> Iterator[Session]:
    numbers = sorted(int(m[1]) for key in conversation if (m := re.fullmatch(r"session_(\d+)", key)))
    for number in numbers:
        start = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        yield Session(f"session-{number}", start.isoformat(), tuple(_turn(turn) for turn in conversation[f"session_{number}"]))


def _turn(turn: Mapping[str, Any]) -> Turn:
    """The unit is `Speaker: words [image: caption]`. Both people are users to the memory."""
    caption = turn.get("blip_caption")
    text = f"{turn['speaker']}: {turn['text']}" + (f" [image: {caption}]" if caption else "")
    return Turn(str(turn["dia_id"]), "user", text, speaker=str(turn["speaker"]))


def evidence_ids(raw: list[str] | tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    """The turn ids that a question's evidence names, repaired and without repeats, in order."""
    found = (f"D{session}:{turn}" for entry in raw for session, turn in _EVIDENCE_ID.findall(entry))
    return tuple(dict.fromkeys(i for i in found if i in known))
