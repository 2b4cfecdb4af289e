"""Facts: one place that decides whether a statement is new, confirms, supersedes, or contradicts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memgauge.clock import parse_instant
from memgauge.memory_ref import derived, eligibility, slots, tombstones
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.records import Fact, from_row
from memgauge.memory_ref.searchtext import with_slot
from memgauge.memory_ref.store import Store, stamp

KINDS = ("profile", "episodic", "procedural", "working")
SOURCES = ("stated", "imported", "inferred")
REACHES = ("user", "project", "task")
_TRUST = {"stated": 2, "imported": 1, "inferred": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A fact on its way in. `explicit`: the user asked to keep it, approved it, or said that something changed; only such a
    statement retires an active one. `span`: characters of the message it was read from."""

    text: str
    kind: str = "profile"
    slot: str | None = None
    source: str = "stated"
    explicit: bool = False
    approved: bool = False
    message_id: str | None = None
    span: tuple[int, int] | None = None
    reach: str = "user"
    project: str | None = None
    task: str | None = None
    agents: tuple[str, ...] | None = None
    status: Literal["active", "proposed"] = "active"
    sensitivity: str = "low"
    always: bool = False
    expires_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of a statement. `id` is the live record: the new one, the confirmed one, or the one it contradicts."""

    id: str
    outcome: Literal["added", "confirmed", "superseded", "contradicts", "forgotten"]
    retired: tuple[str, ...] = ()
    revision: int = 1


def put(store: Store, said: Statement) -> Saved:
    """Keep a statement, unless what is stored says otherwise.

    * The same sentence in the same scope confirms the stored one; a guess confirms nothing.
    * Another sentence on the same slot and scope supersedes what is not more trusted: an explicit one anything, a plain one
      only what is proposed. Otherwise it `contradicts`: nothing is written, and the caller asks the user.
    * What was forgotten stays forgotten (`forgotten`) unless the statement is explicit.
    """
    check(said)
    _check_end(store, said)
    normal = store.mark(said.text)
    if tombstones.stops(store, normal, said.message_id, said.slot):
        if not said.explicit:
            return Saved(id="", outcome="forgotten")
        tombstones.lift(store, normal)
    peers = _peers(store, said)
    same = next((fact for fact in peers if fact.normal == normal), None)
    if same is not None:
        return _repeat(store, same, said)
    rivals = [fact for fact in peers if said.slot is not None and fact.slot == said.slot]
    if len(rivals) == 1 and _means_the_same(store, rivals[0].text, said.text):
        return _repeat(store, rivals[0], said)
    for fact in rivals:
        trusted = _TRUST[said.source] >= _TRUST[fact.source] and said.source != "inferred"
        if not trusted or not (said.explicit or fact.status == "proposed"):
            return Saved(id=fact.id, outcome="contradicts")
    new = _insert(store, said, normal)
    for fact in rivals:
        retire(store, fact, by=new)
    return Saved(id=new, outcome="superseded" if rivals else "added", retired=tuple(fact.id for fact in rivals))


def keep(store: Store, said: Statement, *, supersedes: Sequence[str] = (), confirms: str | None = None) -> Saved:
    """Carry out a ruling made elsewhere (see `classify`): which facts it retires, which one it repeats. What was forgotten in
    this very message stays forgotten; forgotten words come back only by an explicit wish."""
    check(said)
    _check_end(store, said)
    normal = store.mark(said.text)
    if tombstones.stops(store, "", said.message_id, said.slot) or (tombstones.stops(store, normal) and not said.explicit):
        return Saved(id="", outcome="forgotten")
    tombstones.lift(store, normal)
    peers = {fact.id: fact for fact in _peers(store, said)}
    same = peers.get(confirms or "") or next((fact for fact in peers.values() if fact.normal == normal), None)
    if same is not None:
        return _repeat(store, same, said)
    old = [find(store, one) for one in supersedes]
    new = _insert(store, said, normal)
    for fact in old:
        retire(store, fact, by=new)
    return Saved(id=new, outcome="superseded" if old else "added", retired=tuple(fact.id for fact in old))


def live(store: Store) -> list[Fact]:
    """The live facts the scope may see, oldest first."""
    condition, values = eligibility.facts(store)
    return [from_row(Fact, row) for row in store.database.all(f"SELECT f.* FROM facts f WHERE {condition} ORDER BY f.created_at, f.rowid", values)]


def correct(store: Store, fact: Fact, said: Statement) -> Saved:
    """Replace what a record says: a new revision of the same lineage. Messages keep their bytes."""
    check(said)
    normal = store.mark(said.text)
    tombstones.lift(store, normal)
    same = next((peer for peer in _peers(store, said) if peer.normal == normal), None)
    if same is not None and same.id == fact.id:
        return _repeat(store, same, said)
    if same is not None:
        retire(store, fact, by=same.id)
        return _repeat(store, same, said)
    new = _insert(store, said, normal, lineage=fact.lineage, revision=fact.revision + 1)
    rivals = [peer for peer in _peers(store, said) if peer.id not in (new, fact.id) and said.slot is not None and peer.slot == said.slot]
    for old in (fact, *rivals):
        retire(store, old, by=new)
    return Saved(id=new, outcome="superseded", retired=(fact.id, *(old.id for old in rivals)), revision=fact.revision + 1)


def confirm(store: Store, fact: Fact) -> None:
    """The user says that it is still right: active, approved, confirmed now."""
    store.database.run(
        "UPDATE facts SET status = 'active', approved = 1, confirmed_at = ?, updated_at = ? WHERE id = ?", (store.now, store.now, fact.id)
    )


def retire(store: Store, fact: Fact, *, by: str) -> None:
    """Supersede: out of every read path and of what was derived from it, kept in the audit chain."""
    store.database.run("UPDATE facts SET status = 'superseded', superseded_by = ?, updated_at = ? WHERE id = ?", (by, store.now, fact.id))
    store.database.run("UPDATE facts SET supersedes = ? WHERE id = ? AND supersedes IS NULL", (fact.id, by))
    derived.retire(store, fact.id)


def bury(store: Store, said: Statement, *, by: str) -> str:
    """Enter in the audit chain what no record was made of while it held: a superseded fact, with its passage. Returns its id."""
    old = _insert(store, said, store.mark(said.text))
    store.unindex(old)
    retire(store, find(store, old), by=by)
    return old


def find(store: Store, fact_id: str, *, statuses: tuple[str, ...] = (*eligibility.LIVE_FACTS, "superseded", "expired")) -> Fact:
    """A fact the scope may see. Raises NotFound in the same words for one it may not see and for one that never was."""
    condition, values = eligibility.facts(store, statuses=statuses, overview=True)
    row = store.database.one(f"SELECT f.* FROM facts f WHERE f.id = ? AND {condition}", (fact_id, *values))
    if row is None:
        raise NotFound("record")
    return from_row(Fact, row)


def head(store: Store, fact: Fact) -> Fact:
    """The live revision of a fact's lineage; the fact itself when none is live."""
    if fact.status in eligibility.LIVE_FACTS:
        return fact
    row = store.database.one("SELECT * FROM facts WHERE lineage = ? AND status IN ('active', 'proposed') ORDER BY revision DESC", (fact.lineage,))
    return fact if row is None else from_row(Fact, row)


def check(said: Statement) -> None:
    """Raises Refused for an empty text or an unknown kind, source, reach or sensitivity, or a reach without its scope."""
    if not said.text.strip():
        raise Refused("the text is empty")
    choices = (
        (said.kind, KINDS, "kind"),
        (said.source, SOURCES, "source"),
        (said.reach, REACHES, "reach"),
        (said.sensitivity, ("low", "high"), "sensitivity"),
    )
    for value, allowed, what in choices:
        if value not in allowed:
            raise Refused(f"unknown {what}; allowed: {', '.join(allowed)}")
    for reach, where in (("project", said.project), ("task", said.task)):
        if said.reach == reach and not where:
            raise Refused(f"it is to apply to a {reach}, and the scope names none")


def index(store: Store, fact_id: str, text: str, slot: str | None) -> None:
    """Put a fact into the full-text index, with the words of its slot."""
    store.index(fact_id, "fact", with_slot(text, slot))


def _check_end(store: Store, said: Statement) -> None:
    if said.expires_at is not None and said.expires_at <= store.now:
        raise Refused("it has already ended: nothing to keep")


def ends(text: str | None) -> str | None:
    """An end as stored. Raises InputError for a text that is no instant: an end is never guessed."""
    return None if text is None else stamp(parse_instant(text))


def _peers(store: Store, said: Statement) -> list[Fact]:
    """Live facts that apply in exactly the same place."""
    rows = store.database.all(
        """SELECT f.* FROM facts f WHERE f.status IN ('active', 'proposed') AND (f.expires_at IS NULL OR f.expires_at > ?)
           AND f.reach = ? AND (f.reach != 'project' OR f.project IS ?) AND (f.reach != 'task' OR f.task IS ?)
           AND (f.slot = ? OR f.normal = ?) ORDER BY f.created_at, f.id""",
        (store.now, said.reach, said.project, said.task, said.slot, store.mark(said.text)),
    )
    wanted = None if said.agents is None else set(said.agents)
    found = [from_row(Fact, row) for row in rows]
    return [fact for fact in found if (None if fact.agents is None else set(fact.agents)) == wanted]


def _means_the_same(store: Store, old: str, new: str) -> bool:
    """Whether two sentences fill their slot with the same value."""
    a, b = slots.read(old, store.scope.user), slots.read(new, store.scope.user)
    return a is not None and b is not None and bool(a.value) and slots.words(a.value) == slots.words(b.value) and a.change == b.change


def _repeat(store: Store, fact: Fact, said: Statement) -> Saved:
    if said.source == "inferred" and fact.source != "inferred":
        return Saved(id=fact.id, outcome="confirmed", revision=fact.revision)
    stronger = _TRUST[said.source] > _TRUST[fact.source]
    active = fact.status == "active" or said.status == "active"
    store.database.run(
        """UPDATE facts SET confirmed_at = ?, updated_at = ?, status = ?, source = ?, approved = ?, expires_at = ?, always = ?,
           sensitivity = ? WHERE id = ?""",
        (
            store.now,
            store.now,
            "active" if active else "proposed",
            said.source if stronger else fact.source,
            int(fact.approved or said.approved),
            said.expires_at if said.expires_at is not None or said.explicit else fact.expires_at,
            int(fact.always or said.always),
            "high" if "high" in (fact.sensitivity, said.sensitivity) else "low",
            fact.id,
        ),
    )
    _link(store, fact.id, said)
    return Saved(id=fact.id, outcome="confirmed", revision=fact.revision)


def _insert(store: Store, said: Statement, normal: str, *, lineage: str | None = None, revision: int = 1) -> str:
    new = store.new_id("fact")
    store.database.insert(
        "facts",
        id=new, lineage=lineage or new, text=said.text, normal=normal, kind=said.kind, slot=said.slot, source=said.source,
        approved=int(said.approved),
        message_id=said.message_id, reach=said.reach, project=said.project if said.reach == "project" else None,
        task=said.task if said.reach == "task" else None, agents=None if said.agents is None else json.dumps(list(said.agents)), status=said.status,
        sensitivity=said.sensitivity, always=int(said.always), created_at=store.now, updated_at=store.now, confirmed_at=store.now,
        expires_at=said.expires_at, revision=revision,
    )  # fmt: skip
    _link(store, new, said)
    index(store, new, said.text, said.slot)
    return new


def _link(store: Store, fact_id: str, said: Statement) -> None:
    if said.message_id is not None:
        first, past = said.span or (None, None)
        store.link(fact_id, said.message_id, first, past)
