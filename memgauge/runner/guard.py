"""Blast radius: nothing is destroyed that this run did not make."""

from __future__ import annotations

from memgauge.errors import SystemFault
from memgauge.protocol import VERBS
from memgauge.records import CasePlan, Json, Scope
from memgauge.runner.names import listing
from memgauge.runner.session import Session


class ForeignRecord(SystemFault):
    """The store holds something this run did not write. The whole run stops, since no later case can be safe."""


def destructive(plan: CasePlan) -> bool:
    """Whether the plan removes data or kills the store's process."""
    return any(step.kind == "kill" or (step.op in VERBS and VERBS[step.op].effect == "destroy") for step in plan.steps)


def prove_empty(session: Session, plan: CasePlan) -> None:
    """Read every user of the plan, and one nobody ever used, before anything is written. Raises ForeignRecord naming the record."""
    users = {(step.scope.tenant, step.scope.user) for step in plan.steps if step.scope.user}
    for tenant, user in [*sorted(users), ("default", "memgauge-nobody")]:
        for item in listing(_any_read(session, Scope(tenant=tenant, user=user))):
            if item.get("section") not in ("application", "current"):
                raise ForeignRecord(
                    f"before anything was written, user {user!r} already had record {item.get('id', 'without id')}; the run stops",
                    hint="give a reset command under lifecycle, which empties the store before every case"
                    if session.server.exists
                    else "point the system at a store of its own under the root folder it is given",
                )


def permitted(session: Session, op: str) -> str:
    """Why this verb may not be called here, or an empty text. Destroying needs a store the harness made, or its id in `allow`."""
    if VERBS[op].effect != "destroy" or session.manifest.isolation == "fresh_store":
        return ""
    store = store_id(session)
    return "" if store in session.spec.allow else f"{op} destroys data and the store is not the harness's own; --allow-destructive {store} allows it"


def store_id(session: Session) -> str:
    """The id by which a user names a store: `store` among the manifest's versions, else the system's name."""
    return session.manifest.versions.get("store", session.manifest.name)


def _any_read(session: Session, scope: Scope) -> Json:
    if session.supports("list"):
        return session.call("list", scope, {}, step="guard")
    if session.supports("recall"):
        return session.call("recall", scope, {"query": "what is known", "k": 5}, step="guard")
    if session.supports("context"):
        return session.call("context", scope, {"text": "What is known?", "budget": {"window": 4000, "reserve": 500}}, step="guard")
    return {}
