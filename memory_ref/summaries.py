"""Rolling summaries of a thread's branch: made from the previous summary and what was said since, never from the whole again.

A summary names every message it covers. It is good for a branch only while those are exactly the branch's first messages; an edit inside
the range, or a branch that leaves it earlier, has no use for it. A writer that started from an older summary than the present one loses
(compare-and-set), so a slow one never replaces newer work, and no message is covered twice or skipped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memgauge.memory_ref import access, digest, labels, retired
from memgauge.memory_ref.counting import cached_counter
from memgauge.memory_ref.errors import Conflict, Refused
from memgauge.memory_ref.policy import Policy
from memgauge.memory_ref.records import Item, Message, Reply, Summary, from_row
from memgauge.memory_ref.store import Store, stamp
from memgauge.tokens import DEFAULT_ENCODING, PER_MESSAGE, TokenCount

MODEL = "extractive"
PROMPT_VERSION = 1
"""Of the rule in `digest`; a summary of another version is not continued."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the next summary is made from: the `lines` of the present one and of the messages since. `previous`: the present one's id."""

    thread: str
    covered: tuple[str, ...]
    leaf: str
    previous: str | None
    lines: tuple[digest.Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A summary not yet written. `model`: what made it from its material."""

    material: Material
    text: str
    model: str = MODEL


def summarise(store: Store, keep: int | None = None) -> Reply:
    """Summarise the thread's turns but for the newest `keep` messages. Nothing to add: the present summary is answered again.
    Raises Refused without a thread or with summaries off, Conflict when another writer was faster."""
    found = material(store, keep)
    if found is None:
        present = current(store)
        return Reply(ids=() if present is None else (present.id,), data={"through": None if present is None else present.through})
    return commit(store, compose(found, store.policy))


def keep_up(store: Store) -> None:
    """At the end of a turn: summarise when the thread has outgrown its window."""
    if due(store) and (found := material(store)) is not None:
        commit(store, compose(found, store.policy))


def due(store: Store) -> bool:
    """Whether what no summary covers passes the policy's threshold of the window (row A3: 70 %). A private thread, and a user whose
    memory may not be used, get no summary by themselves."""
    if not (store.policy.summaries.enabled and store.scope.thread) or access.obstacle(store) is not None or access.is_private(store):
        return False
    most = store.policy.summaries.threshold * store.policy.summaries.window_tokens
    size = f"SELECT sum(length(CAST(m.text AS BLOB)) + {PER_MESSAGE}) FROM messages m WHERE m.thread = ? AND m.on_branch = 1"
    if (store.database.value(size, (store.scope.thread,)) or 0) <= most:  # no text has more tokens than bytes
        return False
    present = current(store)
    covered = 0 if present is None else len(present.covered)
    count = cached_counter(DEFAULT_ENCODING)
    return sum(count(message.text) + PER_MESSAGE for message in _branch(store)[covered:]) > most


def material(store: Store, keep: int | None = None) -> Material | None:
    """What the next summary is to be made from, the newest `keep` messages left out; None when nothing has to be added. Raises
    Refused without a thread or with summaries off."""
    if not store.policy.summaries.enabled:
        raise Refused("the policy has summaries switched off")
    if not store.scope.thread:
        raise Refused("a summary is of a thread: name one in the scope")
    branch = _branch(store)
    present = current(store)
    covered = branch[: max(0, len(branch) - (store.policy.summaries.keep_recent if keep is None else keep))]
    while covered and branch[len(covered) :] and branch[len(covered)].role == "tool":  # results stay beside their calls
        covered = covered[:-1]
    if not covered or (present is not None and len(covered) <= len(present.covered)):
        return None
    return Material(
        thread=str(store.scope.thread),
        covered=tuple(message.id for message in covered),
        leaf=branch[-1].id,
        previous=None if present is None else present.id,
        lines=_lines(store, present, covered, cached_counter(DEFAULT_ENCODING)),
    )


def compose(material: Material, policy: Policy, lines: Sequence[digest.Line] | None = None, model: str = MODEL) -> Draft:
    """The summary of the material, or of the `lines` that a model made of it. Pure."""
    text = digest.compose(material.lines if lines is None else lines, policy.summaries.max_tokens, cached_counter(DEFAULT_ENCODING))
    return Draft(material=material, text=text, model=model)


def commit(store: Store, draft: Draft) -> Reply:
    """Write a draft if the present summary is still the one it continues, and what it was made from is still said. Raises Conflict: the
    newer summary, edit or deletion stays."""
    made_from = draft.material
    with store.database.atomic():
        present = current(store)
        actual = None if present is None else present.id
        if actual != made_from.previous:
            raise Conflict("another summary was written meanwhile; start from it", expected=made_from.previous or "none", actual=actual or "none")
        if not _still_said(store, present, made_from):
            raise Conflict("what it summarises was changed meanwhile; start again", expected="the same messages", actual="others")
        new = store.new_id("summary")
        days = store.policy.retention.messages_days
        expires = None if days is None else stamp(datetime.fromisoformat(store.now) + timedelta(days=days))
        covered = made_from.covered
        store.database.insert(
            "summaries",
            id=new, thread=made_from.thread, text=draft.text, through=covered[-1], leaf=made_from.leaf, covered=json.dumps(list(covered)),
            covered_hash=hashed(covered), previous=made_from.previous, model=draft.model, prompt_version=PROMPT_VERSION,
            tokens=cached_counter(DEFAULT_ENCODING)(draft.text), created_at=store.now, expires_at=expires,
        )  # fmt: skip
        for line in digest.parse(draft.text):
            store.link(new, line.message_id)
    return Reply(ids=(new,), data={"through": covered[-1]})


def _still_said(store: Store, present: Summary | None, made_from: Material) -> bool:
    """A model takes seconds; meanwhile messages may have been forgotten, edited or superseded."""
    covered = [message for message in _branch(store) if message.id in frozenset(made_from.covered)]
    if tuple(message.id for message in covered) != made_from.covered:
        return False
    return _lines(store, present, covered, cached_counter(DEFAULT_ENCODING)) == made_from.lines


def current(store: Store) -> Summary | None:
    """The summary of the active branch that reaches furthest; None without a thread, or when none is good for this branch."""
    branch = [row["id"] for row in store.database.all(f"SELECT m.id {_OF_BRANCH}", (store.scope.thread,))]
    rows = store.database.all(
        "SELECT * FROM summaries WHERE thread = ? AND prompt_version = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY rowid DESC",
        (store.scope.thread, PROMPT_VERSION, store.now),
    )
    good = [one for row in rows if hashed(branch[: len((one := from_row(Summary, row)).covered)]) == one.covered_hash]
    return max(good, key=lambda one: len(one.covered), default=None)


def for_prompt(store: Store, within: frozenset[str], room: int, count: TokenCount) -> Item | None:
    """The summary of what is older than the window (`within`: ids that stand in it), at most `room` tokens: the stored one, carried on to
    the window's edge without being written, since a read writes nothing."""
    branch = _branch(store)
    edge = next((i for i, message in enumerate(branch) if message.id in within), len(branch))
    older = branch[:edge]
    if not older or not store.policy.summaries.enabled:
        return None
    present = current(store)
    if present is not None and not set(present.covered) <= {message.id for message in older}:
        present = None
    text = rolled(store, present, older, min(room, store.policy.summaries.max_tokens), count)
    if not text:
        return None
    label = f"summary of {len(older)} earlier messages of this thread, {labels.day(older[0].created_at)} to {labels.day(older[-1].created_at)}"
    whole = present is not None and len(present.covered) == len(older)
    return Item(
        id=present.id if present is not None and whole else f"summary-until-{older[-1].id}", kind="summary", text=text, label=label,
        source_ids=tuple(message.id for message in older), created_at=present.created_at if present is not None and whole else store.now,
    )  # fmt: skip


def rolled(store: Store, present: Summary | None, covered: Sequence[Message], most: int, count: TokenCount) -> str:
    """The summary's text: the lines of the present one and of the messages it does not cover, the weightiest within `most` tokens."""
    return digest.compose(_lines(store, present, covered, count), most, count)


def _lines(store: Store, present: Summary | None, covered: Sequence[Message], count: TokenCount) -> tuple[digest.Line, ...]:
    known = () if present is None else present.covered
    lines = digest.parse(present.text) if present is not None else []
    fresh = [message for message in covered[len(known) :] if _speaks(message)]
    spans = retired.spans(store, [message.id for message in fresh])
    for message in fresh:
        text = retired.cut(message.text, spans.get(message.id, ()))
        lines += digest.lines_of(message.id, message.speaker or message.role, text, store.policy.summaries.sentence_tokens, count)
    return tuple(lines)


def hashed(covered: Sequence[str]) -> str:
    """Hash of the covered ids in order; each with its length, so that no two lists share one."""
    return hashlib.sha256("".join(f"{len(one)}:{one}" for one in covered).encode("utf-8", "surrogatepass")).hexdigest()


_OF_BRANCH = "FROM messages m WHERE m.thread = ? AND m.on_branch = 1 ORDER BY m.seq"


def _branch(store: Store) -> list[Message]:
    return [from_row(Message, row) for row in store.database.all(f"SELECT m.* {_OF_BRANCH}", (store.scope.thread,))]


def _speaks(message: Message) -> bool:
    """Whether a summary may quote it: the user's typed words and the assistant's; nothing read, barred, removed, joked or supposed."""
    return message.role in ("user", "assistant") and message.origin == "typed" and message.state == "live" and message.recallable
