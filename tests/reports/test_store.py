from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import HarnessFault, InputError
from memgauge.events import RunFinished
from memgauge.records import Judgement, Measure
from memgauge.reports import store
from memgauge.reports.counts import Counts
from memgauge.reports.folder import read_run
from memgauge.reports.summary import summarise
from memgauge.reports.views import VIEWS
from tests.reports.conftest import finish, make_plan, make_verdict, started

WriteRun = Callable[..., Path]


def test_the_views_count_what_the_summary_counts(standard_run: Path) -> None:
    summary = summarise(read_run(standard_run))
    rows = store.query(standard_run, "SELECT class, system, arm, planned, scored, passed, failed, error, unsupported, unscored FROM outcomes").rows
    ours = {
        (row.name, row.system, row.arm, row.counts.planned, row.counts.scored, row.counts.passed, row.counts.failed, row.counts.error,
         row.counts.unsupported, row.counts.unscored) for row in summary.classes
    }  # fmt: skip
    assert set(rows) == ours
    caused = store.query(standard_run, "SELECT sum(caused), sum(could_have_been_caused) FROM avoided_and_caused").rows[0]
    assert caused == (len(summary.systems[0].harm.scenarios), summary.systems[0].harm.possible)


def test_a_rate_counts_only_what_was_scored_and_says_what_was_planned(standard_run: Path) -> None:
    found = store.query(standard_run, "SELECT planned, scored, passed, rate FROM deletion_completion WHERE arm = 'on' ORDER BY grade")
    assert found.columns == ("planned", "scored", "passed", "rate")
    assert found.rows == ((1, 1, 1, 1.0), (1, 0, 0, None))


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_answers_on_a_run_without_cases(write_run: WriteRun, view: object) -> None:
    folder = write_run([started(0), RunFinished(status="complete")])
    assert store.query(folder, f"FROM {view.name}").rows == ()  # type: ignore[attr-defined]


def test_paired_differences_are_averaged_within_scenarios(standard_run: Path) -> None:
    rows = store.query(standard_run, "SELECT class, scenarios, difference, won, lost FROM sufficiency_on_minus_off ORDER BY class").rows
    assert rows == (("recall", 1, 1.0, 1, 0), ("restraint", 2, -0.5, 0, 1), ("supersession", 1, 1.0, 1, 0))


def test_no_number_that_is_none_gets_in(standard_run: Path) -> None:
    path = standard_run / "measures.jsonl"
    path.write_text(path.read_text().replace("900.0", '"nan"', 1))
    with pytest.raises(HarnessFault, match="CHECK constraint"):
        store.build(standard_run)
    assert not list(standard_run.glob("*.duckdb*"))
    assert not list(standard_run.glob(".*"))


def test_a_query_that_fails_is_one_line_with_the_names_that_exist(standard_run: Path) -> None:
    with pytest.raises(InputError, match="does not exist") as caught:
        store.query(standard_run, "SELECT * FROM nonsense")
    assert "prompt_sufficiency" in caught.value.hint
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sql", ["DELETE FROM checks", "CREATE TABLE x (y INTEGER)", "SELECT * FROM read_text('/etc/hostname')", "ATTACH 'x.db'"])
def test_a_query_neither_writes_nor_reads_other_files(standard_run: Path, sql: str) -> None:
    with pytest.raises(InputError, match="failed"):
        store.query(standard_run, sql)
    assert len(store.query(standard_run, "FROM checks").rows) == 30


def test_hostile_text_arrives_as_it_was_or_escaped(write_run: WriteRun) -> None:
    plan = make_plan("recall/odd", ["sufficient"])
    texts = ("\x00nul", "\x1b[31mred", "'; DROP TABLE checks; --", "]]>", "emoji 🧠", "lone \ud800 surrogate", "x" * 1_000_000)
    cases = [
        finish(plan, ["fail"], repeat=number, judgement=Judgement(verdicts=(make_verdict(plan.expectations[0], "fail", witness=text),)))
        for number, text in enumerate(texts)
    ]
    folder = write_run([started(len(cases)), *cases, RunFinished(status="complete")])
    rows = store.query(folder, "SELECT witness FROM checks ORDER BY repeat").rows
    assert [row[0] for row in rows][:5] == list(texts[:5])
    assert rows[5][0] == "lone ? surrogate"
    assert len(rows[-1][0]) == 1_000_000
    assert Counts.of(read_run(folder).checks).failed == len(texts)


def test_the_database_can_be_thrown_away_and_made_again(standard_run: Path) -> None:
    store.build(standard_run)
    before = store.query(standard_run, "FROM checks").rows
    (standard_run / store.DATABASE).write_bytes(b"not a database")
    assert store.query(standard_run, "FROM checks").rows == before
    (standard_run / store.DATABASE).unlink()
    assert store.query(standard_run, "FROM checks").rows == before


def test_a_run_that_has_changed_since_is_loaded_again(standard_run: Path) -> None:
    store.build(standard_run)
    path = standard_run / "checks.jsonl"
    path.write_text(path.read_text().replace('"outcome":"fail"', '"outcome":"pass"'))
    assert store.query(standard_run, "SELECT count(*) FROM checks WHERE outcome = 'fail'").rows == ((0,),)


def test_a_run_that_cannot_be_written_to_is_read_all_the_same(standard_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    assert store.query(standard_run, "SELECT count(*) FROM checks").rows == ((30,),)
    assert not (standard_run / store.DATABASE).exists()


def test_lines_of_an_older_run_lack_parts_that_came_later(standard_run: Path) -> None:
    path = standard_run / "checks.jsonl"
    path.write_text(path.read_text().replace(',"depths":{},"within":""', ""))
    summary = summarise(read_run(standard_run))
    assert summary.systems[0].counts == Counts.of(check for check in read_run(standard_run).checks if check.arm == "on")
    assert store.query(standard_run, "SELECT DISTINCT within, depths::VARCHAR FROM checks").rows == (("", "{}"),)


def test_measures_are_kept_exactly(write_run: WriteRun) -> None:
    plan = make_plan("recall/home", ["sufficient"])
    judged = Judgement(verdicts=(make_verdict(plan.expectations[0], "pass"),), measures=(Measure(step="ask", name="precision_strict", value=1 / 3),))
    folder = write_run([started(1), finish(plan, ["pass"], judgement=judged), RunFinished(status="complete")])
    assert store.query(folder, "SELECT n, mean, p95 FROM retrieval_precision").rows == ((1, 1 / 3, 1 / 3),)


def test_importing_reports_loads_nothing_heavy() -> None:
    modules = "folder store summary screen stats views changes safety cost arms decision"
    code = f"import sys\nfor name in '{modules}'.split(): __import__('memgauge.reports.' + name)\n"
    code += "print([name for name in ('duckdb', 'matplotlib', 'jinja2', 'scipy', 'pandas', 'numpy', 'pydantic') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
