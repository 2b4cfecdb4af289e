"""The serving side of JSON lines: `python -m memgauge.systems.child SPEC_JSON` answers requests on stdin with receipts on stdout.

Whatever the system prints goes to stderr, whether by print, from C or from a process it starts: stdout carries protocol only.
"""

from __future__ import annotations

import json
import os
import sys
from typing import BinaryIO

from memgauge.errors import MemgaugeError
from memgauge.protocol import MemorySystem, Request
from memgauge.systems.faults import describe
from memgauge.systems.load import import_attribute
from memgauge.systems.spec import SystemSpec


def serve(system: MemorySystem, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer request after request until stdin ends. An exception of the system ends the process, as it ends a case in process."""
    for line in requests:
        asked = json.loads(line)
        receipt = system.call(Request.from_json(asked))
        answers.write(json.dumps({"id": asked.get("id"), **receipt.to_json()}).encode() + b"\n")
        answers.flush()


def main(argv: list[str]) -> int:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        opener = import_attribute(argv[2] if len(argv) > 2 and argv[1] == "--opener" else "memgauge.systems.load:open_system", "opener")
        system = opener(SystemSpec.from_json(json.loads(argv[0])))
    except MemgaugeError as error:
        print(error, file=sys.stderr)  # noqa: T201 - stderr of a child is its only voice before the first request
        return error.exit_code
    try:
        serve(system, sys.stdin.buffer, answers)
    except Exception as error:  # noqa: BLE001 - the boundary of the process: the caller reads its last words
        print(describe(error), file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
