"""A small HTTP memory, and the adapter that puts it under test. Both are examples: the server knows nothing of memgauge.

The server keeps texts of users in one JSON file: POST /memories, GET /memories?user=&q=, PUT and DELETE /memories/ID?user=.
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from memgauge.protocol import Manifest, Receipt, Request, unsupported


class MemoryServer(ThreadingHTTPServer):
    """Serves one JSON file on a free loopback port."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.path = path
        self.lock = threading.Lock()
        self.rows: list[dict[str, str]] = json.loads(path.read_text()) if path.exists() else []
        self.next_id = 1 + max((int(row["id"]) for row in self.rows), default=0)

    def save(self) -> None:
        self.path.write_text(json.dumps(self.rows))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """The four routes."""

    server: MemoryServer

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a log would be one more place where user data lies."""

    def answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self) -> None:
        parts = urllib.parse.urlsplit(self.path)
        asked = dict(urllib.parse.parse_qsl(parts.query))
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        user, row_id = body.get("user", asked.get("user", "")), parts.path.removeprefix("/memories").strip("/")
        if not user:
            return self.answer(400, {"error": "user is missing"})
        with self.server.lock:
            mine = [row for row in self.server.rows if row["user"] == user]
            if self.command == "GET":
                words = set(asked.get("q", "").casefold().split())
                scored = [(len(words & set(row["text"].casefold().split())), row) for row in mine]
                hits = sorted((pair for pair in scored if pair[0] or not words), key=lambda pair: -pair[0])
                return self.answer(200, {"memories": [row for _, row in hits]})
            if self.command == "POST":
                row = {"id": str(self.server.next_id), "user": user, "text": body["text"]}
                self.server.next_id += 1
                self.server.rows.append(row)
            else:
                found = [row for row in mine if row["id"] == row_id]
                if not found:
                    return self.answer(404, {"error": "no such memory"})
                row = found[0]
                if self.command == "DELETE":
                    self.server.rows.remove(row)
                else:
                    row["text"] = body["text"]
            self.server.save()
        return self.answer(200, row)

    do_GET = do_POST = do_PUT = do_DELETE = handle_any


class HttpMemory:
    """The adapter: seven verbs of the protocol on four routes."""

    def __init__(self) -> None:
        self.server: MemoryServer | None = None

    def call(self, request: Request) -> Receipt:
        verb = getattr(self, f"do_{request.op}", None)
        if verb is None:
            return unsupported(request.op)
        receipt: Receipt = verb(request)
        return receipt

    def do_describe(self, request: Request) -> Receipt:
        native = ("open", "close", "append", "remember", "correct", "forget", "list", "recall")
        manifest = Manifest(
            name="http-memory",
            verbs=dict.fromkeys(native, "native"),
            scope={"user": "enforced", "tenant": "convention", "project": "none", "agent": "none", "thread": "none"},
            threads=True,
            durable=True,
        )
        return Receipt(status="ok", data={"manifest": manifest.to_json()})

    def do_open(self, request: Request) -> Receipt:
        self.server = MemoryServer(Path(request.args["root"]) / "memories.json")
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return Receipt(status="ok")

    def do_close(self, request: Request) -> Receipt:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
        return Receipt(status="ok")

    def do_remember(self, request: Request) -> Receipt:
        if bent := sorted(set(request.args) & {"expires_at", "agents"}):
            return Receipt(status="unsupported", reason=f"cannot honour {', '.join(bent)}")
        return self.write("POST", "", request)

    def do_append(self, request: Request) -> Receipt:
        """Keeps what the user says, word for word; this memory has no threads and no use for other roles."""
        if request.args.get("private"):
            return Receipt(status="unsupported", reason="no private threads")
        return self.write("POST", "", request) if request.args["role"] == "user" else Receipt(status="ok")

    def do_correct(self, request: Request) -> Receipt:
        if "id" not in request.args:
            return Receipt(status="unsupported", reason="corrects by id only")
        return self.write("PUT", request.args["id"], request)

    def do_forget(self, request: Request) -> Receipt:
        if "id" not in request.args:
            return Receipt(status="unsupported", reason="forgets by id only")
        return self.write("DELETE", request.args["id"], request)

    def do_list(self, request: Request) -> Receipt:
        if request.args.get("kind", "facts") not in ("facts", "all"):
            return Receipt(status="unsupported", reason=f"no {request.args['kind']} here")
        return self.read(request, "", request.args.get("limit"))

    def do_recall(self, request: Request) -> Receipt:
        if not request.args["query"].split():
            return Receipt(status="ok", data={"items": []})
        return self.read(request, request.args["query"], request.args.get("k", 5))

    def read(self, request: Request, query: str, limit: int | None) -> Receipt:
        status, body = self.send("GET", "", request, {"q": query})
        if status != 200:
            return Receipt(status="refused", reason=body["error"])
        return Receipt(status="ok", data={"items": [{"id": row["id"], "kind": "fact", "text": row["text"]} for row in body["memories"]][:limit]})

    def write(self, method: str, row_id: str, request: Request) -> Receipt:
        status, body = self.send(method, row_id, request, {}, request.args.get("text"))
        if status == 200:
            return Receipt(status="ok", ids=(body["id"],))
        return Receipt(status="refused", reason=body["error"])

    def send(self, method: str, row_id: str, request: Request, asked: dict[str, str], text: str | None = None) -> tuple[int, Any]:
        """One request to the server: its status and its JSON. Two tenants are two prefixes of the user: a convention."""
        assert self.server is not None
        user = request.scope.user and f"{request.scope.tenant}/{request.scope.user}"
        query = urllib.parse.urlencode({"user": user, **asked})
        body = None if text is None else json.dumps({"user": user, "text": text}).encode()
        url = f"{self.server.url}/memories/{urllib.parse.quote(row_id, safe='')}?{query}"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data=body, method=method), timeout=10) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())
