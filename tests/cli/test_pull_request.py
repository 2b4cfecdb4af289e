"""A pull request from beginning to end in a scratch repository: a team's own memory, its scenarios, its gate, and memgauge upgraded."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MINE = '''\
"""Keeps what users say. A statement that begins like a known one replaces it."""

import json
from pathlib import Path

from memgauge.systems.simple import SimpleMemory

MOST = 5


class Mine(SimpleMemory):
    name = "mine"

    def open(self, root: Path) -> None:
        self.file = root / "mine.json"
        self.rows = json.loads(self.file.read_text()) if self.file.exists() else []

    def append(self, user: str, role: str, text: str) -> None:
        if role == "user" and not text.endswith("?"):
            self.write(user, text)

    def write(self, user: str, text: str) -> str:
        known = [row for row in self.rows if row["user"] == user and row["text"].split()[:3] == text.split()[:3]]
        for row in known:
            self.rows.remove(row)
        self.rows.append({"id": str(len(self.rows) + 1), "user": user, "text": text})
        self.file.write_text(json.dumps(self.rows))
        return self.rows[-1]["id"]

    def search(self, user: str, query: str, k: int) -> list[dict]:
        words = set(query.lower().strip("?").split())
        mine = [row for row in self.rows if row["user"] == user]
        return sorted(mine, key=lambda row: -len(words & set(row["text"].lower().split())))[:MOST]
'''
REPLACES = "        for row in known:\n            self.rows.remove(row)\n"
DROPS = '        if known:\n            return known[0]["id"]\n'
"""The change under review: what looks known already is not stored again, and two items are enough. Shorter prompts; corrections get lost."""

TOPICS = ("bike lock", "locker", "alarm", "printer", "boat shed")
GATE = """\
version: 1
rules:
  - {id: no-regressions, rule: no_regressions}
  - {id: tokens, rule: growth, measure: tokens_memory, stat: mean, rel: 0.02, abs: 1}
"""
EXPIRED = """\
exceptions:
  - {match: "FLIP", reason: corrections come later, owner: memory team, expires: 2020-01-31}
"""


def _recall(name: str, thing: str, code: str) -> str:
    return f'id: recall/{name}\nsay: ["The {thing} code is {code}.", "My favourite tea is green.", "The weather was fine."]\n' + (
        f'ask: "What is the {thing} code?"\nexpect: "{code}"\n'
    )


CHANGED = """\
id: supersession/gate-code
say: ["The gate code is 7731.", "The gate code is 4410."]
ask: "What is the gate code?"
expect: "4410"
never: "7731"
"""


class Repository:
    """The scratch repository, and memgauge typed in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.runs, self.prelude = folder, 0, ""

    def git(self, *argv: str) -> str:
        who = ("-c", "user.name=team", "-c", "user.email=team@example.org")
        return subprocess.run(["git", *who, *argv], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def type(self, *argv: str) -> tuple[int, str]:
        code = f"import sys\n{self.prelude}\nfrom memgauge.cli import run_command\nsys.exit(run_command(sys.argv[1:]))"
        done = subprocess.run([sys.executable, "-c", code, *argv], cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout + done.stderr

    def run(self) -> str:
        self.runs += 1
        folder = f"runs/{self.runs}"
        code, said = self.type("run", "--out", folder, "--arm", "on", "-j", "1", "--exit-zero")
        assert code == 0, said
        return folder

    def gate(self, run: str, *argv: str) -> tuple[int, str]:
        return self.type("gate", run, *argv)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """The main branch: memory, scenarios, gate; nothing accepted yet."""
    made = Repository(tmp_path)
    (tmp_path / "scenarios").mkdir()
    made.write("mine.py", MINE)
    made.write("memgauge.yaml", "version: 1\nsystems:\n  mine: {python: mine.py:Mine}\nsuites: [scenarios/]\n")
    made.write("gate.yaml", GATE)
    made.write(".gitignore", "runs/\n__pycache__/\n")
    made.write("scenarios/gate-code.yaml", CHANGED)
    for number, thing in enumerate(TOPICS):
        made.write(f"scenarios/s{number}.yaml", _recall(f"s{number}", thing, str(3000 + number)))
    made.git("init", "-q", "-b", "main")
    return made


def test_a_change_from_the_first_baseline_to_the_upgrade_of_memgauge(repository: Repository) -> None:
    first = repository.run()
    code, said = repository.gate(first)
    assert code == 4, said
    assert "memgauge baseline set main --reason TEXT" in said
    assert repository.type("baseline", "set", "main", first, "--reason", "the first")[0] == 0
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "accepted")

    again = repository.run()
    code, said = repository.gate(again, "--md", "comment.md")
    assert (code, "nothing since main" in said) == (0, True), said
    assert (repository.folder / "comment.md").read_text().splitlines()[1].endswith(" quiet -->"), "nobody is told that nothing changed"
    assert "FLIPS       none" in repository.type("compare", first, again)[1]

    flip = _breaks_a_correction(repository)
    _an_excuse_that_ended_excuses_nothing(repository, flip)
    repository.git("checkout", "-q", "main")
    assert repository.gate(repository.run())[0] == 0, "reverted"

    repository.write("scenarios/gate-code.yaml", CHANGED.replace("The gate code is 4410.", "The gate code is 4410 now."))
    code, said = repository.gate(repository.run())
    assert (code, "scenario edited: supersession/gate-code" in said) == (4, True), said
    repository.git("checkout", "-q", "--", "scenarios")
    _memgauge_is_upgraded(repository, first)


def _breaks_a_correction(repository: Repository) -> str:
    """Shorter prompts, one supersession case broken: 1, and the comment says which and where it was lost."""
    repository.git("checkout", "-q", "-b", "shorter-prompts")
    repository.write("mine.py", MINE.replace(REPLACES, DROPS).replace("MOST = 5", "MOST = 2"))
    repository.git("commit", "-q", "-am", "shorter prompts")
    head = repository.run()
    code, said = repository.gate(head, "--baseline", "git:main", "--md", "comment.md")
    assert code == 1, said
    assert "ok          tokens: prompts did not grow" in said
    comment = (repository.folder / "comment.md").read_text()
    assert not comment.splitlines()[1].endswith(" quiet -->")
    flips = [line.split("`")[1] for line in comment.splitlines() if line.startswith("- **regressed**")]
    assert flips
    assert {flip.split("[")[0] for flip in flips} == {"supersession/gate-code"}, "nothing else broke"
    assert "Lost at **retrievable**" in comment, "as near as can be told of a memory that cannot list what it holds"
    before, after = (
        float(number.replace(",", ""))
        for number in next(row for row in comment.splitlines() if "`tokens`" in row).split(" mean ")[1].split(" |")[0].split(" → ")
    )
    assert after < before, "tokens are better"
    return flips[0]


def _an_excuse_that_ended_excuses_nothing(repository: Repository, flip: str) -> None:
    repository.write("gate.yaml", GATE + EXPIRED.replace("FLIP", flip))
    code, said = repository.gate(f"runs/{repository.runs}")
    assert code == 1
    assert f"the excuse for {flip} ended on 2020-01-31 (memory team: corrections come later)" in said
    repository.git("checkout", "-q", "--", "gate.yaml")


def _memgauge_is_upgraded(repository: Repository, accepted: str) -> None:
    """An evaluator has a new version and five scenarios are new: 4 with the command; green after it; no other line is touched."""
    repository.prelude = (
        "import dataclasses, memgauge.checks as c\nc.CHECKS['stale'] = dataclasses.replace(c.CHECKS['stale'], version=c.CHECKS['stale'].version + 1)"
    )
    for number in range(5):
        repository.write(f"scenarios/new{number}.yaml", _recall(f"new{number}", "safe", str(5000 + number)))
    head = repository.run()
    code, said = repository.gate(head)
    assert code == 4, said
    assert "CANNOT TELL comparable: evaluator stale has version 2, the baseline 1: memgauge baseline migrate" in said
    assert repository.type("rescore", accepted, "--out", "runs/rescored")[0] == 0
    assert repository.type("baseline", "migrate", "runs/rescored")[0] == 0
    code, said = repository.gate(head)
    assert code == 0, said
    assert "15 new since main" in said, "they report and do not gate"
    changed = [line for line in repository.git("diff", "-U0", "--", "baselines").splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert [line[:11] for line in changed] == ['-{"checks":', '+{"checks":'], "one line of versions, and no check"
    shutil.rmtree(repository.folder / "runs")
