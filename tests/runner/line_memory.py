"""A memory of one file that stands alone: JSON lines in and out, nothing of memgauge in it. `python line_memory.py HOW`, where HOW is

safe     a note is acknowledged when its line is in the file and synced
behind   notes are acknowledged at once and written when the memory is closed
helped   notes are acknowledged at once and written a tenth of a second later, by a helper in a session of its own
torn     half of a line is written, and the rest a moment later
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HOW = sys.argv[1]
VERBS = {"note_add": "native", "list": "native"}
MANIFEST = {"name": HOW, "verbs": VERBS, "scope": {"user": "enforced"}, "clock": "argument", "durable": True}
LATE = "import sys, time; time.sleep(0.1); open(sys.argv[1], 'a').write(sys.argv[2])"


class LineMemory:
    def __init__(self) -> None:
        self.path = Path()
        self.waiting: list[str] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        args = request["args"]
        match request["op"]:
            case "describe":
                return {"status": "ok", "data": {"manifest": MANIFEST}}
            case "open":
                self.path = Path(args["root"]) / "notes.txt"
            case "note_add":
                self.keep(json.dumps(args["text"]) + "\n")
            case "list":
                time.sleep(1.0 if HOW == "helped" else 0.0)  # whoever survived the kill is done by now
                notes = self.path.read_text().splitlines() if self.path.exists() else []
                items = [{"id": f"n{n}", "kind": "note", "text": note.strip('"')} for n, note in enumerate(notes)]
                return {"status": "ok", "data": {"items": items}}
            case "close":
                for line in self.waiting:
                    self.write(line)
            case _:
                return {"status": "unsupported"}
        return {"status": "ok"}

    def keep(self, line: str) -> None:
        if HOW == "behind":
            self.waiting.append(line)
        elif HOW == "helped":
            subprocess.Popen([sys.executable, "-c", LATE, str(self.path), line], start_new_session=True)
        elif HOW == "torn":
            self.write(line[:15])
            time.sleep(0.05)
            self.write(line[15:])
        else:
            self.write(line)

    def write(self, text: str) -> None:
        with self.path.open("a") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


memory = LineMemory()
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **memory.answer(request)}), flush=True)
    if request["op"] == "close":
        break
