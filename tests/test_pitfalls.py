"""Ten ways in which evaluation tools have misled people. One test each, named after the pitfall: it must not be possible here."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from memgauge.cli import run_command
from memgauge.errors import InputError
from memgauge.events import CaseFinished, RunFinished
from memgauge.records import OUTCOMES, Judgement, Outcome, Verdict
from memgauge.reports import baseline, card, compare, gate, gate_file, html, junit, markdown, store
from memgauge.reports.folder import RunFolder, read_run
from memgauge.reports.run import Run
from memgauge.reports.stats import mcnemar, wilson
from memgauge.reports.summary import summarise
from memgauge.scenarios import compile_case, load
from tests.reports.conftest import finish, make_plan, make_verdict, started
from tests.reports.test_gate import TODAY

SUITE = Path(__file__).parents[1] / "scenarios" / "suite"
MakeRun = Callable[..., Run]
HELD = "{id: all, rule: all_pass}"
REGRESSIONS = "{id: same, rule: no_regressions}"


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Writes and reads a run of the given cases, in a folder of its own."""
    made = 0

    def make(*cases: CaseFinished, **parts: object) -> Run:
        nonlocal made
        made += 1
        handler = RunFolder(tmp_path / "made" / str(made))
        for event in (started(len(cases), **parts), *cases, RunFinished(status="complete")):
            handler.handle(event)
        return read_run(handler.folder)

    return make


def _case(name: str, *outcomes: Outcome, kinds: Iterable[str] = ("sufficient",), **parts: object) -> CaseFinished:
    plan_parts = {name: parts.pop(name) for name in ("digest", "tags") if name in parts}
    return finish(make_plan(f"recall/{name}", kinds, **plan_parts), outcomes, **parts)  # type: ignore[arg-type]


def _rules(tmp_path: Path, *rules: str, more: str = "baseline: {required: false}") -> gate_file.GateFile:
    path = tmp_path / "gate.yaml"
    path.write_text(f"version: 1\n{more}\nrules:\n" + "".join(f"  - {rule}\n" for rule in rules))
    return gate_file.load(path)


def _statuses(verdict: gate.GateVerdict) -> dict[str, str]:
    return {row.id: row.status for row in verdict.rows}


def test_1_green_with_nothing_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "misnamed").mkdir()
    (tmp_path / "misnamed" / "scenario.yam").write_text((SUITE / "recall--gate-code.yaml").read_text())
    (tmp_path / "nothing.yaml").write_text("id: incident/nothing\ntitle: t\nrows: [A1]\nsource: own\nsteps:\n  - say: hello\n")
    codes = {
        "empty folder": run_command(["run", "--suite", "empty"]),
        "misspelt tag": run_command(["run", "--tag", "smok"]),
        "misnamed file": run_command(["run", "--suite", "misnamed"]),
        "no check": run_command(["validate", "nothing.yaml"]),
        "all skipped": summarise(make_run(_case("a", "skip"), _case("b", "skip"))).decision.exit_code,
        "nothing scored": summarise(make_run(_case("a", "unsupported"))).decision.exit_code,
        "gate over nothing scored": gate.judge(make_run(_case("a", "unscored")), _rules(tmp_path, HELD), None, today=TODAY).exit_code,
    }
    capsys.readouterr()
    assert codes == {
        "empty folder": 5, "misspelt tag": 5, "misnamed file": 5, "no check": 2, "all skipped": 5, "nothing scored": 4, "gate over nothing scored": 4,
    }  # fmt: skip


@pytest.mark.parametrize("broken", range(1, 7))
def test_2_errors_improve_the_score(tmp_path: Path, make_run: MakeRun, broken: int) -> None:
    outcomes: list[Outcome] = ["fail", "fail", "pass", "pass", "pass", "pass"]
    floor = "{id: floor, rule: floor, kind: sufficient, min: 0.6}"  # 4 of 6 before anything breaks
    whole = [_case(f"s{n}", outcome) for n, outcome in enumerate(outcomes)]
    run = make_run(*(_case(f"s{n}", "error", error="SystemFault: hung") for n in range(broken)), *whole[broken:])
    counts = summarise(run).systems[0].counts
    assert counts.planned == 6
    assert counts.passed <= 4
    verdict = gate.judge(run, _rules(tmp_path, HELD, floor, more="baseline: {required: false}\nerrors: {max: 6}"), None, today=TODAY)
    assert "ok" not in (_statuses(verdict)["all"], "" if broken <= 2 else _statuses(verdict)["floor"]), "not even where errors are allowed"
    assert gate.judge(run, _rules(tmp_path, HELD, floor), None, today=TODAY).exit_code == 3
    assert summarise(run).decision.exit_code == 3


def test_3_nan_and_null_slip_through_comparisons(make_run: MakeRun) -> None:
    for value in (math.nan, math.inf, -math.inf, True, "1"):
        with pytest.raises((ValueError, TypeError)):
            Verdict(check="c", kind="rank", outcome="pass", value=value)  # type: ignore[arg-type]
    plan = make_plan("recall/a", ["rank"])
    run = make_run(finish(plan, ["pass"], judgement=Judgement(verdicts=(make_verdict(plan.expectations[0], "pass", value=None),))))
    assert run.checks[0].value is None
    assert store.query(run.folder, "SELECT value IS NULL, outcome FROM checks").rows == ((True, "pass"),)
    (run.folder / "checks.jsonl").write_text((run.folder / "checks.jsonl").read_text().replace('"value":null', '"value":NaN'))
    with pytest.raises(InputError, match="NaN is not a number of JSON"):
        _ = read_run(run.folder).checks
    with pytest.raises(InputError, match="NaN is not a number of JSON"):
        summarise(read_run(run.folder))


def test_4_unstable_identity(tmp_path: Path) -> None:
    def plans(folder: Path) -> dict[str, str]:
        return {plan.scenario: plan.digest for plan in (compile_case(scenario, 0) for scenario in load([folder]))}

    files = sorted(SUITE.glob("recall--*.yaml"))[:6]
    one, other = tmp_path / "one", tmp_path / "another name"
    for folder, names in ((one, [f"{n}.yaml" for n in range(6)]), (other, [f"{9 - n}.yaml" for n in range(6)])):
        folder.mkdir()
        for file, name in zip(files, names, strict=True):
            shutil.copy(file, folder / name)
    whole = plans(one)
    assert plans(other) == whole, "the order of files and the name of the folder are no part of an identity"
    shutil.copy(SUITE / "leak--two-users.yaml", other / "0-first.yaml")
    assert {name: digest for name, digest in plans(other).items() if name in whole} == whole
    shards = [
        plans_of
        for third in range(3)
        for plans_of in [{p.scenario: p.digest for p in (compile_case(s, 0) for s in load(sorted(one.iterdir())[third::3]))}]
    ]
    assert {name: digest for shard in shards for name, digest in shard.items()} == whole
    shutil.copy(files[0], one / "twice.yaml")
    with pytest.raises(InputError, match="is also the id of"):
        load([one])


def test_5_stale_or_cross_wired_reuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    """No result is ever reused: a folder that holds a run is refused. What would make two results exchangeable is told apart by each byte."""
    monkeypatch.chdir(tmp_path)
    run = make_run(_case("a", "pass"), _case("a", "fail", arm="off"))
    assert run_command(["run", "recall/gate-code", "--out", str(run.folder)]) == 2
    assert "already holds a run" in capsys.readouterr().err
    assert len({case.id for case in run.cases}) == 2, "memory on and off share no entry"
    text = (SUITE / "recall--gate-code.yaml").read_text()
    (tmp_path / "a.yaml").write_text(text)
    before = compile_case(load([tmp_path / "a.yaml"])[0], 0)
    (tmp_path / "a.yaml").write_text(
        text.replace("filler: {messages: ", "filler: {messages: 1", 1) if "filler: {messages: " in text else text + "version: 2\n"
    )
    after = compile_case(load([tmp_path / "a.yaml"])[0], 0)
    assert before.digest != after.digest
    assert before.digest != compile_case(load([tmp_path / "a.yaml"])[0], 1).digest


def test_6_baseline_drift_and_self_blessing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.yaml").write_text(f"version: 1\nrules: [{REGRESSIONS}]\n")
    accepted = make_run(*(_case(f"s{n}", "pass") for n in range(5)))
    fewer = make_run(*(_case(f"s{n}", "pass") for n in range(2)))
    edited = make_run(*(_case(f"s{n}", "pass", digest="edited" if n == 0 else "d" * 16) for n in range(5)))

    def gated(run: Run) -> tuple[int, str]:
        code = run_command(["gate", str(run.folder)])
        return code, "".join(capsys.readouterr())

    code, said = gated(accepted)
    assert code == 4
    assert "memgauge baseline set main --reason TEXT" in said
    assert not (tmp_path / "baselines").exists(), "the gate makes no baseline"
    assert run_command(["baseline", "set", "main", str(accepted.folder)]) == 2, "without a reason nothing is accepted"
    assert run_command(["baseline", "set", "main", str(accepted.folder), "--reason", "first"]) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "baselines").iterdir()}
    capsys.readouterr()
    assert gated(accepted)[0] == 0
    code, said = gated(fewer)
    assert (code, "0 regressed, 3 missing" in said) == (1, True)
    code, said = gated(edited)
    assert (code, "scenario edited: recall/s0" in said) == (4, True)
    assert {path: path.read_bytes() for path in (tmp_path / "baselines").iterdir()} == before
    path = tmp_path / "baselines" / "main.jsonl"
    path.write_text(path.read_text().replace('"format":1', '"format":0'))
    code, said = gated(accepted)
    assert (code, "format 0, this version reads 1" in said) == (2, True)


def test_7_comparing_things_that_are_not_the_same(tmp_path: Path, make_run: MakeRun) -> None:
    def make(digest: str = "d", evaluator: int = 0, **parts: object) -> Run:
        run = make_run(*(_case(f"s{n}", "pass", digest=digest if n == 0 else "d") for n in range(3)), **parts)
        lines = [json.loads(line) for line in (run.folder / "checks.jsonl").read_text().splitlines()]
        (run.folder / "checks.jsonl").write_text("".join(json.dumps(line | {"evaluator": line["evaluator"] + evaluator}) + "\n" for line in lines))
        return read_run(run.folder)

    old = baseline.make(make(), "main", "why", date="2026-11-30")
    same, edited, bumped = (baseline.difference(old, run) for run in (make(), make(digest="e"), make(evaluator=1)))
    assert (same.not_comparable, same.notes) == ((), ())
    assert (edited.not_comparable, edited.notes) == (("recall/s0[mine]#0::sufficient-1",), ("scenario edited: recall/s0",))
    assert len(bumped.not_comparable) == 3
    assert len(bumped.notes) == 1
    assert bumped.notes[0].startswith("evaluator sufficient has version")
    other = make(tokenizer={"name": "another"})
    growth = gate.judge(other, _rules(tmp_path, "{id: tokens, rule: growth}", more="baseline: {ref: main}"), old, today=TODAY)
    assert [row.cause for row in growth.rows] == ["tokens of two tokenizers are not comparable"]
    for part, value in (("seed", 7), ("suite", "builtin@2"), ("memgauge", "9.9"), ("tokenizer", {"name": "another"}), ("repeats", 3)):
        (found,) = compare.compare([compare.side(make()), compare.side(make(**{part: value}))])
        assert card.differing(*found.cards) == (part,)


def test_8_statistics_that_flatter_or_blur(tmp_path: Path, make_run: MakeRun) -> None:
    generator, alarms = random.Random(8), 0
    for _ in range(1000):
        pairs = [(generator.random() < 0.7, generator.random() < 0.7) for _ in range(30)]
        alarms += mcnemar(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)) <= 0.05
    assert alarms <= 50, "with no difference at most the nominal share of alarms"
    assert wilson(20, 20).low < 0.9, "20 of 20 is not certainty"
    four = [_case(f"s{n}", "pass") for n in range(4)] + [_case(f"s{n}", "fail", arm="recent-equal") for n in range(4)]
    contrast = "{id: worth, rule: contrast, minus: recent-equal, inconclusive: fail}"
    assert _statuses(gate.judge(make_run(*four), _rules(tmp_path, contrast), None, today=TODAY)) == {"worth": "inconclusive"}
    old = baseline.make(make_run(_case("a", "pass")), "main", "why", date="2026-11-30")
    smaller = replace_tokens(old, 4)
    rules = _rules(tmp_path, "{id: tokens, rule: growth}", more="baseline: {ref: main}")
    assert _statuses(gate.judge(make_run(_case("a", "pass")), rules, smaller, today=TODAY)) == {"tokens": "ok"}, "fewer tokens are no failure"


def replace_tokens(old: baseline.Baseline, times: float) -> baseline.Baseline:
    """The baseline with prompts that many times as large."""
    from dataclasses import replace

    return replace(old, tokens={name: {part: value * times for part, value in parts.items()} for name, parts in old.tokens.items()})


def test_9_exceptions_that_never_die_and_flakes_retried_to_green(tmp_path: Path, make_run: MakeRun) -> None:
    entry = '{{match: "recall/a[mine]#0::sufficient-1", reason: not built, owner: team, expires: {}}}'
    failing, passing = make_run(_case("a", "fail"), _case("b", "pass")), make_run(_case("a", "pass"), _case("b", "pass"))

    def judged(run: Run, *entries: str, rule: str = HELD) -> gate.GateVerdict:
        return gate.judge(run, _rules(tmp_path, rule, more=f"baseline: {{required: false}}\nexceptions: [{', '.join(entries)}]"), None, today=TODAY)

    assert judged(failing, entry.format("2027-01-01")).exit_code == 0
    expired = judged(failing, entry.format("2026-11-29"))
    assert (expired.exit_code, expired.notes[0]) == (1, "the excuse for recall/a[mine]#0::sufficient-1 ended on 2026-11-29 (team: not built)")
    mended = judged(passing, entry.format("2027-01-01"))
    assert (mended.exit_code, _statuses(mended)["exceptions"]) == (1, "violated")
    with pytest.raises(InputError, match="is excused twice"):
        judged(failing, entry.format("2027-01-01"), entry.format("2028-01-01"))
    with pytest.raises(InputError, match="matches no check"):
        judged(failing, entry.format("2027-01-01").replace("recall/a", "recall/z"))
    skipped = judged(make_run(_case("a", "skip"), _case("b", "pass")), rule="{id: must, rule: all_pass, unscored: forbid}")
    assert (skipped.exit_code, skipped.rows[0].offending) == (1, ("recall/a[mine]#0::sufficient-1",))
    retried = make_run(*(_case("a", "fail" if repeat == 0 else "pass", repeat=repeat) for repeat in range(5)), repeats=5)
    assert judged(retried).exit_code == 1, "one miss of five is a miss"


def test_10_reports_that_lie_to_machines(make_run: MakeRun) -> None:
    texts = ("\x12\x00", "\x1b[31mred\x1b[0m", "]]>", "🧠", "a" * 1_000_000, "</script><script>alert(1)</script>", "lone \ud800", "| `x` |")
    cases = []
    for n in range(30):
        plan = make_plan(f"recall/f{n:02}", ["sufficient"])
        verdict = make_verdict(plan.expectations[0], "fail", witness=f"{texts[n % len(texts)]} {n}")
        cases.append(finish(plan, ["fail"], judgement=Judgement(verdicts=(verdict,))))
    others = [outcome for outcome in OUTCOMES if outcome != "error"]
    cases += [_case(f"o{n}", outcome) for n, outcome in enumerate(others)]
    for broken, code in ((False, 1), (True, 3)):
        run = make_run(*cases, *([_case("e", "error", error="SystemFault: \x12 ]]> hung")] if broken else []))
        made = summarise(run)
        counts, xml = made.systems[0].counts, ElementTree.fromstring(junit.render(made))
        assert (counts.failed, counts.error, counts.planned) == (31, int(broken), 36 + broken)
        skipped = counts.planned - counts.scored - counts.error
        assert [int(xml.get(part, "")) for part in ("tests", "failures", "errors")] == [counts.planned, counts.failed, counts.error]
        assert len(xml.findall(".//skipped")) == skipped
        sums = store.query(run.folder, "SELECT sum(planned), sum(scored), sum(failed), sum(error) FROM outcomes WHERE arm = 'on'").rows[0]
        assert sums == (counts.planned, counts.scored, counts.failed, counts.error)
        machine = json.loads(json.dumps(made.to_json(), allow_nan=False))
        assert machine["systems"][0]["checks"] == counts.to_json()
        page, text = html.render(made), markdown.render(made)
        said = f"scored {counts.scored} of {counts.planned} planned"
        assert said in page
        assert said in text
        assert page.count('data-kind="fail"') >= counts.failed
        assert f"{counts.failed} failed checks" in text
        codes = {made.decision.exit_code, machine["exit_code"]}
        assert codes == {code}
        assert f"| {code}: " in text
        assert f"{code}: " in page
