"""Memories that mark what is deleted and purge it later, each with its own idea of later."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from memgauge.clock import parse_instant
from memgauge.systems.simple import SimpleMemory

FAR = parse_instant("2026-03-02T09:00:00+00:00")


class Purging(SimpleMemory):
    """States 30 days and keeps to them."""

    erase_within = "P30D"
    days = 30

    def open(self, root: Path) -> None:
        self.file = root / "rows.json"
        self.rows: list[dict[str, Any]] = json.loads(self.file.read_text()) if self.file.exists() else []

    def write(self, user: str, text: str) -> str:
        self.rows.append({"id": f"row-{len(self.rows)}", "user": user, "text": text, "deleted": ""})
        self.save()
        return str(self.rows[-1]["id"])

    def search(self, user: str, query: str, k: int, now: datetime) -> list[dict[str, Any]]:
        return self.live(user, now)[:k]

    def delete(self, user: str, id: str, now: datetime) -> None:
        for row in self.rows:
            if row["id"] == id:
                row["deleted"] = now.isoformat()
        self.save()

    def purge(self, user: str, now: datetime) -> None:
        self.rows = [row for row in self.rows if not self.is_due(row, now)]
        self.save()

    def is_due(self, row: dict[str, Any], now: datetime) -> bool:
        return bool(row["deleted"]) and parse_instant(row["deleted"]) + timedelta(days=self.days) <= now

    def live(self, user: str, now: datetime) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["user"] == user and not row["deleted"]]

    def save(self) -> None:
        self.file.write_text(json.dumps(self.rows))


class Never(Purging):
    """States 30 days; its job does nothing."""

    def purge(self, user: str, now: datetime) -> None:
        return


class Late(Purging):
    """States 30 days and takes 31."""

    days = 31


class Silent(Purging):
    """Purges after 30 days and states nothing."""

    erase_within = ""


class Jobless(Purging):
    """States 30 days and has no job."""

    purge = None  # type: ignore[assignment]


class Timeless(Jobless):
    """States 30 days and takes no clock, so that it could say that it cannot know."""

    def search(self, user: str, query: str, k: int) -> list[dict[str, Any]]:  # type: ignore[override]
        return self.live(user, FAR)[:k]

    def delete(self, user: str, id: str) -> None:  # type: ignore[override]
        Purging.delete(self, user, id, FAR)


class Showing(Purging):
    """Shows what is deleted until it is purged."""

    def live(self, user: str, now: datetime) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["user"] == user and not self.is_due(row, now)]


class Allowed(Showing):
    """Says that it does."""

    erase_within: ClassVar = {"api": "P30D", "bytes": "P30D"}


class Staged(Showing):
    """Answers for a day longer, bytes for thirty."""

    erase_within: ClassVar = {"api": "P1D", "bytes": "P30D"}

    def live(self, user: str, now: datetime) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["user"] == user and (not row["deleted"] or parse_instant(row["deleted"]) + timedelta(days=1) > now)]


class Pointing(Purging):
    """Erases at once; its vectors stand in a file of their own, by the id of their row and without its text."""

    erase_within = ""
    orphans = False

    def write(self, user: str, text: str) -> str:
        row = super().write(user, text)
        self.point()
        return row

    def delete(self, user: str, id: str, now: datetime) -> None:
        self.rows = [row for row in self.rows if row["id"] != id]
        self.save()
        if not self.orphans:
            self.point()

    def point(self) -> None:
        ids = [row["id"] for row in self.rows]
        self.file.with_name("points.json").write_text(json.dumps([{"id": i, "vector": [0.25, 0.5]} for i in ids]))


class Orphaning(Pointing):
    """Leaves the vector of a row it has erased."""

    orphans = True
