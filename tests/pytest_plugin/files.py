"""Files of a project that uses the plugin."""

from __future__ import annotations

from pathlib import Path

import pytest

CODE = 'id: incident/code\ntags: [quick]\nsay: ["The gate code is 7731."]\nask: "What is the gate code?"\nexpect: "7731"\n'
ADDRESS = """\
id: incident/address
say: ["I live in Ghent.", "I moved to Lyon."]
ask: "Where do I live now?"
expect: "Lyon"
never: "Ghent"
"""
PLAIN = "def test_plain():\n    pass\n"
BROKEN = """\
import os, sys, time
from memgauge.protocol import Manifest, Receipt, unsupported

class Broken:
    '''Hangs on one city, dies on a code, and is a memory of no use otherwise.'''

    def call(self, request):
        if request.op == "describe":
            told = Manifest(name="broken", verbs={"append": "native", "context": "native"}, scope={"user": "enforced"})
            return Receipt(status="ok", data={"manifest": told.to_json()})
        if request.op == "append":
            if "Ghent" in request.args["text"]:
                time.sleep(600)
            if "7731" in request.args["text"]:
                os._exit(0)
        if request.op == "context":
            return Receipt(status="ok", data={"items": [], "messages": [{"role": "user", "content": request.args["text"]}]})
        return Receipt(status="ok") if request.op in ("open", "close", "append", "end_turn") else unsupported(request.op)
"""


def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with one scenario and one ordinary test; only plugins that are named are loaded."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    pytester.makefile(".mem.yaml", code=CODE)
    pytester.makepyfile(test_plain=PLAIN)
    return pytester


def session(project: pytest.Pytester, *argv: str) -> pytest.RunResult:
    """One session of pytest with the plugin, in a process of its own."""
    return project.runpytest_subprocess("-p", "memgauge.pytest_plugin", *argv)


def split(project: pytest.Pytester, *argv: str) -> pytest.RunResult:
    """The same in two workers."""
    return session(project, "-p", "xdist.plugin", "-n", "2", *argv)
