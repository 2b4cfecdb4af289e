"""Private content from beginning to end: one word in title, message, fact, filler, user, system error, traceback and whatever the system
prints, and every output of every command looked through in every encoding, with what a kill and a second sitting leave behind."""

from __future__ import annotations

import base64
import gzip
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from memgauge.cli import run_command

MARKER = "Quillfeather"

MINE = '''
import sys, time, traceback, warnings
from memgauge.systems.simple import SimpleMemory

class Mine(SimpleMemory):
    """Says aloud all that it is told, and cannot keep an alarm code."""

    name = "mine"
    def open(self, root): self.rows = []
    def write(self, user, text):
        time.sleep(0.05)
        print(text, user, file=sys.stderr); warnings.warn(text)
        if "alarm" in text:
            try:
                raise KeyError(text)
            except KeyError:
                traceback.print_exc()
                raise ValueError(f"cannot keep {text!r} of {user}")
        self.rows.append((user, text))
        return str(len(self.rows))
    def search(self, user, query, k):
        print("searched", query, file=sys.stderr)
        return [text for owner, text in self.rows if owner == user][:k]
'''
PLAIN = f"""\
id: incident/plain
title: What {MARKER} saw
content: private
say: ["The locker code is {MARKER}.", "My tea is green."]
ask: "What is the locker code?"
expect: "{MARKER}"
"""
LONG = f"""\
id: incident/long
title: About {MARKER}
content: private
facts:
  code: {{anchors: ["{MARKER}"], like: ["The boat code is {MARKER}."], unlike: ["The boat code is none."]}}
  other: {{anchors: ["harbour seven"], like: ["The boat lies in harbour seven."], unlike: ["The boat lies elsewhere."]}}
actors: {{zed: {{user: "{MARKER}"}}}}
steps:
  - filler: {{messages: 6, topics: [garden], near: ["The {MARKER}ing took all day."]}}
  - {{say: "The boat code is {MARKER}.", as: zed, tells: [code]}}
  - {{ask: "What is the boat code?", as: zed, thread: t2, needs: [code]}}
  - {{ask: "Where does it lie?", as: zed, thread: t2, needs: [other]}}
"""
BROKEN = PLAIN.replace("incident/plain", "incident/broken").replace("locker", "alarm")
GATE = "version: 1\nerrors: {max: 100}\nrules: [{id: no-regressions, rule: no_regressions}]\n"
FORMATS = ("html", "md", "comment", "junit", "json", "annotations")


def forms() -> Iterator[tuple[str, bytes]]:
    """The word as it may stand in a file, small letters throughout."""
    yield "text", MARKER.lower().encode()
    yield "backwards", MARKER[::-1].lower().encode()
    for name in ("utf-16-le", "utf-16-be", "utf-32-le"):
        yield name, MARKER.lower().encode(name)
    yield "hex", MARKER.encode().hex().encode()
    yield "escapes", "".join(f"\\u{ord(letter):04x}" for letter in MARKER).lower().encode()
    yield "entities", "".join(f"&#{ord(letter)};" for letter in MARKER).encode()
    yield "percent", quote(MARKER, safe="").replace("Q", "%51").lower().encode()
    for shift in range(3):
        yield f"base64+{shift}", base64.b64encode(b"x" * shift + MARKER.encode())[4:-4].lower()


def hits(name: str, body: bytes) -> list[str]:
    """Where the word is, packed files unpacked."""
    if body[:2] == b"\x1f\x8b":
        body += gzip.decompress(body)
    small = body.lower()
    return [f"{name}: {form}" for form, needle in forms() if needle in small]


def looked_through(*folders: Path) -> list[str]:
    found = []
    for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        found += hits(str(path), path.read_bytes())
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as container:
                found += [hit for name in container.namelist() for hit in hits(f"{path}!{name}", container.read(name))]
    return found


def test_each_form_would_be_found() -> None:
    assert {hit.partition(": ")[2] for _, form in forms() for hit in hits("x", form)} == {name for name, _ in forms()}


@pytest.mark.slow
@pytest.mark.parametrize("child", ["false", "true"])
def test_the_word_is_nowhere(tmp_path: Path, child: str) -> None:
    project, work, temporary = tmp_path / "project", tmp_path / "work", tmp_path / "tmp"
    for folder in (project / "scenarios", work, temporary):
        folder.mkdir(parents=True)
    for name, text in (("plain", PLAIN), ("long", LONG), ("broken", BROKEN)):
        (project / "scenarios" / f"{name}.yaml").write_text(text)
    (project / "mine.py").write_text(MINE)
    (project / "memgauge.yaml").write_text(f'version: 1\nsystems: {{mine: {{python: "mine.py:Mine", child: {child}}}}}\nsuites: [scenarios/]\n')
    (project / "gate.yaml").write_text(GATE)
    env = {**os.environ, "TMPDIR": str(temporary), "MEMGAUGE_TRACEBACK": "1", "COLUMNS": "200"}
    said: list[str] = []
    codes: dict[str, int] = {}

    def type_(*argv: str) -> None:
        done = subprocess.run([sys.executable, "-m", "memgauge", *argv], cwd=project, env=env, capture_output=True, check=False, timeout=300)
        said.extend([f"{argv[0]}: {hit}" for hit in hits("stdout", done.stdout) + hits("stderr", done.stderr)])
        codes[argv[0]] = done.returncode

    run = str(work / "run")
    with (work / "cut.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "memgauge", "run", "--out", run, "-j", "1"], cwd=project, env=env, stdout=log, stderr=log)
        partial, until = Path(run) / "cases.partial.jsonl", time.monotonic() + 120
        while time.monotonic() < until and process.poll() is None and (not partial.exists() or partial.read_bytes().count(b"\n") < 2):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
    assert partial.exists(), (work / "cut.log").read_text()
    assert looked_through(work) == [], "killed half way"
    type_("run", "--resume", run, "--retry-errors", "1", "--json")
    assert codes["run"] == 3, "a case broke, twice"
    assert (Path(run) / "attempts.jsonl").exists()
    assert list(temporary.iterdir()) == [], "what the killed run stored went with the next one"
    if child == "true":  # what follows reads the run folder alone
        assert (said, looked_through(work)) == ([], [])
        return
    for format_ in FORMATS:
        type_("report", run, "--format", format_, "-o", str(work / f"report.{format_}"))
    type_("report", run, "--format", "annotations")
    for case in ("incident/plain[mine]", "incident/broken[mine]", "incident/long[mine]"):
        type_("show", case, "--run", run)
    for table in ("run", "cases", "checks", "measures", "timings"):
        type_("query", f"FROM {table}", "--run", run, "--json")
    type_("run", "incident/plain", "incident/long", "--arm", "on", "--out", str(work / "two"), "--exit-zero")
    type_("baseline", "set", "main", str(work / "two"), "--reason", "first", "--baselines", str(work / "baselines"))
    type_("gate", run, "--baselines", str(work / "baselines"), "--md", str(work / "gate.md"), "--json")
    type_("compare", run, str(work / "two"), "--json")
    type_("trend", run, str(work / "two"))
    type_("review", run)
    type_("evidence", run, "-o", str(work / "e.zip"))
    type_("verify", str(work / "e.zip"))
    assert codes == {"run": 0, "report": 0, "show": 0, "query": 0, "baseline": 0, "gate": codes["gate"], "compare": 0, "trend": 0, "review": 0,
                     "evidence": 0, "verify": codes["verify"]}  # fmt: skip
    assert {path.name for path in work.iterdir()} >= {f"report.{name}" for name in FORMATS} | {"gate.md", "e.zip", "baselines"}
    assert said == []
    assert looked_through(work, temporary) == []


def test_a_mistake_in_a_private_file_is_told_without_its_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = LONG.replace('unlike: ["The boat code is none."]', f'unlike: ["It\'s {MARKER}."]')
    for content, shown in (("private", False), ("synthetic", True)):
        path = tmp_path / f"{content}.yaml"
        path.write_text(wrong.replace("content: private", f"content: {content}"))
        assert run_command(["validate", str(path)]) == 2
        told = capsys.readouterr()
        assert (MARKER in told.out + told.err) == shown
        assert "facts.code.unlike" in told.err
        assert "must not match" in told.err
