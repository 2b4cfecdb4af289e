"""A small memory server that knows nothing of memgauge: rows in one JSON file, soft deletion, and a job that purges after 30 days.

    python memory_server.py PORT FILE [FAULT]

POST /memories, GET /memories?user=&q=, DELETE /memories/ID?user=&now=, POST /purge?now=, GET /export (every row), GET /points (id and vector).
Each FAULT breaks one promise: `keeps` never purges, `orphans` leaves the points of purged rows, `buffers` acknowledges before it writes.
"""

import json
import os
import sys
import threading
import urllib.parse
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT, FILE, FAULT = int(sys.argv[1]), Path(sys.argv[2]), (*sys.argv[3:], "")[0]
ROWS = json.loads(FILE.read_text()) if FILE.exists() else []
LOCK = threading.Lock()


def save():
    if FAULT == "buffers":
        threading.Timer(2, write).start()
    else:
        write()


def write():
    draft = FILE.with_suffix(".new")
    with draft.open("w") as file:
        json.dump(ROWS, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(FILE)


def purge(now):
    due = [row for row in ROWS if row["deleted"] and datetime.fromisoformat(row["deleted"]) + timedelta(days=30) <= datetime.fromisoformat(now)]
    for row in due if FAULT != "keeps" else []:
        row["text"] = ""
        row["vector"] = row["vector"] if FAULT == "orphans" else ""
    save()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        """Nothing: a log would be one more place where user data lies."""

    def any(self):
        parts = urllib.parse.urlsplit(self.path)
        asked = dict(urllib.parse.parse_qsl(parts.query))
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        with LOCK:
            answer = json.dumps(self.answered(parts.path, asked | body)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def answered(self, path, asked):
        live = [row for row in ROWS if row["user"] == asked.get("user") and not row["deleted"]]
        if path == "/export":
            return [{"id": row["id"], "user": row["user"], "text": row["text"]} for row in ROWS]
        if path == "/points":
            return [{"id": row["id"], "vector": row["vector"]} for row in ROWS]
        if path == "/purge":
            return purge(asked["now"])
        if self.command == "POST":
            ROWS.append({"id": f"mem-{len(ROWS) + 1}", "user": asked["user"], "text": asked["text"], "deleted": "", "vector": asked["text"].lower()})
            save()
            return ROWS[-1]["id"]
        if self.command == "DELETE":
            hit = [row for row in live if row["id"] == path.rpartition("/")[2]]
            for row in hit:
                row["deleted"] = asked["now"]
            save()
            return bool(hit)
        words = set(asked.get("q", "").lower().split())
        return sorted(live, key=lambda row: -len(words & set(row["text"].lower().split())))

    do_GET = do_POST = do_DELETE = any


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
