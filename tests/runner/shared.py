"""Toy memories that several may use at once: one that keeps every write, one that loses some, one that tears its file."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

from memgauge.protocol import Receipt, Request
from tests.toy_memory import ToyMemory


class Safe(ToyMemory):
    """One appended line a write, so that threads and processes may share the file."""

    manifest = replace(ToyMemory.manifest, name="safe", threads=True, processes=True)
    lock = threading.Lock()

    def remember(self, request: Request) -> Receipt:
        assert self.path is not None
        with self.lock, self.path.with_suffix(".lines").open("a") as file:
            file.write(json.dumps({"owner": self.owner(request), "text": request.args["text"]}) + "\n")
        return Receipt(status="ok")

    def save(self) -> None:
        return

    def facts(self, request: Request) -> list[dict[str, object]]:
        assert self.path is not None
        lines = self.path.with_suffix(".lines")
        rows = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
        return [{"id": f"line-{n}", **row} for n, row in enumerate(rows, 1) if row["owner"] == self.owner(request)]


class Losing(ToyMemory):
    """Claims to be safe and writes the whole file over what others wrote."""

    manifest = replace(ToyMemory.manifest, name="losing", threads=True, processes=True)


class Torn(ToyMemory):
    """Writes its file in place and slowly, so that a kill leaves half of it."""

    manifest = replace(ToyMemory.manifest, name="torn", processes=True)

    def save(self) -> None:
        assert self.path is not None
        whole = json.dumps(self.state)
        with self.path.open("w") as file:
            file.write(whole[: len(whole) // 2])
            file.flush()
            os.fsync(file.fileno())
            time.sleep(0.05)
            file.write(whole[len(whole) // 2 :])


class Stuck(ToyMemory):
    """Cannot read its own file."""

    def call(self, request: Request) -> Receipt:
        if request.op == "open" and (Path(request.args["root"]) / "toy.json").exists():
            raise ValueError(f"{request.args['root']}/toy.json is damaged")
        return super().call(request)
