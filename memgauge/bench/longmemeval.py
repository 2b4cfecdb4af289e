"""Files shaped like LongMemEval: questions, each with the sessions of its own history and a mark on the turns that answer it.

Wu and others, ICLR 2025, MIT. Evidence is the turns with `has_answer`; in a file where no turn carries the mark, as in cuts that kept
the evidence alone, every turn of a session named in `answer_session_ids` counts, or every turn where sessions have no ids.
Questions whose id ends in `_abs` have no right turn and are not scored.

`pooled` puts all sessions into one store, in the order of their dates. That gives a cut distractors; such figures are not those of the
published sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memgauge.bench.dataset import Conversation, Dataset, Question, Session, Turn, read_json

ABSTENTION = "_abs"
NOTES = ("LongMemEval is MIT; a turn is right when the file marks it, or stands in a session that answers",)
POOLED = "pooled: one store for all questions, so no figure here is comparable with a published one"


@dataclass(frozen=True, slots=True)
class _Record:
    """One question with its own history."""

    id: str
    sessions: tuple[Session, ...]
    question: Question


def read_longmemeval(path: Path, *, pooled: bool = False) -> Dataset:
    """Read a file shaped like LongMemEval. Raises InputError with what is wrong and where."""
    records, sha256 = read_json(path, lambda rows: tuple(map(_record, rows)), "LongMemEval", "give its oracle, S or M file")
    scored = [record for record in records if record.question.evidence and not record.id.endswith(ABSTENTION)]
    categories = sorted({record.question.category for record in scored})
    groups = {"all": frozenset(categories)} | {name: frozenset({name}) for name in categories}
    return Dataset(
        name="LongMemEval",
        conversations=(_pool(records, scored),) if pooled else tuple(Conversation(r.id, r.sessions, (r.question,)) for r in scored),
        unscored=len(records) - len(scored),
        sha256=sha256,
        groups=groups,
        notes=(POOLED, *NOTES) if pooled else NOTES,
        published={},
    )


def _pool(records: tuple[_Record, ...], scored: list[_Record]) -> Conversation:
    sessions = sorted((session for record in records for session in record.sessions), key=lambda session: session.start)
    return Conversation("pooled", tuple(sessions), tuple(replace(record.question, asked_at="") for record in scored))


def _record(row: Mapping[str, Any]) -> _Record:
    id_ = str(row["question_id"])
    marked = any("has_answer" in turn for session in row["haystack_sessions"] for turn in session)
    answers = {str(name) for name in row.get("answer_session_ids") or ()}
    names = row.get("haystack_session_ids")
    sessions: list[Session] = []
    evidence: list[str] = []
    for n, (date, turns) in enumerate(zip(row["haystack_dates"], row["haystack_sessions"], strict=True)):
        session = Session(f"{id_}-{n}", _instant(date), tuple(_turns(f"{id_}-{n}", turns)))
        answering = names is None or str(names[n]) in answers
        evidence += [unit.id for unit, turn in zip(session.turns, turns, strict=True) if (turn.get("has_answer") if marked else answering)]
        sessions.append(session)
    question = Question(str(row["question"]), str(row["question_type"]), tuple(evidence), _instant(row["question_date"]))
    return _Record(id_, tuple(sorted(sessions, key=lambda session: session.start)), question)


def _turns(session: str, turns: list[Mapping[str, Any]]) -> Iterator[Turn]:
    for n, turn in enumerate(turns):
        yield Turn(f"{session}-{n}", str(turn["role"]), str(turn["content"]))


def _instant(date: str) -> str:
    """`2023/05/21 (Sun) 11:54`, or ISO 8601, as RFC 3339. Raises ValueError."""
    try:
        found = datetime.fromisoformat(date)
    except ValueError:
        day, _, rest = date.partition(" ")
        found = datetime.strptime(f"{day} {rest.rpartition(' ')[2]}", "%Y/%m/%d %H:%M")
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
