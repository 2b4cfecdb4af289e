"""All outputs of one run: they agree, they are valid for any content, they are the same twice."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from memgauge.events import Event, RunFinished
from memgauge.records import Judgement, Outcome
from memgauge.reports import annotations, evidence, html, junit, markdown, plots, show, store, trend
from memgauge.reports.casefile import open_case
from memgauge.reports.changes import Changes
from memgauge.reports.folder import read_run
from memgauge.reports.screen import first_screen, plain
from memgauge.reports.summary import RunSummary, summarise
from tests.reports.conftest import finish, make_history, make_plan, make_verdict, standard_events, started

WriteRun = Callable[..., Path]

HOSTILE = (
    "</script><script>document.title='owned'</script>", "<img src=x onerror=alert(1)>", "{{ 7*7 }}{% raw %}",
    "\x12\x00 control", "\x1b[31mred\x1b[0m",
    "]]> <!-- -->", "emoji 🧠 ﷽", "‮right to left", "@everyone see #12 [link](https://example.org) `code` | cell", "a" * 1_000_000, "lone \ud800",
    "'); DROP TABLE checks; --", "￾￿ noncharacter",
)  # fmt: skip


class _Page(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._in_script = False
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_script = tag in ("script", "style")
        self.scripts += tag == "script"

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if not self._in_script:
            self.text.append(data)


def _page(text: str) -> _Page:
    page = _Page()
    page.feed(text)
    return page


@pytest.fixture
def standard(standard_run: Path) -> RunSummary:
    return summarise(read_run(standard_run))


@pytest.fixture
def hostile(write_run: WriteRun) -> RunSummary:
    events: list[Event] = [started(len(HOSTILE))]
    for number, text in enumerate(HOSTILE):
        plan = make_plan(f"recall/odd-{number}", ["sufficient"], title=text)
        verdict = make_verdict(plan.expectations[0], "fail", witness=text or "x")
        events.append(finish(plan, ["fail"], history=make_history(text), judgement=Judgement(verdicts=(verdict,))))
    return summarise(read_run(write_run([*events, RunFinished(status="complete")], "hostile")))


def test_every_output_tells_the_same_counts(standard: RunSummary, standard_run: Path) -> None:
    counts = standard.systems[0].counts
    xml = ElementTree.fromstring(junit.render(standard))
    assert (xml.get("tests"), xml.get("failures"), xml.get("errors")) == (str(counts.planned), str(counts.failed), str(counts.error))
    skipped = counts.unsupported + counts.not_applicable + counts.skip + counts.unscored
    assert len(xml.findall(".//skipped")) == skipped
    machine = standard.to_json()
    assert machine["systems"][0]["checks"] == counts.to_json()
    assert len(machine["failed"]) == counts.failed
    said = f"scored {counts.scored} of {counts.planned} planned"
    page = _page(html.render(standard))
    assert said in " ".join(page.text)
    assert said in markdown.render(standard)
    assert f"{counts.failed} failed checks" in markdown.render(standard)
    failing = [attrs for tag, attrs in page.tags if tag == "tr" and attrs.get("data-kind") == "fail"]
    assert len(failing) == counts.failed
    sums = store.query(standard_run, "SELECT sum(planned), sum(scored), sum(failed), sum(error) FROM outcomes WHERE arm = 'on'").rows[0]
    assert sums == (counts.planned, counts.scored, counts.failed, counts.error)


@pytest.mark.parametrize("outcome", ["pass", "fail", "error", "unsupported", "not_applicable", "skip", "unscored"])
def test_every_outcome_arrives_in_every_output(write_run: WriteRun, outcome: Outcome) -> None:
    plan = make_plan("recall/home", ["sufficient"])
    made = summarise(read_run(write_run([started(1), finish(plan, [outcome]), RunFinished(status="complete")])))
    test = ElementTree.fromstring(junit.render(made)).find(".//testcase")
    assert test is not None
    tags = [child.tag for child in test]
    assert tags == {"pass": [], "fail": ["failure"], "error": ["error"]}.get(outcome, ["skipped"])
    assert made.to_json()["exit_code"] == made.decision.exit_code
    assert f'data-kind="{outcome}"' in html.render(made)
    assert f"| {made.decision.exit_code}: " in markdown.render(made)


def test_all_outputs_are_the_same_twice(write_run: WriteRun) -> None:
    first, *cases, last = standard_events()
    texts = []
    for name in ("run-1", "run-2"):
        folder = write_run([first, *(cases if name == "run-1" else reversed(cases)), last], name)
        made = summarise(read_run(folder))
        rendered = [html.render(made), markdown.render(made), junit.render(made), json.dumps(made.to_json())]
        texts.append([re.sub(r"wall_ms</th><td>[0-9.]+", "", text.replace("run-2", "run-1")) for text in rendered])
    assert texts[0] == texts[1]


def test_hostile_content_is_inert_in_the_page(hostile: RunSummary) -> None:
    text = html.render(hostile)
    page = _page(text)
    assert page.scripts == 1
    assert not any(tag in ("img", "iframe", "object", "link", "base", "form") and "data-for" not in attrs for tag, attrs in page.tags)
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert not any(str(attrs.get("href", "#")).startswith(("http", "javascript", "data")) for _, attrs in page.tags)
    assert "{{ 7*7 }}" in "".join(page.text)
    assert len(text) < 2_000_000
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_page_needs_no_network_and_no_script(standard: RunSummary) -> None:
    text = html.render(standard)
    page = _page(text)
    assert "default-src 'none'" in text
    assert [attrs for _, attrs in page.tags if "src" in attrs] == []
    assert not re.search(r"url\((?!#)|@import", text)
    filters = [attrs for tag, attrs in page.tags if tag == "form"]
    assert filters
    assert all("hidden" in attrs for attrs in filters)
    assert "item-1 in recall breaks stale" in " ".join(page.text)


def test_links_lead_somewhere(standard: RunSummary) -> None:
    page = _page(html.render(standard))
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    targets = {str(attrs["href"])[1:] for tag, attrs in page.tags if tag == "a"}
    assert targets <= ids
    assert any(target.startswith("case-supersession-moved-city") for target in targets)


def test_a_failed_case_shows_items_with_reasons_what_was_left_out_and_the_command(standard: RunSummary) -> None:
    text = " ".join(" ".join(_page(html.render(standard)).text).split())
    for part in (
        "ana lives in Ghent",
        "matches live",
        "no room",
        "memgauge show 'supersession/moved-city[mine]'",
        "ranked (lost here)",
        "proof held",
    ):
        assert part in text


def test_xml_and_json_stay_valid_for_any_content(hostile: RunSummary) -> None:
    xml = junit.render(hostile)
    tree = ElementTree.fromstring(xml)
    assert len(tree.findall(".//failure")) == len(HOSTILE)
    assert "\x1b" not in xml
    assert len(xml) < 500_000
    names = [(test.get("classname"), test.get("name")) for test in tree.iter("testcase")]
    assert len(names) == len(set(names))
    assert json.loads(json.dumps(hostile.to_json(), allow_nan=False))["exit_code"] == 1


def test_markdown_mentions_nobody_and_links_nowhere(hostile: RunSummary) -> None:
    text = markdown.render(hostile)
    assert "@everyone" not in text
    assert not re.search(r"(?<!\\)\]\(", text)
    assert "<img" not in text
    assert not re.search(r"(?<!&)#12", text)
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == len(HOSTILE)
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)


@pytest.mark.parametrize("limit", [600, 2000, 5000, markdown.COMMENT_LIMIT])
def test_markdown_keeps_its_limit_and_says_what_it_cut(hostile: RunSummary, limit: int) -> None:
    text = markdown.render(hostile, limit)
    assert len(text.encode()) <= limit
    if limit < 5000:
        assert "did not fit" in text


def test_changes_are_told_in_every_output(standard_run: Path) -> None:
    changes = Changes(baseline="main", regressed=("a/b[mine]#0::stale-1",), fixed=("c/d[mine]#0::leak-1",), notes=("one scenario was edited",))
    made = summarise(read_run(standard_run), changes=changes)
    assert made.to_json()["changes"]["regressed"] == ["a/b[mine]#0::stale-1"]
    for text in (html.render(made), markdown.render(made)):
        assert "1 regressed, 1 fixed since main" in text
        assert "a/b[mine]#0::stale-1" in text
        assert "one scenario was edited" in text


def test_plots_are_pictures_in_the_colours_of_the_page(standard: RunSummary) -> None:
    picture = plots.sufficiency(standard.classes)
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert "var(--arm-on)" in picture
    assert "#0" not in re.sub(r'(xlink:href|url)\(?="?#', "", picture).replace("var(--", "")
    assert plots.sufficiency(()) == ""


def test_growth_needs_two_ages(write_run: WriteRun, standard: RunSummary) -> None:
    assert plots.growth(standard) == ""
    plan = make_plan("budget/age", ["sufficient"])
    first, last = make_history()
    young, old = finish(plan, ["pass"], history=(first, last)), finish(plan, ["pass"], repeat=1, history=(first, first, first, last))
    made = summarise(read_run(write_run([started(2), young, old, RunFinished(status="complete")], "ages")))
    assert "messages stored" in plots.growth(made)


def test_a_name_that_looks_like_mathematics_is_drawn_as_it_is(write_run: WriteRun) -> None:
    plan = make_plan("recall/home", ["sufficient"])
    cases = [finish(plan, ["pass"], system=name) for name in ("$x^2$", "日本🧠")]
    made = summarise(read_run(write_run([started(2), *cases, RunFinished(status="complete")])))
    assert "$x^2$" in plots.sufficiency(made.classes)


def test_no_private_word_is_in_any_output(write_run: WriteRun) -> None:
    marker = "Zuiderzeestraat"
    plan = make_plan("incident/private", ["sufficient", "stale"], content="private", title=marker, source=marker, path=f"/home/{marker}.yaml")
    verdicts = (make_verdict(plan.expectations[0], "fail", witness=marker), make_verdict(plan.expectations[1], "unscored", reason=marker))
    told = finish(plan, ["fail", "unscored"], history=make_history(marker), judgement=Judgement(verdicts=verdicts))
    broken = finish(plan, ["pass", "pass"], repeat=1, error=f"ValueError: {marker}")
    folder = write_run([started(2), told, broken, RunFinished(status="complete")])
    made = summarise(read_run(folder))
    store.build(folder)
    case = "\n".join(show.lines(open_case(made.run, made.run.cases[0])))
    texts = [html.render(made), markdown.render(made), junit.render(made), json.dumps(made.to_json()), case, "\n".join(plain(first_screen(made)))]
    texts += [annotations.render(made), "\n".join(trend.lines(trend.trend([folder])))]
    packed = [evidence.document(made.run, {"ran": False, "why": ""}, {}), evidence.case_lines(made.run), evidence.check_lines(made.run)]
    texts.append(json.dumps([*packed, *evidence.histories(made.run)], ensure_ascii=False))
    raw = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file()) + "\n".join(texts).encode()
    needles = [marker, "I live in Ghent", "Where do I live"]
    encoded = [
        form
        for needle in needles
        for form in (needle.encode(), needle.encode("utf-16-le"), base64.b64encode(needle.encode())[:-4], needle.encode().hex().encode())
    ]
    assert [form for form in encoded if form.lower() in raw.lower()] == []
    assert "text withheld" in texts[0]
