"""Toy memories that break in one way each, when the text they are given says so."""

from __future__ import annotations

import os
import signal
import time

from memgauge.protocol import Receipt, Request
from tests.toy_memory import ToyMemory


class Faulty(ToyMemory):
    """Breaks in the way that a text names: `hang`, `exit`, `exit-0`, `kill`, `raise`, `leave`, `nonsense`; `raise-on-close` breaks later."""

    late = False

    def call(self, request: Request) -> Receipt:
        text = str(request.args.get("text", ""))
        if "raise-on-close" in text:
            self.late = True
        elif request.op == "context" and "hang" in text:
            time.sleep(600)
        elif request.op == "append" and "exit-0" in text:
            os._exit(0)
        elif request.op == "append" and "exit" in text:
            os._exit(7)
        elif request.op == "append" and "kill" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        elif request.op == "append" and "raise" in text:
            raise ValueError("this text is not to my taste")
        elif request.op == "append" and "leave" in text:
            raise SystemExit(3)
        elif request.op == "append" and "nonsense" in text:
            return {"status": "ok"}  # type: ignore[return-value]
        if request.op == "close" and self.late:
            raise RuntimeError("cannot let go")
        return super().call(request)
