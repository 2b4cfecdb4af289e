"""The pages about results and the gate are held against the code."""

from __future__ import annotations

import re
from pathlib import Path

from memgauge.reports import gate_file
from memgauge.reports.decision import PRECEDENCE
from memgauge.reports.views import VIEWS

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = (DOCS / "reference" / "results.md").read_text(encoding="utf-8")
GATE = (DOCS / "how-to" / "gate.md").read_text(encoding="utf-8")


def test_every_view_is_on_the_page_and_no_other() -> None:
    rows = [f"| `{view.name}` | {view.doc} | {view.unit} | {view.direction or '–'} |" for view in VIEWS]
    assert RESULTS[RESULTS.index("| view |") :].splitlines()[2 : 2 + len(rows) + 1] == [*rows, ""]


def test_every_exit_code_is_on_the_page() -> None:
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", RESULTS, flags=re.MULTILINE)} == {0, *PRECEDENCE}
    assert ", ".join(map(str, PRECEDENCE)) in RESULTS


def test_the_gate_file_of_the_page_is_valid_and_shows_every_rule(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text(GATE.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    shown = {rule.rule for rule in gate_file.load(path).rules}
    assert shown == {"all_pass", "no_regressions", "floor", "contrast", "growth"}
    assert all(f"| `{rule}` |" in GATE for rule in shown)


def test_the_gate_file_of_the_module_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text((gate_file.__doc__ or "").split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    assert len(gate_file.load(path).exceptions) == 1
