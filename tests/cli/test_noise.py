"""`noise` as it is typed: an exact memory flips nowhere; one that loses what it hears by chance does, and the gate then refuses."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Shell

FLAKY = '''\
import random
from memgauge.protocol import Receipt
from memgauge.systems.reference import ReferenceSystem

class Flaky(ReferenceSystem):
    """Loses every other message by chance."""

    def call(self, request):
        if request.op == "append" and random.SystemRandom().random() < 0.5:
            return Receipt(status="ok")
        return super().call(request)
'''


def test_the_floor_is_measured_written_and_held_against_the_gate(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "flaky.py").write_text(FLAKY)
    (tmp_path / "memgauge.yaml").write_text("version: 1\nsystems:\n  flaky: {python: flaky.py:Flaky}\n")
    (tmp_path / "gate.yaml").write_text("version: 1\nbaseline: {required: false}\nrules: [{id: enough, rule: floor, kind: sufficient, min: 1}]\n")
    done = shell("noise", "--class", "recall", "--repeats", "6", "--out", "aa", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "baselines" / "flaky.noise.json").read_text())
    assert 0 < told["flips"] <= told["checks"]
    assert told["flipping"]
    assert shell("run", "--class", "recall", "--out", "one", cwd=tmp_path).returncode in (0, 1)
    gated = shell("gate", "one", cwd=tmp_path)
    assert "noise floor of flaky" in gated.stdout, gated.stderr
    assert gated.returncode in (1, 4)


def test_an_exact_memory_has_no_noise(shell: Shell, tmp_path: Path) -> None:
    done = shell("noise", "reference", "--class", "leak", "--repeats", "2", "--out", "aa", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "baselines" / "reference.noise.json").read_text())["flips"] == 0
