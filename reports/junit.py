"""JUnit XML of a run: a suite per system and class, a test per check of the treatment arm. Valid XML for any content.

fail → failure; error → error; skip, unsupported, not applicable and unscored → skipped, with the outcome in front of the reason.
Controls are left out: they are expected to fail, and a reader of JUnit cannot know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memgauge.reports.counts import grouped
from memgauge.reports.run import CheckLine
from memgauge.reports.summary import RunSummary

if TYPE_CHECKING:
    from junitparser import TestCase

MAX_TEXT = 4000
"""Characters of one message; GitLab reads at most 30 MB a file."""

_ANSI = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\ufdd0-\ufdef]")


def render(summary: RunSummary) -> str:
    """The document as text, without times: it is the same for the same run."""
    from junitparser import JUnitXml, TestSuite

    document: Any = JUnitXml("memgauge")  # its methods have no types
    treated = [check for check in summary.run.checks if check.arm == "on"]
    for (system, class_), checks in grouped(treated, lambda check: (check.system, check.class_)).items():
        suite = TestSuite(clean(f"{system}: {class_}"))
        for check in checks:
            suite.add_testcase(_test(check))
        document.add_testsuite(suite)
    document.update_statistics()
    return str(document.tostring().decode())


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
