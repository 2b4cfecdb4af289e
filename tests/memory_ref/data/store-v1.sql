-- A store of schema version 1, frozen: made once by migration 1 and the verbs, for the user ana, and never made anew.
-- Ordinary tables are here with their rows; the full-text index is filled by its triggers.
BEGIN;
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE counters (kind TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE threads (
        id TEXT PRIMARY KEY, private INTEGER NOT NULL, project TEXT, leaf TEXT, created_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE messages (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, thread TEXT NOT NULL REFERENCES threads(id), parent TEXT,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')), text TEXT NOT NULL, speaker TEXT,
        origin TEXT NOT NULL CHECK (origin IN ('typed', 'pasted', 'prefilled')), project TEXT, agent TEXT, task TEXT,
        calls TEXT NOT NULL DEFAULT '[]', call_id TEXT, created_at TEXT NOT NULL,
        on_branch INTEGER NOT NULL DEFAULT 1,  -- 1: on the active branch of its thread
        state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'barred', 'removed')),  -- barred: readable in its thread only
        recallable INTEGER NOT NULL DEFAULT 1,  -- 0: capture judged it a guess, a joke, a quotation, another's words, …
        captured INTEGER NOT NULL DEFAULT 0  -- 1: end_turn has looked at it
        );
CREATE INDEX messages_thread ON messages (thread, seq);
CREATE INDEX messages_parent ON messages (parent);
CREATE TABLE facts (
        id TEXT PRIMARY KEY, lineage TEXT NOT NULL, text TEXT NOT NULL, normal TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('profile', 'episodic', 'procedural', 'working')), slot TEXT,
        source TEXT NOT NULL CHECK (source IN ('stated', 'inferred', 'imported')), approved INTEGER NOT NULL DEFAULT 0,
        message_id TEXT, reach TEXT NOT NULL CHECK (reach IN ('user', 'project', 'task')), project TEXT, task TEXT,
        agents TEXT, status TEXT NOT NULL CHECK (status IN ('proposed', 'active', 'superseded', 'expired', 'rejected', 'deleted')),
        sensitivity TEXT NOT NULL CHECK (sensitivity IN ('low', 'high')), always INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL, confirmed_at TEXT NOT NULL, expires_at TEXT,
        supersedes TEXT, superseded_by TEXT, revision INTEGER NOT NULL);
CREATE INDEX facts_slot ON facts (slot, status);
CREATE INDEX facts_normal ON facts (normal, status);
CREATE INDEX facts_lineage ON facts (lineage);
CREATE TABLE notes (
        id TEXT PRIMARY KEY, day TEXT NOT NULL, text TEXT NOT NULL, slot TEXT, project TEXT, message_id TEXT,
        status TEXT NOT NULL CHECK (status IN ('active', 'consolidated', 'superseded', 'expired')),
        created_at TEXT NOT NULL, expires_at TEXT);
CREATE TABLE documents (
        id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE document_revisions (
        document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE, revision INTEGER NOT NULL, text TEXT NOT NULL,
        author TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (document, revision)) WITHOUT ROWID;
CREATE TABLE bullets (
        id TEXT PRIMARY KEY, document TEXT NOT NULL, text TEXT NOT NULL, created_at TEXT NOT NULL, confirmed_at TEXT NOT NULL);
CREATE TABLE goals (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'done', 'dropped')),
        position INTEGER NOT NULL, project TEXT, message_id TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, revision INTEGER NOT NULL);
CREATE TABLE decisions (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('boundary', 'choice', 'rule', 'insight')),
        status TEXT NOT NULL CHECK (status IN ('proposed', 'accepted', 'locked', 'rejected')), project TEXT, message_id TEXT,
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL, revision INTEGER NOT NULL);
CREATE TABLE pins (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('proposed', 'active')), source TEXT NOT NULL,
        project TEXT, thread TEXT, message_id TEXT, created_at TEXT NOT NULL, until TEXT);
CREATE TABLE reviews (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, kind TEXT NOT NULL, slot TEXT, class TEXT, reason TEXT NOT NULL,
        control INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'deleted', 'dont_carry')),
        source TEXT NOT NULL, sensitivity TEXT NOT NULL, reach TEXT NOT NULL, project TEXT, task TEXT, thread TEXT, message_id TEXT,
        expires_at TEXT, created_at TEXT NOT NULL, decided_at TEXT, record TEXT);
CREATE TABLE summaries (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, text TEXT NOT NULL, through TEXT NOT NULL, leaf TEXT NOT NULL,
        covered TEXT NOT NULL, covered_hash TEXT NOT NULL, previous TEXT, model TEXT NOT NULL, prompt_version INTEGER NOT NULL,
        tokens INTEGER NOT NULL, created_at TEXT NOT NULL, expires_at TEXT);
CREATE INDEX summaries_thread ON summaries (thread);
CREATE TABLE edges (
        child TEXT NOT NULL, parent TEXT NOT NULL, first INTEGER, past INTEGER,  -- characters [first, past) of a message
        PRIMARY KEY (child, parent)) WITHOUT ROWID;
CREATE INDEX edges_parent ON edges (parent);
CREATE TABLE tombstones (
        mark TEXT NOT NULL, message_id TEXT NOT NULL DEFAULT '', slot TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL,
        PRIMARY KEY (mark, message_id, slot)) WITHOUT ROWID;
CREATE TABLE access (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE idempotency (
        key TEXT PRIMARY KEY, op TEXT NOT NULL, digest TEXT NOT NULL, ids TEXT NOT NULL, revision INTEGER, created_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE operations (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, op TEXT NOT NULL, ids TEXT NOT NULL, revision INTEGER, count INTEGER NOT NULL,
        model TEXT, calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0, ms REAL NOT NULL DEFAULT 0);
CREATE TABLE retrievals (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, item TEXT NOT NULL, section TEXT NOT NULL, score REAL, helped INTEGER);
CREATE INDEX retrievals_item ON retrievals (item);
CREATE TABLE backups (path TEXT PRIMARY KEY, created_at TEXT NOT NULL, expires_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE search_rows (n INTEGER PRIMARY KEY, record TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, search_text TEXT NOT NULL);
CREATE VIRTUAL TABLE search_index USING fts5(
        search_text, content='search_rows', content_rowid='n', tokenize='porter unicode61 remove_diacritics 2');
CREATE TRIGGER search_added AFTER INSERT ON search_rows BEGIN
        INSERT INTO search_index (rowid, search_text) VALUES (new.n, new.search_text); END;
CREATE TRIGGER search_removed AFTER DELETE ON search_rows BEGIN
        INSERT INTO search_index (search_index, rowid, search_text) VALUES ('delete', old.n, old.search_text); END;
CREATE TRIGGER search_changed AFTER UPDATE OF search_text ON search_rows BEGIN
        INSERT INTO search_index (search_index, rowid, search_text) VALUES ('delete', old.n, old.search_text);
        INSERT INTO search_index (rowid, search_text) VALUES (new.n, new.search_text); END;
CREATE VIRTUAL TABLE search_terms USING fts5vocab('search_index', 'row');
INSERT INTO migrations (number, name, applied_at) VALUES (1, 'first schema', '2026-03-02T09:00:00.000000+00:00');
INSERT INTO meta (key, value) VALUES ('key', X'11A890E3A0CFCF28177314281A192E37DADCE1A300209755D9AC474FB6CD53B9');
INSERT INTO meta (key, value) VALUES ('owner', '79aa197393da37e56421bc7ae080ecbab55daa376939b627e020e5d6a353cf1e');
INSERT INTO counters (kind, last) VALUES ('decision', 1);
INSERT INTO counters (kind, last) VALUES ('document', 1);
INSERT INTO counters (kind, last) VALUES ('fact', 7);
INSERT INTO counters (kind, last) VALUES ('goal', 2);
INSERT INTO counters (kind, last) VALUES ('note', 2);
INSERT INTO counters (kind, last) VALUES ('pin', 2);
INSERT INTO counters (kind, last) VALUES ('review', 1);
INSERT INTO counters (kind, last) VALUES ('summary', 1);
INSERT INTO threads (id, private, project, leaf, created_at) VALUES ('main', 0, NULL, 'm9', '2026-03-02T09:00:00.000000+00:00');
INSERT INTO threads (id, private, project, leaf, created_at) VALUES ('secret', 1, NULL, 'p1', '2026-03-04T09:00:00.000000+00:00');
INSERT INTO threads (id, private, project, leaf, created_at) VALUES ('t2', 0, 'fence', 'n2', '2026-03-04T09:00:00.000000+00:00');
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (1, 'm1', 'main', NULL, 'user', 'Remember that I live in Ghent.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-02T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (2, 'm2', 'main', 'm1', 'assistant', 'Noted.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-02T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (3, 'm3', 'main', 'm2', 'user', 'My van is a Berlingo. We decided to paint the fence KX-7 green, never red.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-02T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (4, 'm4', 'main', 'm3', 'assistant', 'All right.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-02T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (5, 'm5', 'main', 'm4', 'user', 'Never call me before 9:30.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-03T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (6, 'm6', 'main', 'm5', 'assistant', 'Understood.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-03T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (7, 'm7', 'main', 'm6', 'tool', '42 results', NULL, 'typed', NULL, NULL, NULL, '[]', 'c1', '2026-03-03T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (8, 'm3b', 'main', 'm2', 'user', 'My van is a Kangoo. We decided to paint the fence KX-7 green, never red.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-03T09:00:00.000000+00:00', 0, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (9, 'n1', 't2', NULL, 'user', 'I live in Lyon.', NULL, 'typed', 'fence', NULL, NULL, '[]', NULL, '2026-03-04T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (10, 'n2', 't2', 'n1', 'assistant', 'Ok.', NULL, 'typed', 'fence', NULL, NULL, '[]', NULL, '2026-03-04T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (11, 'p1', 'secret', NULL, 'user', 'My secret garden is behind the mill.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-04T09:00:00.000000+00:00', 1, 'live', 1, 0);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (12, 'm8', 'main', 'm7', 'user', 'My van is a Berlingo.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-04T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO messages (seq, id, thread, parent, role, text, speaker, origin, project, agent, task, calls, call_id, created_at, on_branch, state, recallable, captured) VALUES (13, 'm9', 'main', 'm8', 'assistant', 'Ok.', NULL, 'typed', NULL, NULL, NULL, '[]', NULL, '2026-03-04T09:00:00.000000+00:00', 1, 'live', 1, 1);
INSERT INTO facts (id, lineage, text, normal, kind, slot, source, approved, message_id, reach, project, task, agents, status, sensitivity, always, created_at, updated_at, confirmed_at, expires_at, supersedes, superseded_by, revision) VALUES ('fact-1-79aa19', 'fact-1-79aa19', 'I live in Ghent', '930043d6b36b56db549822811cb9480d363987f9eaa1e5a235cdfe52fa5a1ec8', 'profile', 'home', 'stated', 1, 'm1', 'user', NULL, NULL, NULL, 'active', 'low', 0, '2026-03-02T09:00:00.000000+00:00', '2026-03-02T09:00:00.000000+00:00', '2026-03-02T09:00:00.000000+00:00', NULL, NULL, NULL, 1);
INSERT INTO facts (id, lineage, text, normal, kind, slot, source, approved, message_id, reach, project, task, agents, status, sensitivity, always, created_at, updated_at, confirmed_at, expires_at, supersedes, superseded_by, revision) VALUES ('fact-2-79aa19', 'fact-2-79aa19', 'I prefer aisle seats', '446409754d238c9d7d7c81743cf53ab5e781d643d149ccb75e495e33d6a6dd34', 'procedural', 'preference:seat', 'stated', 1, NULL, 'user', NULL, NULL, NULL, 'active', 'low', 0, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', NULL, NULL, NULL, 1);
INSERT INTO facts (id, lineage, text, normal, kind, slot, source, approved, message_id, reach, project, task, agents, status, sensitivity, always, created_at, updated_at, confirmed_at, expires_at, supersedes, superseded_by, revision) VALUES ('fact-3-79aa19', 'fact-3-79aa19', 'I take the 7:40 train to Bruges', 'f72889676d943ec0366c0518a603e1a7803c5369b42e7b93cb66b9010be4012d', 'profile', NULL, 'stated', 1, NULL, 'user', NULL, NULL, NULL, 'superseded', 'low', 0, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', NULL, NULL, 'fact-4-79aa19', 1);
INSERT INTO facts (id, lineage, text, normal, kind, slot, source, approved, message_id, reach, project, task, agents, status, sensitivity, always, created_at, updated_at, confirmed_at, expires_at, supersedes, superseded_by, revision) VALUES ('fact-4-79aa19', 'fact-3-79aa19', 'I take the 8:10 train to Bruges', '7640cded099255605047f3ea8555274b7c439613f46bc543cdcc8d64efbb402e', 'profile', NULL, 'stated', 1, NULL, 'user', NULL, NULL, NULL, 'active', 'low', 0, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', NULL, 'fact-3-79aa19', NULL, 2);
INSERT INTO facts (id, lineage, text, normal, kind, slot, source, approved, message_id, reach, project, task, agents, status, sensitivity, always, created_at, updated_at, confirmed_at, expires_at, supersedes, superseded_by, revision) VALUES ('fact-6-79aa19', 'fact-6-79aa19', 'Seems to enjoy rowing', '46c95315f551e69053c320180a8d644f38d587ce85dbb7db49b5f6be961c572c', 'profile', NULL, 'inferred', 0, NULL, 'user', NULL, NULL, NULL, 'proposed', 'low', 0, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', '2026-03-11T09:00:00.000000+00:00', NULL, NULL, 1);
INSERT INTO facts (id, lineage, text, normal, kind, slot, source, approved, message_id, reach, project, task, agents, status, sensitivity, always, created_at, updated_at, confirmed_at, expires_at, supersedes, superseded_by, revision) VALUES ('fact-7-79aa19', 'fact-7-79aa19', 'The deadline is Friday', '7eaa2875986f7228eaeb77641b2a637bb5ff64cbaf38c24e468d2e2d6daaa828', 'working', 'date:deadline', 'stated', 1, NULL, 'user', NULL, NULL, NULL, 'active', 'low', 0, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', '2026-03-20T00:00:00.000000+00:00', NULL, NULL, 1);
INSERT INTO notes (id, day, text, slot, project, message_id, status, created_at, expires_at) VALUES ('note-1-79aa19', '2026-03-04', 'Bought two litres of varnish', NULL, 'fence', NULL, 'active', '2026-03-04T09:00:00.000000+00:00', '2026-06-02T09:00:00.000000+00:00');
INSERT INTO notes (id, day, text, slot, project, message_id, status, created_at, expires_at) VALUES ('note-2-79aa19', '2026-03-04', 'The varnish is dry', NULL, NULL, NULL, 'active', '2026-03-04T09:00:00.000000+00:00', '2026-06-02T09:00:00.000000+00:00');
INSERT INTO documents (id, name, revision, created_at, updated_at) VALUES ('document-1-79aa19', 'user', 2, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00');
INSERT INTO document_revisions (document, revision, text, author, created_at) VALUES ('document-1-79aa19', 1, 'Ana builds fences.'||char(10)||'', 'user', '2026-03-04T09:00:00.000000+00:00');
INSERT INTO document_revisions (document, revision, text, author, created_at) VALUES ('document-1-79aa19', 2, 'Ana builds fences and boats.'||char(10)||'', 'user', '2026-03-04T09:00:00.000000+00:00');
INSERT INTO goals (id, text, status, position, project, message_id, created_at, updated_at, revision) VALUES ('goal-1-79aa19', 'Finish the fence', 'active', 1, 'fence', NULL, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', 1);
INSERT INTO goals (id, text, status, position, project, message_id, created_at, updated_at, revision) VALUES ('goal-2-79aa19', 'Learn Welsh', 'active', 2, 'fence', NULL, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', 1);
INSERT INTO decisions (id, text, kind, status, project, message_id, created_at, updated_at, revision) VALUES ('decision-1-79aa19', 'No work on Sundays', 'boundary', 'locked', 'fence', NULL, '2026-03-04T09:00:00.000000+00:00', '2026-03-04T09:00:00.000000+00:00', 2);
INSERT INTO pins (id, text, status, source, project, thread, message_id, created_at, until) VALUES ('pin-1-79aa19', 'Never call me before 9:30', 'proposed', 'rule', NULL, 'main', 'm5', '2026-03-03T09:00:00.000000+00:00', '2026-04-02T09:00:00.000000+00:00');
INSERT INTO pins (id, text, status, source, project, thread, message_id, created_at, until) VALUES ('pin-2-79aa19', 'Answer in short sentences', 'active', 'user', 'fence', 't2', NULL, '2026-03-04T09:00:00.000000+00:00', NULL);
INSERT INTO reviews (id, text, kind, slot, class, reason, control, status, source, sensitivity, reach, project, task, thread, message_id, expires_at, created_at, decided_at, record) VALUES ('review-1-79aa19', 'I live in Lyon', 'profile', 'home', NULL, 'it contradicts what you said before', 0, 'pending', 'stated', 'low', 'user', 'fence', NULL, 't2', 'n1', NULL, '2026-03-04T09:00:00.000000+00:00', NULL, NULL);
INSERT INTO summaries (id, thread, text, through, leaf, covered, covered_hash, previous, model, prompt_version, tokens, created_at, expires_at) VALUES ('summary-1-79aa19', 'main', 'Summary of earlier turns, in the speakers'' own words. What was said then, not settled facts.'||char(10)||'- [m1] user: Remember that I live in Ghent.'||char(10)||'- [m3] user: My van is a Berlingo.'||char(10)||'- [m3] user: We decided to paint the fence KX-7 green, never red.'||char(10)||'- [m5] user: Never call me before 9:30.', 'm5', 'm7', '["m1", "m2", "m3", "m4", "m5"]', '564406777f5983c4bb20bb0cbddc64636f039dbd7f173c8481010e37d86c49aa', NULL, 'extractive', 1, 89, '2026-03-03T09:00:00.000000+00:00', NULL);
INSERT INTO edges (child, parent, first, past) VALUES ('fact-1-79aa19', 'm1', 0, 30);
INSERT INTO edges (child, parent, first, past) VALUES ('pin-1-79aa19', 'm5', 0, 26);
INSERT INTO edges (child, parent, first, past) VALUES ('review-1-79aa19', 'n1', 0, 15);
INSERT INTO edges (child, parent, first, past) VALUES ('summary-1-79aa19', 'm1', NULL, NULL);
INSERT INTO edges (child, parent, first, past) VALUES ('summary-1-79aa19', 'm3', NULL, NULL);
INSERT INTO edges (child, parent, first, past) VALUES ('summary-1-79aa19', 'm5', NULL, NULL);
INSERT INTO tombstones (mark, message_id, slot, created_at) VALUES ('955b95e6fd2707dbcb0426b048388fd01af7b0b2020b59977f991f725f066d59', '', '', '2026-03-04T09:00:00.000000+00:00');
INSERT INTO access (name, value) VALUES ('consent', 'true');
INSERT INTO access (name, value) VALUES ('plan', '"pro"');
INSERT INTO idempotency (key, op, digest, ids, revision, created_at) VALUES ('k1', 'note_add', '142fdb5e4d45938490e7e93ee22a4d312ce8326269b237f18004c34f733fa53e', '["note-2-79aa19"]', NULL, '2026-03-04T09:00:00.000000+00:00');
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (1, '2026-03-02T09:00:00.000000+00:00', 'append', '["m1"]', NULL, 1, NULL, 0, 0, 1.18395700026303529739e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (2, '2026-03-02T09:00:00.000000+00:00', 'append', '["m2"]', NULL, 1, NULL, 0, 0, 5.2646600082516670227e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (3, '2026-03-02T09:00:00.000000+00:00', 'end_turn', '["fact-1-79aa19"]', NULL, 1, NULL, 0, 0, 3.98370810002088546761e+01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (4, '2026-03-02T09:00:00.000000+00:00', 'append', '["m3"]', NULL, 1, NULL, 0, 0, 9.68930999748408794403e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (5, '2026-03-02T09:00:00.000000+00:00', 'append', '["m4"]', NULL, 1, NULL, 0, 0, 4.82164000160992145538e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (6, '2026-03-02T09:00:00.000000+00:00', 'end_turn', '[]', NULL, 0, NULL, 0, 0, 1.35611469997093081474e+01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (7, '2026-03-03T09:00:00.000000+00:00', 'append', '["m5"]', NULL, 1, NULL, 0, 0, 6.27074000425636768341e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (8, '2026-03-03T09:00:00.000000+00:00', 'append', '["m6"]', NULL, 1, NULL, 0, 0, 6.41548999585211277008e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (9, '2026-03-03T09:00:00.000000+00:00', 'append', '["m7"]', NULL, 1, NULL, 0, 0, 4.40749000757932662963e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (10, '2026-03-03T09:00:00.000000+00:00', 'end_turn', '["pin-1-79aa19"]', NULL, 1, NULL, 0, 0, 7.3010390009731054306e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (11, '2026-03-03T09:00:00.000000+00:00', 'edit_message', '["m3b"]', NULL, 1, NULL, 0, 0, 1.00369599927216768264e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (12, '2026-03-03T09:00:00.000000+00:00', 'switch', '["m7"]', NULL, 1, NULL, 0, 0, 1.94505000486969947814e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (13, '2026-03-03T09:00:00.000000+00:00', 'summarise', '["summary-1-79aa19"]', NULL, 1, NULL, 0, 0, 5.2711537399888038634e+02);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (14, '2026-03-04T09:00:00.000000+00:00', 'remember', '["fact-2-79aa19"]', 1, 1, NULL, 0, 0, 1.29049699939787387847e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (15, '2026-03-04T09:00:00.000000+00:00', 'remember', '["fact-3-79aa19"]', 1, 1, NULL, 0, 0, 9.85968000255525112152e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (16, '2026-03-04T09:00:00.000000+00:00', 'correct', '["fact-4-79aa19"]', 2, 1, NULL, 0, 0, 2.54112599976360797882e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (17, '2026-03-04T09:00:00.000000+00:00', 'remember', '["fact-5-79aa19"]', 1, 1, NULL, 0, 0, 1.15182699915021657943e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (18, '2026-03-04T09:00:00.000000+00:00', 'forget', '["fact-5-79aa19"]', NULL, 1, NULL, 0, 0, 1.14913100004196166992e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (19, '2026-03-04T09:00:00.000000+00:00', 'remember', '["fact-6-79aa19"]', 1, 1, NULL, 0, 0, 1.22901499923318624496e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (20, '2026-03-04T09:00:00.000000+00:00', 'remember', '["fact-7-79aa19"]', 1, 1, NULL, 0, 0, 1.32124399952590465545e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (21, '2026-03-04T09:00:00.000000+00:00', 'note_add', '["note-1-79aa19"]', NULL, 1, NULL, 0, 0, 0.849932000041008);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (22, '2026-03-04T09:00:00.000000+00:00', 'goal_add', '["goal-1-79aa19"]', 1, 1, NULL, 0, 0, 2.93018999509513378143e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (23, '2026-03-04T09:00:00.000000+00:00', 'goal_add', '["goal-2-79aa19"]', 1, 1, NULL, 0, 0, 2.74876000359654426574e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (24, '2026-03-04T09:00:00.000000+00:00', 'decide', '["decision-1-79aa19"]', 1, 1, NULL, 0, 0, 7.26187000051140785217e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (25, '2026-03-04T09:00:00.000000+00:00', 'lock', '["decision-1-79aa19"]', 2, 1, NULL, 0, 0, 1.86803000047802925109e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (26, '2026-03-04T09:00:00.000000+00:00', 'pin', '["pin-2-79aa19"]', NULL, 1, NULL, 0, 0, 2.68121998757123947143e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (27, '2026-03-04T09:00:00.000000+00:00', 'doc_write', '["document-1-79aa19"]', 1, 1, NULL, 0, 0, 0.254250000230968);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (28, '2026-03-04T09:00:00.000000+00:00', 'doc_write', '["document-1-79aa19"]', 2, 1, NULL, 0, 0, 3.06468000635504722595e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (29, '2026-03-04T09:00:00.000000+00:00', 'append', '["n1"]', NULL, 1, NULL, 0, 0, 5.90018999762833118438e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (30, '2026-03-04T09:00:00.000000+00:00', 'append', '["n2"]', NULL, 1, NULL, 0, 0, 3.73969999141991138458e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (31, '2026-03-04T09:00:00.000000+00:00', 'end_turn', '["review-1-79aa19"]', NULL, 1, NULL, 0, 0, 1.60593899991363286972e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (32, '2026-03-04T09:00:00.000000+00:00', 'append', '["p1"]', NULL, 1, NULL, 0, 0, 2.52632999792695045471e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (33, '2026-03-04T09:00:00.000000+00:00', 'note_add', '["note-2-79aa19"]', NULL, 1, NULL, 0, 0, 4.74217000417411327362e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (34, '2026-03-04T09:00:00.000000+00:00', 'append', '["m8"]', NULL, 1, NULL, 0, 0, 3.44589999876916408538e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (35, '2026-03-04T09:00:00.000000+00:00', 'append', '["m9"]', NULL, 1, NULL, 0, 0, 2.50229000113904476165e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (36, '2026-03-04T09:00:00.000000+00:00', 'end_turn', '[]', NULL, 0, NULL, 0, 0, 2.2046609995886683464e+00);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (37, '2026-03-04T09:00:00.000000+00:00', 'consolidate', '[]', 0, 0, NULL, 0, 0, 5.82169999368488788604e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (38, '2026-03-04T09:00:00.000000+00:00', 'feedback', '["fact-2-79aa19"]', NULL, 1, NULL, 0, 0, 1.15898000076413154602e-01);
INSERT INTO operations (seq, at, op, ids, revision, count, model, calls, tokens, ms) VALUES (39, '2026-03-04T09:00:00.000000+00:00', 'set_access', '[]', NULL, 0, NULL, 0, 0, 2.02957999892532825469e-01);
INSERT INTO retrievals (seq, at, item, section, score, helped) VALUES (1, '2026-03-04T09:00:00.000000+00:00', 'fact-2-79aa19', 'recall', 0.9, 1);
INSERT INTO search_rows (n, record, kind, search_text) VALUES (1, 'm1', 'message', 'remember that i live in ghent');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (2, 'm2', 'message', 'noted');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (3, 'fact-1-79aa19', 'fact', 'i live in ghent home');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (4, 'm3', 'message', 'my van is a berlingo we decided to paint the fence kx-7 kx7 kx 7 green never red');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (5, 'm4', 'message', 'all right');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (6, 'm5', 'message', 'never call me before 9:30 930 9 30');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (7, 'm6', 'message', 'understood');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (8, 'm7', 'message', '42 results');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (9, 'm3b', 'message', 'my van is a kangoo we decided to paint the fence kx-7 kx7 kx 7 green never red');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (10, 'fact-2-79aa19', 'fact', 'i prefer aisle seats preference seat');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (11, 'fact-3-79aa19', 'fact', 'i take the 7:40 740 7 40 train to bruges');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (12, 'fact-4-79aa19', 'fact', 'i take the 8:10 810 8 10 train to bruges');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (13, 'fact-6-79aa19', 'fact', 'seems to enjoy rowing');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (14, 'fact-7-79aa19', 'fact', 'the deadline is friday date deadline');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (15, 'note-1-79aa19', 'note', 'bought two litres of varnish');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (16, 'decision-1-79aa19', 'decision', 'no work on sundays');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (17, 'n1', 'message', 'i live in lyon');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (18, 'n2', 'message', 'ok');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (19, 'note-2-79aa19', 'note', 'the varnish is dry');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (20, 'm8', 'message', 'my van is a berlingo');
INSERT INTO search_rows (n, record, kind, search_text) VALUES (21, 'm9', 'message', 'ok');
PRAGMA user_version=1;
COMMIT;
