"""Who may see which record now: the one place that answers it, for lists, recall and context alike.

Each function returns an SQL condition and its parameters for rows under the given alias. Eligibility comes first and ranking
second, so that rows nobody may see never push out those that may be seen. Expiry needs no sweeper: it is compared here.
"""

from __future__ import annotations

from memgauge.memory_ref.store import Store

_OWN_WORDS = "{a}.role = 'user' AND {a}.origin = 'typed' AND {a}.speaker IS NULL"

Condition = tuple[str, tuple[object, ...]]

LIVE_FACTS = ("active", "proposed")

_ON_BRANCH = """(NOT EXISTS (SELECT 1 FROM edges e JOIN messages p ON p.id = e.parent WHERE e.child = {a}.id)
    OR EXISTS (SELECT 1 FROM edges e JOIN messages p ON p.id = e.parent WHERE e.child = {a}.id AND p.on_branch = 1))"""
"""Derived from no message, or from one that stands on the active branch of its thread."""


def facts(store: Store, alias: str = "f", *, statuses: tuple[str, ...] = LIVE_FACTS, overview: bool = False) -> Condition:
    """Facts the scope may see: status, expiry, reach, agent, branch. `overview`: the owner looks at all that is stored, so a
    scope that names no project, task or agent is not narrowed by them."""
    scope = store.scope
    parts = [f"{alias}.status IN ({', '.join('?' * len(statuses))})", _ON_BRANCH.format(a=alias)]
    values: list[object] = list(statuses)
    if "expired" not in statuses:
        parts.append(f"({alias}.expires_at IS NULL OR {alias}.expires_at > ?)")
        values.append(store.now)
    for reach, wanted in (("project", scope.project), ("task", scope.task)):
        if wanted is None and overview:
            continue
        parts.append(f"({alias}.reach != '{reach}' OR {alias}.{reach} = ?)")
        values.append(wanted)
    if scope.agent is not None or not overview:
        parts.append(f"({alias}.agents IS NULL OR EXISTS (SELECT 1 FROM json_each({alias}.agents) WHERE value = ?))")
        values.append(scope.agent)
    return " AND ".join(parts), tuple(values)


def notes(store: Store, alias: str = "n", *, statuses: tuple[str, ...] = ("active",), overview: bool = False) -> Condition:
    """Daily notes of this project (or of none), within their retention, on the active branch."""
    project, values = of_project(store, alias, overview=overview)
    marks = ", ".join("?" * len(statuses))
    ended = "" if "expired" in statuses else f" AND ({alias}.expires_at IS NULL OR {alias}.expires_at > ?)"
    sql = f"{alias}.status IN ({marks}) AND {project} AND {_ON_BRANCH.format(a=alias)}{ended}"
    return sql, (*statuses, *values, *((store.now,) if ended else ()))


def messages(store: Store, alias: str = "m") -> Condition:
    """Messages recall may bring into another place: kept, public, on the active branch, of this project or none, judged
    usable by capture, and none of whose derived facts is superseded, expired, for others, or waiting for the user's word."""
    project, values = of_project(store, alias, overview=False)
    live, live_values = facts(store, "d")
    own = "" if store.policy.recall.messages == "all" else f" AND {_OWN_WORDS.format(a=alias)}"
    sql = f"""{alias}.state = 'live' AND {alias}.on_branch = 1 AND {alias}.recallable = 1{own} AND {project}
        AND NOT EXISTS (SELECT 1 FROM threads t WHERE t.id = {alias}.thread AND t.private = 1)
        AND NOT EXISTS (SELECT 1 FROM edges e JOIN reviews r ON r.id = e.child
            WHERE e.parent = {alias}.id AND r.status != 'approved' AND r.control = 0 AND NOT (r.status = 'pending' AND r.class IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM edges e JOIN facts d ON d.id = e.child WHERE e.parent = {alias}.id AND ({live}) IS NOT TRUE)"""
    return sql, (*values, *live_values)


def of_project(store: Store, alias: str, *, overview: bool) -> Condition:
    """Rows of the scope's project or of none. An overview without a project sees every project."""
    if store.scope.project is None and overview:
        return "1", ()
    return f"({alias}.project IS NULL OR {alias}.project = ?)", (store.scope.project,)


def pins(store: Store, alias: str = "p", *, overview: bool = False) -> Condition:
    """Pins that have not ended, of this project or none, on the active branch."""
    project, values = of_project(store, alias, overview=overview)
    return f"({alias}.until IS NULL OR {alias}.until > ?) AND {project} AND {_ON_BRANCH.format(a=alias)}", (store.now, *values)


def goals(store: Store, alias: str = "g", *, overview: bool = False) -> Condition:
    """Goals of this project or none, on the active branch; which statuses count is the caller's matter."""
    project, values = of_project(store, alias, overview=overview)
    return f"{project} AND {_ON_BRANCH.format(a=alias)}", values


decisions = goals
"""Decisions of this project or none, on the active branch."""
