"""Which messages stand on the active branch of their thread, and what that means for facts told on another one."""

from __future__ import annotations

from memgauge.memory_ref.store import Store

_BRANCH = """WITH RECURSIVE branch (id, parent) AS (
    SELECT m.id, m.parent FROM messages m JOIN threads t ON t.leaf = m.id WHERE t.id = ?
    UNION ALL SELECT m.id, m.parent FROM messages m JOIN branch b ON m.id = b.parent) SELECT id FROM branch"""

_TOLD_ELSEWHERE = """EXISTS (SELECT 1 FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = s.id)
    AND NOT EXISTS (SELECT 1 FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = s.id AND m.on_branch = 1)"""


def refresh(store: Store, thread: str) -> None:
    """Walk the active branch anew and set the flags; summaries of what left it end; supersessions follow the branch."""
    database = store.database
    database.run(f"UPDATE messages SET on_branch = (id IN ({_BRANCH})) WHERE thread = ?", (thread, thread))
    _follow(store)


def _follow(store: Store) -> None:
    """A fact superseded by something said only on an abandoned branch is active again; coming back, it is superseded again."""
    store.database.run(
        f"""UPDATE facts SET status = 'active', updated_at = ?
            WHERE status = 'superseded' AND EXISTS (SELECT 1 FROM facts s WHERE s.id = facts.superseded_by AND {_TOLD_ELSEWHERE})""",
        (store.now,),
    )
    store.database.run(
        f"""UPDATE facts SET status = 'superseded', updated_at = ?
            WHERE status IN ('active', 'proposed') AND EXISTS (SELECT 1 FROM facts s WHERE s.id = facts.superseded_by AND NOT ({_TOLD_ELSEWHERE}))""",
        (store.now,),
    )
