"""The schema, as numbered steps. Each step and the record that it ran are one transaction.

Times are RFC 3339 in UTC with six decimals and `+00:00`, so that text order is time order. Lists are JSON text. Ids are
`kind-number-tag`, counted per store and never used twice; the tag is the owner's. Every table of user text has its row in `inventory.py`.
"""

from __future__ import annotations

from memgauge.memory_ref.database import Database
from memgauge.memory_ref.errors import Damaged

_FIRST = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE counters (kind TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID",
    # --- history: the canonical tree; all else is derived -----------------------------------------------------------
    """CREATE TABLE threads (
        id TEXT PRIMARY KEY, private INTEGER NOT NULL, project TEXT, leaf TEXT, created_at TEXT NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE messages (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, thread TEXT NOT NULL REFERENCES threads(id), parent TEXT,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')), text TEXT NOT NULL, speaker TEXT,
        origin TEXT NOT NULL CHECK (origin IN ('typed', 'pasted', 'prefilled')), project TEXT, agent TEXT, task TEXT,
        calls TEXT NOT NULL DEFAULT '[]', call_id TEXT, created_at TEXT NOT NULL,
        on_branch INTEGER NOT NULL DEFAULT 1,  -- 1: on the active branch of its thread
        state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'barred', 'removed')),  -- barred: readable in its thread only
        recallable INTEGER NOT NULL DEFAULT 1,  -- 0: capture judged it a guess, a joke, a quotation, another's words, …
        captured INTEGER NOT NULL DEFAULT 0  -- 1: end_turn has looked at it
        )""",
    "CREATE INDEX messages_thread ON messages (thread, seq)",
    "CREATE INDEX messages_parent ON messages (parent)",
    # --- long-term records --------------------------------------------------------------------------------------------
    """CREATE TABLE facts (
        id TEXT PRIMARY KEY, lineage TEXT NOT NULL, text TEXT NOT NULL, normal TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('profile', 'episodic', 'procedural', 'working')), slot TEXT,
        source TEXT NOT NULL CHECK (source IN ('stated', 'inferred', 'imported')), approved INTEGER NOT NULL DEFAULT 0,
        message_id TEXT, reach TEXT NOT NULL CHECK (reach IN ('user', 'project', 'task')), project TEXT, task TEXT,
        agents TEXT, status TEXT NOT NULL CHECK (status IN ('proposed', 'active', 'superseded', 'expired', 'rejected', 'deleted')),
        sensitivity TEXT NOT NULL CHECK (sensitivity IN ('low', 'high')), always INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL, confirmed_at TEXT NOT NULL, expires_at TEXT,
        supersedes TEXT, superseded_by TEXT, revision INTEGER NOT NULL)""",
    "CREATE INDEX facts_slot ON facts (slot, status)",
    "CREATE INDEX facts_normal ON facts (normal, status)",
    "CREATE INDEX facts_lineage ON facts (lineage)",
    """CREATE TABLE notes (
        id TEXT PRIMARY KEY, day TEXT NOT NULL, text TEXT NOT NULL, slot TEXT, project TEXT, message_id TEXT,
        status TEXT NOT NULL CHECK (status IN ('active', 'consolidated', 'superseded', 'expired')),
        created_at TEXT NOT NULL, expires_at TEXT)""",
    """CREATE TABLE documents (
        id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)""",
    """CREATE TABLE document_revisions (
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE, revision INTEGER NOT NULL, text TEXT NOT NULL,
        author TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (document, revision)) WITHOUT ROWID""",
    """CREATE TABLE bullets (
        id TEXT PRIMARY KEY, document TEXT NOT NULL, text TEXT NOT NULL, created_at TEXT NOT NULL, confirmed_at TEXT NOT NULL)""",
    """CREATE TABLE goals (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'done', 'dropped')),
        position INTEGER NOT NULL, project TEXT, message_id TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, revision INTEGER NOT NULL)""",
    """CREATE TABLE decisions (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('boundary', 'choice', 'rule', 'insight')),
        status TEXT NOT NULL CHECK (status IN ('proposed', 'accepted', 'locked', 'rejected')), project TEXT, message_id TEXT,
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL, revision INTEGER NOT NULL)""",
    """CREATE TABLE pins (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('proposed', 'active')), source TEXT NOT NULL,
        project TEXT, thread TEXT, message_id TEXT, created_at TEXT NOT NULL, until TEXT)""",
    """CREATE TABLE reviews (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, kind TEXT NOT NULL, slot TEXT, class TEXT, reason TEXT NOT NULL,
        control INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'deleted', 'dont_carry')),
        source TEXT NOT NULL, sensitivity TEXT NOT NULL, reach TEXT NOT NULL, project TEXT, task TEXT, thread TEXT, message_id TEXT,
        expires_at TEXT, created_at TEXT NOT NULL, decided_at TEXT, record TEXT)""",
    """CREATE TABLE summaries (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, text TEXT NOT NULL, through TEXT NOT NULL, leaf TEXT NOT NULL,
        covered TEXT NOT NULL, covered_hash TEXT NOT NULL, previous TEXT, model TEXT NOT NULL, prompt_version INTEGER NOT NULL,
        tokens INTEGER NOT NULL, created_at TEXT NOT NULL, expires_at TEXT)""",
    "CREATE INDEX summaries_thread ON summaries (thread)",
    # --- how they hang together ---------------------------------------------------------------------------------------
    """CREATE TABLE edges (
        child TEXT NOT NULL, parent TEXT NOT NULL, first INTEGER, past INTEGER,  -- characters [first, past) of a message
        PRIMARY KEY (child, parent)) WITHOUT ROWID""",
    "CREATE INDEX edges_parent ON edges (parent)",
    """CREATE TABLE tombstones (
        mark TEXT NOT NULL, message_id TEXT NOT NULL DEFAULT '', slot TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL,
        PRIMARY KEY (mark, message_id, slot)) WITHOUT ROWID""",
    # --- state and logs, none of which hold text ----------------------------------------------------------------------
    "CREATE TABLE access (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE idempotency (
        key TEXT PRIMARY KEY, op TEXT NOT NULL, digest TEXT NOT NULL, ids TEXT NOT NULL, revision INTEGER, created_at TEXT NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE operations (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, op TEXT NOT NULL, ids TEXT NOT NULL, revision INTEGER, count INTEGER NOT NULL,
        model TEXT, calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0, ms REAL NOT NULL DEFAULT 0)""",
    """CREATE TABLE retrievals (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, item TEXT NOT NULL, section TEXT NOT NULL, score REAL, helped INTEGER)""",
    "CREATE INDEX retrievals_item ON retrievals (item)",
    "CREATE TABLE backups (path TEXT PRIMARY KEY, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) WITHOUT ROWID",
    # --- the one full-text index: triggers hand deletes exactly the text that was indexed ------------------------------
    "CREATE TABLE search_rows (n INTEGER PRIMARY KEY, record TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, search_text TEXT NOT NULL)",
    """CREATE VIRTUAL TABLE search_index USING fts5(
        search_text, content='search_rows', content_rowid='n', tokenize='porter unicode61 remove_diacritics 2')""",
    """CREATE TRIGGER search_added AFTER INSERT ON search_rows BEGIN
        INSERT INTO search_index (rowid, search_text) VALUES (new.n, new.search_text); END""",
    """CREATE TRIGGER search_removed AFTER DELETE ON search_rows BEGIN
        INSERT INTO search_index (search_index, rowid, search_text) VALUES ('delete', old.n, old.search_text); END""",
    """CREATE TRIGGER search_changed AFTER UPDATE OF search_text ON search_rows BEGIN
        INSERT INTO search_index (search_index, rowid, search_text) VALUES ('delete', old.n, old.search_text);
        INSERT INTO search_index (rowid, search_text) VALUES (new.n, new.search_text); END""",
    "CREATE VIRTUAL TABLE search_terms USING fts5vocab('search_index', 'row')",
)

MIGRATIONS: tuple[tuple[int, str, tuple[str, ...]], ...] = ((1, "first schema", _FIRST),)
"""(number, name, statements). A number that was released never changes; a change is a new number."""

NEWEST = MIGRATIONS[-1][0]


def migrate(database: Database, now: str) -> None:
    """Bring the file to the newest schema. Raises Damaged for a file of a newer program: it is never reset or guessed at."""
    version = database.value("PRAGMA user_version")
    if version == NEWEST:
        return
    if version > NEWEST:
        raise Damaged(f"the store has schema {version}, this program knows {NEWEST}: use a newer program")
    with database.atomic():
        version = database.value("PRAGMA user_version")  # another process may have done it while this one waited
        if version == 0:
            if database.value("SELECT count(*) FROM sqlite_schema"):
                raise Damaged("the file is a database, and not one of this program")
            database.run("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)")
        for number, name, statements in MIGRATIONS:
            if number > version:
                for statement in statements:
                    database.run(statement)
                database.insert("migrations", number=number, name=name, applied_at=now)
                database.run(f"PRAGMA user_version={number}")
