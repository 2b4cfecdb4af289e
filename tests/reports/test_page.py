"""The page as a browser shows it: in both colour schemes, wide and narrow, with and without JavaScript, by keyboard, with hostile content."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memgauge.events import CaseFinished, Event, RunFinished
from memgauge.records import Judgement
from memgauge.reports import baseline, evidence, gate, gate_file, html
from memgauge.reports.folder import read_run
from memgauge.reports.summary import summarise
from tests.reports import browser as browsers
from tests.reports.conftest import finish, make_history, make_plan, make_verdict, standard_events, started

WriteRun = Callable[..., Path]
TEMPLATES = Path(html.__file__).parent / "templates"

HOSTILE = (
    "</script><script>window.owned = 1</script>", "<img src=x onerror='window.owned = 2'>", "<svg onload='window.owned = 3'><style>*{display:none}",
    "</style><style>body{display:none !important}</style>", "<a href='javascript:window.owned = 4'>click</a>", "url(http://example.org/x.png)",
    "<iframe srcdoc='<script>parent.owned = 5</script>'></iframe>", "\x12\x00\x08 control", "\x1b[31mred\x1b[0m", "\u202eright to left\u2066\u2069",
    "w" * 10_000, "a " * 5_000, "emoji \U0001f9e0 \ufdfd", "lone \ud800", "<base href='http://example.org/'>", "&lt;script&gt;", "{{ 7*7 }}{% raw %}",
    "<!-- --> ]]>", "' onmouseover='window.owned = 6' x='", "\" autofocus onfocus=\"window.owned = 7",
)  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browsers.Page]:
    program = browsers.found()
    if program is None:
        pytest.skip(f"no Chromium found: install one, or name it in {browsers.VARIABLE}")
    with browsers.browser(program, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def _written(folder: Path, verdict: gate.GateVerdict | None = None) -> Path:
    made = summarise(read_run(folder), changes=verdict.changes if verdict else None)
    (folder / "report.html").write_text(html.render(made, verdict), encoding="utf-8")
    return folder / "report.html"


@pytest.fixture
def standard(standard_run: Path) -> Path:
    return _written(standard_run)


def _hostile_cases() -> list[CaseFinished]:
    cases = []
    for number, text in enumerate(HOSTILE):
        plan = make_plan(f"recall/odd-{number}", ["sufficient"], title=text)
        verdict = make_verdict(plan.expectations[0], "fail", witness=text, reason=text)
        cases.append(finish(plan, ["fail"], history=make_history(text), judgement=Judgement(verdicts=(verdict,))))
    odd = make_plan("recall/broke", ["sufficient"])
    return [*cases, finish(odd, ["pass"], error=HOSTILE[0]), finish(odd, ["unscored"], system="<b>" + "w" * 300)]


@pytest.fixture
def hostile(write_run: WriteRun) -> Path:
    cases = _hostile_cases()
    return _written(write_run([started(len(cases), suite=HOSTILE[0], argv=list(HOSTILE)), *cases, RunFinished(status="complete")], "hostile"))


@pytest.fixture
def private(write_run: WriteRun) -> Path:
    plan = make_plan("incident/private", ["sufficient", "stale"], content="private")
    return _written(write_run([started(1), finish(plan, ["fail", "unscored"]), RunFinished(status="complete")], "private"))


@pytest.fixture
def several(write_run: WriteRun) -> Path:
    events: list[Event] = [started(1, systems=[{"name": f"system-{n}"} for n in range(4)])]
    for n in range(4):
        for event in standard_events():
            if isinstance(event, CaseFinished):
                plan = event.plan
                outcomes = [verdict.outcome for verdict in event.judgement.verdicts] or ["error"] * len(plan.expectations)
                events.append(finish(plan, outcomes, system=f"system-{n}", arm=event.id.arm, error=event.error))
    return _written(write_run([*events, RunFinished(status="complete")], "several"))


@pytest.fixture
def gated(write_run: WriteRun, tmp_path: Path) -> Path:
    """A run against an accepted one: one check fell, one rose; one rule is violated, one holds, one cannot tell."""
    one, other, third = (make_plan(f"recall/{name}", ["sufficient"]) for name in ("fell", "rose", "same"))
    before = write_run(
        [started(3), finish(one, ["pass"]), finish(other, ["fail"]), finish(third, ["pass"]), RunFinished(status="complete")], "before"
    )
    after = write_run([started(3), finish(one, ["fail"]), finish(other, ["pass"]), finish(third, ["pass"]), RunFinished(status="complete")], "after")
    accepted = baseline.make(read_run(before), "main", reason="first", date="2026-03-02")
    (tmp_path / "gate.yaml").write_text(
        "version: 1\nbaseline: {ref: main}\nrules:\n  - {id: all, rule: all_pass}\n  - {id: same, rule: no_regressions}\n"
    )
    run = read_run(after)
    return _written(after, gate.judge(run, gate_file.load(tmp_path / "gate.yaml"), accepted, today=datetime.date(2026, 3, 2)))


@pytest.fixture
def evidence_page(standard_run: Path) -> Path:
    """The page of a package for an audit, made as `memgauge evidence` makes it."""
    run = read_run(standard_run)
    origin = {"at": "2026-03-02", "by": "ana", "git": {"commit": "", "dirty": False}}
    document = evidence.document(run, {"ran": False, "why": "not asked for"}, origin)
    (standard_run / "page.html").write_text(html.page("evidence.html.j2", doc=document, signer="UNSIGNED"), encoding="utf-8")
    return standard_run / "page.html"


PAGES = ["standard", "hostile", "private", "several", "gated"]


@pytest.mark.parametrize("name", [*PAGES, "evidence_page"])
@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_complains_asks_the_network_or_needs_sideways_scrolling(
    page: browsers.Page, request: pytest.FixtureRequest, name: str, width: int
) -> None:
    page.open(request.getfixturevalue(name), width=width)
    page.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.complaints == []
    assert [address for address in page.requests if not address.startswith("file://")] == []
    assert len(page.requests) == 1
    assert page.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.ask("[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length") == 0


def test_hostile_content_does_not_act(page: browsers.Page, hostile: Path) -> None:
    page.open(hostile)
    page.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.ask("typeof window.owned") == "undefined"
    assert page.ask("document.scripts.length") == 1
    assert page.ask("document.querySelectorAll('img, iframe, object, base, link, svg script').length") == 0
    assert page.ask("getComputedStyle(document.body).display") == "block"
    assert page.ask("[...document.links].every((one) => one.getAttribute('href').startsWith('#'))")
    assert "<script>window.owned = 1</script>" in page.ask("document.querySelector('#failed').textContent")
    left = page.ask("[...document.querySelectorAll('.case .name')].every((one) => getComputedStyle(one).direction === 'ltr')")
    assert left


def test_a_text_that_turns_the_reading_order_turns_only_itself(page: browsers.Page, hostile: Path) -> None:
    page.open(hostile)
    raw = page.ask("document.documentElement.outerHTML")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", raw), "marks that turn the order are shown by their names"
    assert "U+202E" in raw


def test_filters_narrow_what_is_shown_and_stand_in_the_address(page: browsers.Page, standard: Path) -> None:
    page.open(standard)
    shown = "[...document.querySelectorAll('#failed .case')].filter((one) => !one.hidden).map((one) => one.dataset.class).join()"
    said = "document.querySelector('form[data-for=failed] output').textContent"
    assert page.ask(said) == "2 of 2 shown"
    page.ask("""(() => { const box = document.querySelector('form[data-for=failed] [name=class]'); box.value = 'supersession';
                         box.dispatchEvent(new Event('input', {bubbles: true})); })()""")
    assert page.ask(shown) == "supersession"
    assert page.ask(said) == "1 of 2 shown"
    assert page.ask("location.hash") == "#show=failed&class=supersession"
    page.ask("""(() => { const box = document.querySelector('form[data-for=failed] [name=find]'); box.value = 'no such word';
                         box.dispatchEvent(new Event('input', {bubbles: true})); })()""")
    assert page.ask(said) == "0 of 2 shown"
    page.ask("location.hash = '#show=checks&kind=unsupported'")
    page.ask("new Promise((done) => setTimeout(done, 50))")
    rows = "[...document.querySelectorAll('#checks tr[data-kind]')].filter((one) => !one.hidden).map((one) => one.dataset.kind).join()"
    assert page.ask(rows) == "unsupported"


def test_a_link_opens_its_case_and_a_cause_sets_the_filters(page: browsers.Page, standard: Path) -> None:
    page.open(standard)
    page.ask("document.querySelector('#checks a').click()")
    page.ask("new Promise((done) => setTimeout(done, 50))")
    assert page.ask("document.getElementById(location.hash.slice(1)).open")
    page.ask("document.querySelector('#causes a[data-filter]').click()")
    page.ask("new Promise((done) => setTimeout(done, 50))")
    assert page.ask("document.querySelector('form[data-for=failed] [name=class]').value") == page.ask(
        "document.querySelector('#causes a[data-filter]').textContent"
    )


def test_without_javascript_everything_is_there_and_no_control_is_dead(page: browsers.Page, standard: Path) -> None:
    page.open(standard, script=False)
    assert page.ask("[...document.querySelectorAll('input, select, button')].filter((one) => one.checkVisibility()).length") == 0
    assert page.ask("document.querySelectorAll('input, select').length") > 0
    shown = page.ask("document.body.innerText")
    for wanted in ("TRUST", "Classes and arms", "Failed cases 2", "All checks with memory on"):
        assert wanted in shown
    page.ask("document.querySelector('#failed summary').focus()")
    page.press("Enter", 13, text="\r")
    assert page.ask("document.querySelector('#failed details').open"), "a case opens without a script"
    assert page.ask("document.querySelector('#causes a').getAttribute('href')") == "#failed"


@pytest.mark.parametrize("name", PAGES)
def test_a_screen_reader_gets_names_headings_and_tables(page: browsers.Page, request: pytest.FixtureRequest, name: str) -> None:
    page.open(request.getfixturevalue(name))
    page.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    roles: dict[str, list[str]] = {}
    for node in page.tree():
        roles.setdefault(str(node.get("role", {}).get("value", "")), []).append(str(node.get("name", {}).get("value", "")))
    assert len(roles["main"]) == len(roles["banner"]) == len(roles["navigation"]) == len(roles["contentinfo"]) == 1
    assert all(roles["table"]), "a table without a caption"
    assert all(text for role in ("link", "combobox", "searchbox", "search", "image", "region") for text in roles.get(role, []))
    levels = page.ask("[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert page.ask("[...document.querySelectorAll('th')].every((one) => one.hasAttribute('scope'))")
    ids = page.ask("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(page: browsers.Page, standard: Path) -> None:
    page.open(standard)
    stops: list[dict[str, Any]] = []
    for _ in range(60):
        page.press("Tab", 9)
        stop = page.ask("""(() => { const one = document.activeElement; if (!one || one === document.body) return null;
            const box = one.getBoundingClientRect(), style = getComputedStyle(one);
            return {tag: one.tagName, text: (one.textContent || one.name || '').trim().slice(0, 30), y: box.top + scrollY,
                    outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
                    seen: box.bottom > 0 && box.top < innerHeight}; })()""")
        if stop is None:
            break
        stops.append(stop)
    assert stops[0]["text"] == "Skip to the content"
    assert all(stop["outline"] for stop in stops), [stop for stop in stops if not stop["outline"]]
    assert all(stop["seen"] for stop in stops)
    heights = [stop["y"] for stop in stops[1:]]
    assert all(after >= before - 60 for before, after in itertools.pairwise(heights)), "the order jumps"
    assert {"A", "INPUT", "SELECT", "SUMMARY"} <= {stop["tag"] for stop in stops}
    page.open(standard)
    page.ask("document.querySelector('#failed summary').focus()")
    page.press("Enter", 13, text="\r")
    assert page.ask("document.querySelector('#failed details').open")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["standard", "gated", "evidence_page"])
def test_every_text_on_the_page_stands_out_enough(page: browsers.Page, request: pytest.FixtureRequest, name: str, dark: bool) -> None:
    page.open(request.getfixturevalue(name), dark=dark)
    page.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.ask((Path(__file__).parent / "contrast.js").read_text()) == []


def test_the_gate_tells_rules_and_changes_with_links(page: browsers.Page, gated: Path) -> None:
    page.open(gated)
    rules = page.ask("[...document.querySelectorAll('#rules tbody tr')].map((one) => one.cells[0].textContent + ' ' + one.cells[1].textContent)")
    assert "violated all" in rules
    assert "the gate is violated" in page.ask("document.querySelector('.verdict').textContent")
    assert page.ask("document.querySelector('#changed').textContent").count("1 regressed") == 1
    targets = "[...document.querySelectorAll('#changed a')].map((one) => document.getElementById(one.getAttribute('href').slice(1)).tagName)"
    assert page.ask(targets) == ["DETAILS", "DETAILS"]
    assert page.ask("document.querySelectorAll('#failed .case').length") == 2


# --- the colours alone, without a browser -----------------------------------------------------------------------------

TEXTS = ("ink", "soft", "link", "good", "bad", "warn", "arm-on")
GROUNDS = ("page", "card", "code")
WASHED = (("good", "good-wash"), ("bad", "bad-wash"), ("warn", "warn-wash"), ("ink", "good-wash"), ("ink", "bad-wash"), ("ink", "warn-wash"))
DRAWN = ("arm-on", "arm-recent-equal", "arm-placebo", "arm-off", "soft")


def _schemes() -> dict[str, dict[str, str]]:
    """The colours of each scheme by the name of their variable."""
    text = (TEMPLATES / "style.css.j2").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", text, re.DOTALL)[:2]
    found = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]
    assert found[0].keys() == found[1].keys()
    return {"light": found[0], "dark": found[1]}


def _contrast(one: str, other: str) -> float:
    """WCAG 2.2: (L1 + 0.05) / (L2 + 0.05) of the relative luminances."""

    def luminance(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_wcag_says() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_the_contrast_of_wcag_aa(scheme: str) -> None:
    colours = _schemes()[scheme]
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS] + list(WASHED)
    poor = {pair: round(_contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}
    drawn = {name: round(_contrast(colours[name], colours["card"]), 2) for name in DRAWN}
    assert {name: ratio for name, ratio in drawn.items() if ratio < 3} == {}
