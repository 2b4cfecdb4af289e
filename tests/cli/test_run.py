"""`run` and `rescore`, typed as a user would: what is printed, what is written, which code comes back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SOME, Shell


def _lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_run_holds_and_says_so(some_run: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """Code 0; JSON lines only on stdout, the last one the summary; the first screen of at most 24 lines on stderr."""
    folder, done = some_run
    assert done.returncode == 0, done.stderr
    lines = _lines(done.stdout)
    assert {line["type"] for line in lines[:-1]} == {"check"}
    assert lines[-1]["type"] == "summary"
    assert lines[-1]["folder"] == str(folder)
    screen = [
        line
        for line in done.stderr.splitlines()
        if line.startswith(("RUN", "VERDICT", "TRUST", "SAFETY", "BENEFIT", "HARM", "COST", "NEXT", "NOTE", " "))
    ]
    assert len(screen) <= 24
    assert any("written together with the reference" in line for line in screen)


def test_the_folder_is_complete(some_run: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = some_run
    names = {path.name for path in folder.iterdir()}
    assert {"manifest.json", "cases.jsonl", "checks.jsonl", "timings.jsonl", "measures.jsonl", "results.duckdb", "report.html", "summary.md"} <= names
    assert json.loads((folder / "manifest.json").read_text())["status"] == "complete"
    assert len(list((folder / "history").iterdir())) == len(SOME) * 3


def test_another_run_with_two_workers_is_byte_equal(some_run: tuple[Path, subprocess.CompletedProcess[str]], shell: Shell, tmp_path: Path) -> None:
    """The record of checks depends on scenario, seed, configuration and system alone."""
    folder, _ = some_run
    shell("run", *SOME, "--out", str(tmp_path / "two"), "-j", "2")
    for name in ("checks.jsonl", "measures.jsonl", "cases.jsonl"):
        assert (folder / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_records_name_scenario_files_as_seen_from_the_project(some_run: tuple[Path, object], shell: Shell, tmp_path: Path) -> None:
    """No path of this machine is in a record: built-in files begin with their suite, own files at the folder of the project."""
    paths = {json.loads(line)["path"] for line in (some_run[0] / "cases.jsonl").read_text().splitlines()}
    assert paths == {f"builtin@1/{name.replace('/', '--')}.yaml" for name in SOME}
    (tmp_path / "scenarios").mkdir()
    text = 'id: incident/parcel\nsay: ["The gate code is 7731."]\nask: "What is the gate code?"\nexpect: "7731"\n'
    (tmp_path / "scenarios" / "parcel.yaml").write_text(text)
    (tmp_path / "memgauge.yaml").write_text("version: 1\nsuites: [scenarios/]\n")
    done = shell("run", "--out", "r", "--arm", "on", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "r" / "cases.jsonl").read_text().splitlines()[0])["path"] == "scenarios/parcel.yaml"


def test_rescore_gives_the_same_and_one_edited_line_flips_its_check(
    some_run: tuple[Path, subprocess.CompletedProcess[str]], shell: Shell, tmp_path: Path
) -> None:
    """Verdicts come from the histories: unedited nothing changes; a stale value written into one answer fails exactly that check."""
    folder, _ = some_run
    assert shell("rescore", str(folder), "--out", str(tmp_path / "same")).returncode == 0
    assert (tmp_path / "same" / "checks.jsonl").read_bytes() == (folder / "checks.jsonl").read_bytes()
    history = folder / "history" / "supersession--moved-city.reference.on.jsonl"
    original = history.read_text()
    lines = [json.loads(line) for line in original.splitlines()]
    plan = lines[0]["plan"]
    old = next(fact for fact in plan["facts"].values() if any(f.get("replaces") == fact["id"] for f in plan["facts"].values()))
    target = next(e for e in plan["expectations"] if e["kind"] == "stale" and e["step"].endswith("@recall"))
    for line in lines[1:]:
        if line["step"] == target["step"]:
            line["receipt"]["data"]["items"].append({"id": "fact-99", "kind": "fact", "text": old["like"][0]})
    try:
        history.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert shell("rescore", str(folder), "--out", str(tmp_path / "edited")).returncode == 1
    finally:
        history.write_text(original)
    before = {c["id"]: c["outcome"] for c in map(json.loads, (folder / "checks.jsonl").read_text().splitlines())}
    after = {c["id"]: c["outcome"] for c in map(json.loads, (tmp_path / "edited" / "checks.jsonl").read_text().splitlines())}
    flipped = {name for name in before if before[name] != after[name]}
    assert flipped == {f"supersession/moved-city[reference]#0.0::{target['id']}"}


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["run", "--tag", "smokee"], 5, 'did you mean "smoke"?'),
        (["run", "supersession/moved-cty"], 5, "supersession/moved-city"),
        (["run", "--system", "referense"], 2, 'did you mean "reference"?'),
        (["run", "--system", "reference+leek-users"], 2, 'did you mean "leak-users"?'),
        (["run", "--system", "off", "--system", "off"], 2, "given twice"),
        (["run", "--profile", "fast"], 2, "allowed"),
        (["run", "--arm", "of"], 2, 'did you mean "off"?'),
        (["run", "--set", "k"], 2, "--set key=value"),
        (["run", "--set", "a=1", "--set", "a=2"], 2, "set twice"),
        (["run", "--suite", "nowhere.yaml"], 2, "nowhere.yaml"),
        (["run", "--suite", "builtin@9"], 2, "builtin@1"),
        (["run", "-j", "0"], 2, "jobs"),
        (["runn"], 2, "Did you mean"),
        (["show", "x", "--run", "nowhere"], 2, "nowhere"),
        (["rescore", "nowhere"], 2, "nowhere"),
        (["list", "scenarioes"], 2, 'did you mean "scenarios"?'),
        (["schema", "scenari"], 2, 'did you mean "scenario"?'),
        (["report", "--format", "pdf", "nowhere"], 2, "allowed"),
        (["new", "noclass"], 2, "class/name"),
        (["bench", "locomo", "nowhere.json"], 2, "nowhere.json"),
        (["query", "SELECT 1"], 2, "no run"),
    ],
)
def test_a_mistake_is_one_clear_line(shell: Shell, argv: list[str], code: int, words: str) -> None:
    """The documented code, one line that names the mistake and the way on, no traceback, nothing on stdout."""
    done = shell(*argv)
    assert done.returncode == code, done.stderr
    assert words.casefold() in done.stderr.casefold()
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_with_json_a_mistake_is_a_summary_line_too(shell: Shell) -> None:
    done = shell("run", "--tag", "nothing-like-this", "--json")
    assert _lines(done.stdout)[-1]["exit_code"] == done.returncode == 5


def test_a_dry_run_counts_and_runs_nothing(shell: Shell, tmp_path: Path) -> None:
    done = shell("run", *SOME, "--dry-run", "--json", cwd=tmp_path)
    summary = _lines(done.stdout)[-1]
    assert (done.returncode, summary["cases"], summary["scenarios"]) == (0, 9, 3)
    assert list(tmp_path.iterdir()) == []


FAULTY = """
import os, time
from memgauge.systems.off import Off

class {name}(Off):
    def call(self, request):
        if request.op == "context" and request.args["text"] == {text!r}:
            {fault}
        return super().call(request)
"""


@pytest.mark.parametrize("fault", ["raise RuntimeError('boom')", "time.sleep(60)", "os._exit(7)", "os.kill(os.getpid(), 9)"])
def test_a_system_that_breaks_makes_exactly_its_case_an_error(shell: Shell, tmp_path: Path, fault: str) -> None:
    """It raises, hangs, exits or is killed in one case of three: that case is an error, the run's code is 3, no rate got better."""
    asked = _first_question(SOME[2])
    (tmp_path / "faulty.py").write_text(FAULTY.format(name="Faulty", text=asked, fault=fault) + FAULTY.format(name="Sound", text=asked, fault="pass"))
    base = ["run", *SOME, "--arm", "on", "--timeout", "4"]
    broken = shell(*base, "--system", "faulty:Faulty", "--out", "broken", cwd=tmp_path)
    shell(*base, "--system", "faulty:Sound", "--out", "sound", cwd=tmp_path)
    assert broken.returncode == 3, broken.stderr
    outcomes = {c["scenario"]: c["outcome"] for c in map(json.loads, (tmp_path / "broken" / "cases.jsonl").read_text().splitlines())}
    assert {name for name, outcome in outcomes.items() if outcome == "error"} == {SOME[2]}
    assert _passed(tmp_path / "broken") <= _passed(tmp_path / "sound")


def _first_question(scenario: str) -> str:
    from memgauge.scenarios import builtin, compile_case

    plan = compile_case(next(s for s in builtin() if s.id == scenario), 0)
    return next(str(step.args["text"]) for step in plan.steps if step.op == "context")


def _passed(folder: Path) -> int:
    return sum(json.loads(line)["outcome"] == "pass" for line in (folder / "checks.jsonl").read_text().splitlines())
