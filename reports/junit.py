"""JUnit XML of a run: a suite per system and class, a test per check of the treatment arm. Valid XML for any content.

fail → failure; error → error; skip, unsupported, not applicable and unscored → skipped, with the outcome in front of the reason.
Controls are left out: they are expected to fail, and a reader of JUnit cannot know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memgauge.reports.counts import Counts, grouped
from memgauge.reports.run import CheckLine
from memgauge.reports.store import WORST_FIRST, opened
from memgauge.reports.summary import RunSummary

if TYPE_CHECKING:
    from junitparser import TestCase

MAX_TEXT = 4000
"""Characters of one message."""

MAX_BYTES, MAX_TESTS = 25_000_000, 20_000
"""GitLab reads at most 30 MB a file."""

_ANSI = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\ufdd0-\ufdef]")


def render(summary: RunSummary) -> str:
    """The document as text, without times: it is the same for the same run. What does not fit into `MAX_BYTES` is left out, passes first;
    the numbers of each suite count it all the same, and a property says how many tests are not listed."""
    from junitparser import JUnitXml, TestSuite

    with opened(summary.run.folder) as database:
        checks, room = [], MAX_BYTES
        for check in database.lines(CheckLine, f"WHERE arm = 'on' ORDER BY {WORST_FIRST}, rowid LIMIT {MAX_TESTS}"):
            room -= 2 * len(clean(check.witness or check.reason).encode()) + len(check.id.encode()) + len(check.scenario) + 120
            if room < 0:
                break
            checks.append(check)
    listed = grouped(sorted(checks, key=lambda check: (check.case_id, check.name)), lambda check: (check.system, check.class_))
    document: Any = JUnitXml("memgauge")  # its methods have no types
    total = Counts()
    for row in sorted((row for row in summary.classes if row.arm == "on"), key=lambda row: (row.name, row.system)):
        suite: Any = TestSuite(clean(f"{row.system}: {row.name}"))
        tests = listed.get((row.system, row.name), [])
        if left := row.counts.planned - len(tests):
            suite.add_property("not listed", f'{left} tests: memgauge query "FROM checks"')
        suite.extend(map(_test, tests))
        suite.tests, suite.failures, suite.errors, suite.skipped = _numbers(row.counts)
        document.append(suite)
        total += row.counts
    document.tests, document.failures, document.errors, _ = _numbers(total)  # the schema knows no skipped tests here
    return str(document.tostring().decode())


def _numbers(counts: Counts) -> tuple[int, int, int, int]:
    return counts.planned, counts.failed, counts.error, counts.planned - counts.scored - counts.error


def clean(text: str) -> str:
    """Text without terminal sequences and without characters that XML 1.0 forbids, at most `MAX_TEXT` long."""
    kept = _ILLEGAL.sub("\ufffd", _ANSI.sub("", text))
    return kept if len(kept) <= MAX_TEXT else f"{kept[:MAX_TEXT]}… ({len(text)} characters)"


def _test(check: CheckLine) -> TestCase:
    from junitparser import Error, Failure, Skipped, TestCase

    test = TestCase(clean(f"{check.case_id}::{check.name}"), clean(check.scenario.replace("/", ".")))
    if check.outcome == "fail":
        result = Failure(clean(check.witness), check.kind)
        result.text = clean("\n".join(part for part in (check.witness, f"lost at: {check.lost_at}" if check.lost_at else "") if part))
        test.result = [result]
    elif check.outcome == "error":
        test.result = [Error(clean(check.reason), check.kind)]
    elif not check.scored:
        test.result = [Skipped(clean(f"{check.outcome.replace('_', ' ')}: {check.reason}"), check.outcome)]
    return test
