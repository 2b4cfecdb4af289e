"""A chat model on loopback that answers what the test wrote down, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Script:
    """`answers`: what is answered, in turn, the last one for ever: a dict (the JSON object of the model), a text, or an HTTP status.
    `asked`: the bodies that came; `keys`: their Authorization. `wait` and `drip`: seconds before an answer and between its bytes."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any] | str | int] = [{}]
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.wait = 0.0
        self.drip = 0.0
        self.usage: dict[str, int] | None = {"total_tokens": 50}
        self.url = ""

    def next(self) -> dict[str, Any] | str | int:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def material(self, n: int = -1) -> list[dict[str, str]]:
        """What the n-th question showed the model."""
        return [json.loads(line) for line in self.asked[n]["messages"][1]["content"].splitlines()]


@contextmanager
def scripted() -> Iterator[Script]:
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            script.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            script.keys.append(self.headers["Authorization"])
            answer = script.next()
            time.sleep(script.wait)
            if isinstance(answer, int):
                self.send_response(answer)
                self.send_header("Location", f"{script.url}/elsewhere")
                self.end_headers()
                return
            text = answer if isinstance(answer, str) else json.dumps(answer)
            body = json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": script.usage}).encode()
            self.send_response(200)
            self.end_headers()
            try:
                for n in range(0, len(body), 1 if script.drip else len(body)):
                    self.wfile.write(body[n : n + (1 if script.drip else len(body))])
                    time.sleep(script.drip)
            except OSError:
                pass  # the client had enough

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
