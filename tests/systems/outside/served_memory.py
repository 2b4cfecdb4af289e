"""The adapter of a memory that runs behind a server of its own, in five short functions. `config` in memgauge.yaml says where it listens."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from datetime import datetime
from typing import Any

from memgauge.systems.simple import SimpleMemory


class Served(SimpleMemory):
    name = "served"

    def open(self, config: dict[str, Any]) -> None:
        self.url = config["url"]

    def write(self, user: str, text: str) -> Any:
        return self.send("POST", "/memories", user=user, text=text)

    def search(self, user: str, query: str, k: int) -> Any:
        return self.send("GET", "/memories", user=user, q=query)[:k]

    def list(self, user: str) -> Any:
        return self.send("GET", "/memories", user=user)

    def delete(self, user: str, id: str, now: datetime) -> Any:
        return self.send("DELETE", f"/memories/{id}", user=user, now=now.isoformat())

    def send(self, method: str, path: str, **asked: str) -> Any:
        request = urllib.request.Request(f"{self.url}{path}?{urllib.parse.urlencode(asked)}", method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())
