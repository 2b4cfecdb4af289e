"""`embed-all`: every message and every remembered text becomes a vector; the nearest go into the prompt. What many first memories are.

The embedder is a stand-in that needs no model and no network: hashed byte n-grams (3 to 5) of the folded text, signed, damped
by a square root, of length one. It knows spelling, not meaning. Its name and size stand in the manifest.
"""

from __future__ import annotations

import functools
import json
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memgauge.protocol import Manifest, Receipt, Request, Support
from memgauge.records import Scope
from memgauge.systems.block import fit
from memgauge.systems.conversation import Budget, Conversation, Json, recent, replace_lines
from memgauge.systems.off import Off

DIMENSIONS = 1024
NGRAMS = (3, 4, 5)
SHARE = 0.4
"""Share of the rest of the budget that recalled items may take, as in the reference."""

Vector = npt.NDArray[np.float32]
_PRIME = np.uint64(1099511628211)
_VERBS: dict[str, Support] = dict.fromkeys(
    ("append", "append_many", "remember", "correct", "forget", "forget_all", "list", "recall", "context"), "native"
)  # fmt: skip


@functools.lru_cache(maxsize=4096)
def embed(text: str) -> Vector:
    """The vector of a text: `DIMENSIONS` floats of length one, or zeros for a text too short for any n-gram."""
    folded = f" {' '.join(unicodedata.normalize('NFKC', text).casefold().split())} ".encode("utf-8", "surrogatepass")
    codes = np.frombuffer(folded, dtype=np.uint8).astype(np.uint64)
    vector = np.zeros(DIMENSIONS)
    for size in NGRAMS:
        if len(codes) >= size:
            hashes = np.full(len(codes) - size + 1, size, dtype=np.uint64)
            for at in range(size):
                hashes = (hashes ^ codes[at : len(codes) - size + 1 + at]) * _PRIME
            signs = 1.0 - 2.0 * ((hashes >> np.uint64(40)) & np.uint64(1)).astype(np.float64)
            vector += np.bincount((hashes >> np.uint64(20)) % np.uint64(DIMENSIONS), weights=signs, minlength=DIMENSIONS)
    damped = np.sign(vector) * np.sqrt(np.abs(vector))
    length = float(np.linalg.norm(damped))
    return (damped / length if length else damped).astype(np.float32)


class EmbedAll(Off):
    """Rows {id, text, kind, message_id, thread} per (tenant, user) in `rows.jsonl`; nothing is ever judged, merged or aged."""

    manifest = Manifest(
        name="embed-all", versions={"embedder": f"hashed byte n-grams {NGRAMS[0]}-{NGRAMS[-1]}, {DIMENSIONS} dimensions"}, verbs=_VERBS,
        scope={"tenant": "enforced", "user": "enforced", "thread": "none", "project": "none", "agent": "none"}, clock="argument", durable=True,
    )  # fmt: skip

    def opened(self, root: Path) -> None:
        self._path = root / "rows.jsonl"
        self._rows: list[Json] = []
        if self._path.exists():
            self._rows = [json.loads(line) for line in self._path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]

    def answer(self, request: Request, log: Conversation) -> Receipt:
        match request.op:
            case "append" | "append_many":
                messages = [request.args] if request.op == "append" else request.args["messages"]
                known = {row["message_id"] for row in self._of(request.scope)}
                rows = [self._row(request.scope, m["text"], "message", m["message_id"]) for m in messages if m["message_id"] not in known]
                super().answer(request, log)
                self._store(rows)
                return Receipt(status="ok", ids=tuple(row["id"] for row in rows) if request.op == "append" else ())
            case "remember":
                row = self._row(request.scope, request.args["text"], "fact", request.args.get("message_id"))
                self._store([row])
                return Receipt(status="ok", ids=(row["id"],))
            case "correct" | "forget" | "forget_all":
                return self._change(request, log)
            case "list":
                kind = request.args.get("kind", "facts")
                shown = [row for row in self._of(request.scope) if kind in ("facts", "all") or kind == f"{row['kind']}s"]
                first = int(request.args.get("offset", 0))
                return Receipt(status="ok", data={"items": [_item(row) for row in shown[first:][: request.args.get("limit")]]})
            case "recall":
                return Receipt(status="ok", data={"items": self._nearest(request.scope, request.args["query"], int(request.args.get("k", 5)))})
        return super().answer(request, log)

    def context(self, request: Request, log: Conversation) -> Receipt:
        budget = Budget(request)
        if (refusal := budget.refusal()) is not None:
            return refusal
        here = {m["message_id"] for m in log.thread(request.scope)}
        nearest = self._nearest(request.scope, request.args["text"], int(request.args.get("k", 5)), without=here)
        block = fit(nearest, budget, SHARE, "remembered")
        window = recent(log.thread(request.scope), budget, block.tokens)
        return budget.prompt([*block.messages, *window], block.items, block.left_out)

    def _nearest(self, scope: Scope, query: str, k: int, without: Iterable[str] = ()) -> list[Json]:
        """The k rows of the user nearest to the query by cosine, best first; equals in order of writing."""
        out = set(without)
        rows = [row for row in self._of(scope) if row["message_id"] not in out]
        if not rows:
            return []
        scores = np.stack([embed(row["text"]) for row in rows]) @ embed(query)
        best = np.argsort(-scores, kind="stable")[:k]
        return [{**_item(rows[i]), "score": round(float(scores[i]), 4)} for i in best]

    def _change(self, request: Request, log: Conversation) -> Receipt:
        args = request.args
        mine = self._of(request.scope)
        if request.op == "forget_all":
            hit = mine
        elif "query" in args and "id" not in args:
            words = args["query"].casefold().split()
            hit = [row for row in mine if all(word in row["text"].casefold() for word in words)]
        else:
            key, value = ("id", args["id"]) if "id" in args else ("message_id", args.get("message_id"))
            hit = [row for row in mine if value is not None and row[key] == value]
        if request.op != "forget_all" and (not hit or (len(hit) > 1 and "query" in args)):
            return Receipt(status="refused", reason=f"{len(hit)} records match, one is needed")
        if request.op == "correct":
            self._rows = [{**row, "text": args["text"]} if row in hit else row for row in self._rows]
        else:
            self._rows = [row for row in self._rows if row not in hit]
            log.remove(request.scope, None if request.op == "forget_all" else {row["message_id"] for row in hit if row["message_id"]})
        replace_lines(self._path, self._rows)
        return Receipt(status="ok", ids=tuple(row["id"] for row in hit))

    def _of(self, scope: Scope) -> list[Json]:
        return [row for row in self._rows if (row["tenant"], row["user"]) == (scope.tenant, scope.user)]

    def _row(self, scope: Scope, text: str, kind: str, message: Any) -> Json:
        self._last = getattr(self, "_last", max((int(row["id"].removeprefix("row-")) for row in self._rows), default=0)) + 1
        return {"id": f"row-{self._last}", "tenant": scope.tenant, "user": scope.user, "text": text, "kind": kind, "message_id": message}

    def _store(self, rows: list[Json]) -> None:
        self._rows += rows
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


def _item(row: Json) -> Json:
    return {"id": row["id"], "kind": row["kind"], "text": row["text"], "source_ids": [row["message_id"]] if row["message_id"] else []}
