"""`noise` as it is typed: an exact memory flips nowhere; one that loses what it hears by chance does, and the gate then refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

FLAKY = '''\
import random
from memgauge.protocol import Manifest, Receipt, unsupported

class Liar:
    """Forgets by chance what it was told."""

    determinism = "exact"

    def call(self, request):
        if request.op == "describe":
            told = Manifest(name="flaky", verbs={"append": "native", "recall": "native"}, scope={"user": "enforced"}, determinism=self.determinism)
            return Receipt(status="ok", data={"manifest": told.to_json()})
        if request.op == "open":
            self.told = []
        if request.op == "append" and random.SystemRandom().random() < 0.5:
            self.told.append(request.args["text"])
        if request.op == "recall":
            return Receipt(status="ok", data={"items": [{"id": str(n), "kind": "fact", "text": text} for n, text in enumerate(self.told)]})
        return Receipt(status="ok") if request.op in ("open", "close", "append") else unsupported(request.op)


class Flaky(Liar):
    """The same, and says so."""

    determinism = "stochastic"
'''
SCENARIO = 'id: recall/code\nsay: ["The gate code is 7731."]\nask: "What is the gate code?"\nexpect: "7731"\n'


@pytest.fixture
def flaky(tmp_path: Path) -> Path:
    (tmp_path / "flaky.py").write_text(FLAKY)
    (tmp_path / "code.yaml").write_text(SCENARIO)
    (tmp_path / "memgauge.yaml").write_text("version: 1\nsuites: [code.yaml]\nsystems:\n  flaky: {python: flaky.py:Flaky}\n")
    return tmp_path


def test_the_floor_is_measured_written_and_held_against_the_gate(shell: Shell, flaky: Path) -> None:
    (flaky / "gate.yaml").write_text("version: 1\nbaseline: {required: false}\nrules: [{id: enough, rule: floor, kind: sufficient, min: 1}]\n")
    done = shell("noise", "--repeats", "14", "--out", "aa", "--json", cwd=flaky)
    assert done.returncode == 0, done.stderr
    told = json.loads((flaky / "baselines" / "flaky.noise.json").read_text())
    assert 0 < told["flips"] <= told["checks"]
    assert told["flipping"]
    assert shell("run", "--out", "one", "--arm", "on", cwd=flaky).returncode in (0, 1)
    gated = shell("gate", "one", cwd=flaky)
    assert "noise floor of flaky" in gated.stdout, gated.stderr
    assert (gated.returncode, "tighter than the noise floor" in gated.stdout) == (4, True)


def test_a_memory_that_says_it_is_exact_and_is_not_is_code_3(shell: Shell, flaky: Path) -> None:
    done = shell("noise", "flaky.py:Liar", "--repeats", "14", "--out", "aa", cwd=flaky)
    assert (done.returncode, "is exact, and is not" in done.stdout) == (3, True), done.stderr


def test_an_exact_memory_has_no_noise(shell: Shell, tmp_path: Path) -> None:
    done = shell("noise", "embed-all", "--class", "leak", "--repeats", "2", "--out", "aa", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "baselines" / "embed-all.noise.json").read_text())["flips"] == 0
