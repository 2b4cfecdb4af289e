"""JUnit XML that every reader takes: the rules of the Jenkins schema (junit-10.xsd) as a table, for any content."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgauge.events import RunFinished
from memgauge.records import OUTCOMES, Judgement, Outcome
from memgauge.reports import junit
from memgauge.reports.folder import RunFolder, read_run
from memgauge.reports.summary import summarise
from tests.reports.conftest import finish, make_plan, make_verdict, started

SCHEMA: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "testsuites": ((), ("name", "time", "tests", "failures", "disabled", "errors"), ("testsuite",)),
    "testsuite": (
        ("name",),
        ("name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"),
        ("properties", "testcase", "system-out", "system-err"),
    ),
    "properties": ((), (), ("property",)),
    "property": (("name", "value"), ("name", "value"), ()),
    "testcase": (("name",), ("name", "assertions", "time", "classname", "status"), ("skipped", "error", "failure", "system-out", "system-err")),
    "skipped": ((), ("type", "message"), ()),
    "error": ((), ("type", "message"), ()),
    "failure": ((), ("type", "message"), ()),
}
"""Element → attributes that it must have, that it may have, and children in their order."""

NUMBERS = ("tests", "failures", "errors", "skipped", "disabled", "assertions")
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

HARD = (
    "\x00\x08\x0b\x1f", "\x1b[31mred\x1b[0m", "lone \ud800 and \udfff", "]]> <![CDATA[ &amp; <tag>", "\ufffe\uffff\ufdd0", "x" * 1_000_000,
    "\r\n\t", "\x85\u2028", "\U0001f9e0", "\u202e", "&#x0;", "%s {0}",
)  # fmt: skip


def _broken(element: ElementTree.Element) -> list[str]:
    """What the schema forbids in an element and below it."""
    needed, allowed, children = SCHEMA[element.tag]
    found = [f"{element.tag} lacks {name}" for name in needed if name not in element.attrib]
    found += [f"{element.tag} has {name}" for name in element.attrib if name not in allowed]
    found += [f"{name} is no number" for name in NUMBERS if name in element.attrib and not element.attrib[name].isdecimal()]
    tags = [child.tag for child in element]
    found += [f"{tag} in {element.tag}" for tag in tags if tag not in children]
    if element.tag != "testcase":
        places = [children.index(tag) for tag in tags if tag in children]
        found += [f"{element.tag}: {tags} in the wrong order"] if places != sorted(places) else []
    texts = [element.text or "", element.tail or "", *element.attrib.values()]
    found += [f"{element.tag} holds {forbidden[0]!r}" for text in texts if (forbidden := FORBIDDEN.search(text))]
    return [*found, *(wrong for child in element if child.tag in SCHEMA for wrong in _broken(child))]


def _document(folder: Path, text: str, system: str = "mine") -> ElementTree.Element:
    """The document of a run in which every outcome says a text, parsed from its bytes."""
    handler, cases = RunFolder(folder), []
    for number, outcome in enumerate(OUTCOMES):
        plan = make_plan(f"recall/s{number}", ["sufficient"], title=text)
        said: dict[str, str] = {"fail": {"witness": text or "x"}, "pass": {}}.get(outcome, {"reason": text or "x"})
        judged = Judgement(verdicts=(make_verdict(plan.expectations[0], outcome, **said),))
        cases.append(finish(plan, [outcome], system=system, judgement=judged))
    for event in (started(len(cases)), *cases, RunFinished(status="complete")):
        handler.handle(event)
    return ElementTree.fromstring(junit.render(summarise(read_run(folder))).encode("utf-8"))


@pytest.mark.parametrize("text", HARD, ids=lambda text: ascii(text[:12]))
def test_hard_content_makes_a_valid_document(tmp_path: Path, text: str) -> None:
    tree = _document(tmp_path / "run", text, system=f"mine{text[:40]}")
    assert _broken(tree) == []
    tags: list[str] = [test[0].tag if len(test) else "passed" for test in tree.iter("testcase")]
    assert [tags.count(tag) for tag in ("passed", "failure", "error", "skipped")] == [1, 1, 1, 4]
    assert len(ElementTree.tostring(tree)) < 60_000


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_content_makes_a_valid_document(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    assert _broken(_document(tmp_path_factory.mktemp("any") / "run", text)) == []


def test_the_table_notices_what_is_wrong() -> None:
    for wrong in (
        "<testsuites skipped='1'/>", "<testsuites><testsuite tests='1'/></testsuites>", "<testsuites><testsuite name='a' tests='one'/></testsuites>",
        "<testsuites><testsuite name='a'><testcase name='b'/><properties/></testsuite></testsuites>", "<testsuites><testcase name='a'/></testsuites>",
    ):  # fmt: skip
        assert _broken(ElementTree.fromstring(wrong)) != [], wrong


def test_names_are_unique_and_times_are_not_told(tmp_path: Path) -> None:
    plan = make_plan("recall/home", ["sufficient", "stale"])
    handler = RunFolder(tmp_path / "run")
    outcomes: list[Outcome] = ["pass", "fail"]
    cases = [finish(plan, outcomes, repeat=repeat, system=system) for system in ("one", "two") for repeat in range(3)]
    for event in (started(len(cases)), *cases, RunFinished(status="complete")):
        handler.handle(event)
    tree = ElementTree.fromstring(junit.render(summarise(read_run(handler.folder))))
    names = [(test.get("classname"), test.get("name")) for test in tree.iter("testcase")]
    assert len(names) == len(set(names)) == 12
    assert not any(element.get("time") for element in tree.iter())
    assert sum(int(suite.get("tests", 0)) for suite in tree.iter("testsuite")) == int(tree.get("tests", 0)) == 12


def test_a_document_keeps_below_what_gitlab_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "MAX_BYTES", 20_000)
    handler = RunFolder(tmp_path / "run")
    cases = [
        finish(plan, ["fail"], judgement=Judgement(verdicts=(make_verdict(plan.expectations[0], "fail", witness="y" * 3000),)))
        for plan in (make_plan(f"recall/s{n}", ["sufficient"]) for n in range(10))
    ]
    for event in (started(len(cases)), *cases, RunFinished(status="complete")):
        handler.handle(event)
    text = junit.render(summarise(read_run(handler.folder)))
    tree = ElementTree.fromstring(text)
    assert len(text.encode()) < 22_000
    assert int(tree.get("failures", 0)) == 10
    assert 1 <= len(tree.findall(".//failure")) < 10
    assert _broken(tree) == []
