"""What one call works with: the open database of one user, the policy, the request's scope and instant."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime

from memgauge.memory_ref.database import Database
from memgauge.memory_ref.owner import tag
from memgauge.memory_ref.policy import Policy
from memgauge.memory_ref.searchtext import search_text
from memgauge.records import Scope


@dataclass(frozen=True, slots=True)
class Store:
    """One user's database as one call sees it. `now` is stored-time text (see `stamp`); `key` is the random key of this store."""

    database: Database
    policy: Policy
    scope: Scope
    now: str
    key: bytes

    def new_id(self, kind: str) -> str:
        """The next id of a kind, as `fact-12-3f09ac`. Never given out twice, not even after a deletion, and to nobody else."""
        last = self.database.value(
            "INSERT INTO counters (kind, last) VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET last = last + 1 RETURNING last", (kind,)
        )
        return f"{kind}-{last}-{tag(self.scope)}"

    def mark(self, text: str) -> str:
        """Keyed hash of the normalised text: tells equal sentences apart from others without keeping either."""
        return hmac.new(self.key, normalised(text).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def index(self, record: str, kind: str, text: str) -> None:
        """Put a record's text into the full-text index, in place of what stood there; with its date in words where policy says so."""
        if self.policy.recall.dates_in_index:
            text = f"{datetime.fromisoformat(self.now):%d %B %Y} {text}"
        self.database.run(
            """INSERT INTO search_rows (record, kind, search_text) VALUES (?, ?, ?)
               ON CONFLICT (record) DO UPDATE SET search_text = excluded.search_text""",
            (record, kind, search_text(text)),
        )

    def unindex(self, record: str) -> None:
        """Take a record out of the full-text index."""
        self.database.run("DELETE FROM search_rows WHERE record = ?", (record,))

    def link(self, child: str, parent: str, first: int | None = None, past: int | None = None) -> None:
        """Record that `child` was derived from `parent`; for a message, from its characters [first, past)."""
        self.database.run("INSERT OR IGNORE INTO edges (child, parent, first, past) VALUES (?, ?, ?, ?)", (child, parent, first, past))


def stamp(instant: datetime) -> str:
    """The stored form of an instant: UTC, microseconds, so that text order is time order."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds")


def normalised(text: str) -> str:
    """What makes two sentences the same: NFKC, case folded, white space and closing punctuation dropped."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(" .!…。！")
