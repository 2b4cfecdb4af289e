"""The file with which a user's own memory starts: at most 40 lines, three functions to fill. It works as it is, on one file of JSON lines."""

from __future__ import annotations

import json
from dataclasses import dataclass

from memgauge.errors import InputError, nearest

KINDS = ("python", "command")

_PYTHON = '''\
"""NAME as a system under test. Fill in write, search and delete; more functions unlock more checks."""

import json
from pathlib import Path

from memgauge.systems.simple import SimpleMemory


class CLASS(SimpleMemory):
    name = "NAME"

    def open(self, root: Path) -> None:
        """`root` is an empty folder of this run; the same folder again must continue."""
        self.file = root / "NAME.json"
        self.rows = json.loads(self.file.read_text()) if self.file.exists() else []

    def write(self, user: str, text: str) -> str:
        """Store one statement of the user; return its id."""
        self.rows.append({"id": str(len(self.rows) + 1), "user": user, "text": text})
        self.file.write_text(json.dumps(self.rows))
        return self.rows[-1]["id"]

    def search(self, user: str, query: str, k: int) -> list[dict]:
        """The k best records of this user for a question, best first: dicts with text, and id and score where known."""
        words = set(query.lower().split())
        mine = [row for row in self.rows if row["user"] == user and row["text"]]
        return sorted(mine, key=lambda row: -len(words & set(row["text"].lower().split())))[:k]

    def delete(self, user: str, id: str) -> bool:
        """Forget one record of this user; False when there is none."""
        hit = [row for row in self.rows if row["user"] == user and row["id"] == id and row["text"]]
        for row in hit:
            row["text"] = ""
        self.file.write_text(json.dumps(self.rows))
        return bool(hit)
'''

_COMMAND = '''\
"""NAME as a system under test: JSON lines on stdin and stdout, so it can be written in any language. Log to stderr only."""
import json
import sys
from pathlib import Path

MANIFEST = {"name": "NAME", "durable": True, "verbs": dict.fromkeys(["remember", "recall", "forget"], "native")}
MANIFEST["scope"] = {"user": "enforced", **dict.fromkeys(["tenant", "agent", "project", "task"], "none")}  # what it keeps apart
rows, file = [], None


def write(user, text, **more):
    if more.keys() & {"expires_at", "agents", "reach", "sensitivity"}:
        return {"status": "unsupported", "reason": "it keeps to no limits"}
    rows.append({"id": str(len(rows) + 1), "user": user, "text": text})
    return {"status": "ok", "ids": [rows[-1]["id"]]}


def search(user, query, k=5, **more):
    words, mine = set(query.lower().split()), [r for r in rows if r["user"] == user and r["text"]]
    mine.sort(key=lambda r: -len(words & set(r["text"].lower().split())))
    return {"status": "ok", "data": {"items": [{"id": r["id"], "kind": "fact", "text": r["text"]} for r in mine[:k]]}}


def delete(user, id=None, **more):
    hit = [r for r in rows if r["user"] == user and r["id"] == id and r["text"]]
    rows[:] = [{**r, "text": ""} if r in hit else r for r in rows]
    return {"status": "ok" if hit else "refused", "ids": [r["id"] for r in hit]}


for line in sys.stdin:  # one request a line: {"id", "op", "now", "scope", "args"}; one answer a line, with the same id
    asked = json.loads(line)
    op, user, args = asked["op"], asked["scope"].get("user", ""), asked["args"]
    answer = {"status": "ok", "data": {"manifest": MANIFEST} if op == "describe" else {}}
    if op == "open":
        file = Path(args["root"]) / "NAME.json"
        rows[:] = json.loads(file.read_text()) if file.exists() else []
    elif op not in ("describe", "close"):
        answer = {"remember": write, "recall": search, "forget": delete}[op](user, **args)
        file.write_text(json.dumps(rows))
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
'''


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A new file: its name, its text, and the line of the project file that names the system (YAML, in flow style)."""

    file: str
    text: str
    entry: str


def scaffold(name: str, like: str) -> Scaffold:
    """The starting file of a system. Raises InputError for a name that cannot be a module, or an unknown kind."""
    if like not in KINDS:
        raise InputError(f"unknown kind {like!r}", where="--like", hint=nearest(like, KINDS))
    module = name.replace("-", "_")
    if not module.isidentifier() or not module.isascii():
        raise InputError(f"{name!r} cannot be the name of a system", hint="letters, digits, - and _, as in my-memory")
    file = f"{module}.py"
    kind = "".join(part.capitalize() for part in module.split("_")) or "Memory"
    text = (_PYTHON if like == "python" else _COMMAND).replace("NAME", name).replace("CLASS", kind)
    entry = f'{{python: "{file}:{kind}"}}' if like == "python" else f'{{command: ["python", {json.dumps(file)}]}}'
    return Scaffold(file, text, entry)
