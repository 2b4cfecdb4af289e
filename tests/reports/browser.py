"""A headless Chromium that tests can ask questions: the DevTools protocol over a pair of pipes, with nothing but the standard library."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
VARIABLE = "MEMGAUGE_CHROMIUM"
"""Names the browser where it is not on the path."""

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--remote-debugging-pipe", "about:blank")  # fmt: skip
PATIENCE_S = 60.0


def found() -> str | None:
    """The program, or None where there is none."""
    return next((path for name in (os.environ.get(VARIABLE), *NAMES) if name and (path := shutil.which(name))), None)


class Page:
    """One tab. `complaints` are messages of the console and exceptions, `requests` the addresses asked for, since the page was opened."""

    def __init__(self, out: int, answers: int) -> None:
        self._out, self._answers, self._buffer, self._last = out, answers, b"", 0
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._loaded = False
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session: str | None = None
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self._send(f"{domain}.enable")

    def open(self, path: Path, *, width: int = 1280, height: int = 900, dark: bool = False, script: bool = True, media: str = "") -> Page:
        """Load a file at a width, in a colour scheme, with or without JavaScript, and wait until it stands."""
        self.complaints, self.requests, self._loaded = [], [], False
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}, {"name": "prefers-reduced-motion", "value": "reduce"}]
        self._send("Emulation.setEmulatedMedia", media=media, features=scheme)
        self._send("Emulation.setScriptExecutionDisabled", value=not script)
        self._send("Page.navigate", url="about:blank")
        self._loaded = False
        self.requests = []
        self._send("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._read(time.monotonic() + PATIENCE_S)
        self.ask("1")  # what happened at load is told before this is answered
        return self

    def ask(self, expression: str) -> Any:
        """The value of an expression. Raises AssertionError with the message where it throws."""
        found = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, code: int, *, text: str = "") -> None:
        """One key, down and up."""
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **({"text": text} if text else {}))

    def tree(self) -> list[dict[str, Any]]:
        """What a screen reader is told: the nodes that are not ignored. The browser builds the tree beside the page: it is asked until two
        answers with a whole document in them have the same size."""
        until, before = time.monotonic() + PATIENCE_S, -1
        while True:
            nodes = self._send("Accessibility.getFullAXTree")["nodes"]
            whole = nodes and not any(part["name"] == "busy" for part in nodes[0].get("properties", ()))
            if (whole and len(nodes) == before > 1) or time.monotonic() > until:
                return [node for node in nodes if not node.get("ignored")]
            before = len(nodes)
            time.sleep(0.1)

    def picture(self, path: Path, most: int = 20_000) -> None:
        """The whole page as PNG, at most so many pixels high."""
        size = self._send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], most), "scale": 1}
        shot = self._send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        wanted = self._last
        message = {"id": wanted, "method": method, "params": params} | ({"sessionId": self._session} if getattr(self, "_session", None) else {})
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self._read(until)
            if answer.get("id") == wanted:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser has ended"
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        told = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Runtime.exceptionThrown":
                self.complaints.append(str(told["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.complaints.append(str(told["args"]))
            case "Log.entryAdded":
                self.complaints.append(f"{told['entry']['level']}: {told['entry']['text']}")
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
        return message


@contextmanager
def browser(program: str, profile: Path) -> Iterator[Page]:
    """A browser with a profile of its own; it is ended afterwards."""
    to_read, to_write = os.pipe()
    answers, answers_end = os.pipe()
    above = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_read, answers_end)]  # so that 3 and 4 are free to be taken
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (1, 2)]
    ends = [(os.POSIX_SPAWN_DUP2, end, number) for end, number in zip(above, (3, 4), strict=True)]  # where the protocol is spoken
    child = os.posix_spawn(program, [program, f"--user-data-dir={profile}", *FLAGS], os.environ, file_actions=[*quiet, *ends])
    for end in (to_read, answers_end, *above):
        os.close(end)
    try:
        yield Page(to_write, answers)
    finally:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        os.close(to_write)
        os.close(answers)
