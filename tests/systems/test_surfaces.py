"""Mistakes in what the project file says of surfaces, periods and servers: one line each, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.config import read_project
from memgauge.errors import InputError, SystemFault
from memgauge.protocol import Manifest, check_period
from memgauge.surfaces import Surface
from memgauge.systems.spec import SystemSpec, parse_entry

FILE = """version: 1
systems:
  mine:
    python: "mine.py:Mine"
    erase_within: {rows: P1D, bytes: P30D}
    lifecycle: {start: ./start, purge: ./purge}
    surfaces:
      - {name: db, kind: sql, path: m.db, query: SELECT text FROM memories}
      - {name: points, kind: http, path: "http://127.0.0.1:6333/export", grade: vectors}
      - {name: dump, kind: command, argv: [pg_dump, mem]}
"""


def read(tmp_path: Path, text: str) -> SystemSpec:
    file = tmp_path / "memgauge.yaml"
    file.write_text(text)
    return parse_entry("mine", read_project(file).systems["mine"].model_dump(exclude_unset=True))


def test_what_the_file_says_reaches_the_system(tmp_path: Path) -> None:
    spec = read(tmp_path, FILE)
    assert spec.erase_within == {"rows": "P1D", "bytes": "P30D"}
    assert [(s.name, s.depth) for s in map(Surface.of, spec.surfaces)] == [("db", "rows"), ("points", "vectors"), ("dump", "rows")]
    assert SystemSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("kind: sql", "kind: sqlite", "8:20: systems.mine.surfaces.0.kind: got 'sqlite' (did you mean \"sql\"?)"),
        ("query: SELECT", "qery: SELECT", "8:43: systems.mine.surfaces.0.qery: unknown key"),
        ("http://127.0.0.1", "127.0.0.1", "9:9: systems.mine.surfaces.1: surface 'points': path is no URL that begins with http:// or https://"),
        ("grade: vectors", "grade: bytes", "9:9: systems.mine.surfaces.1: surface 'points': grade 'bytes'; allowed for http: rows, vectors"),
        ("argv: [pg_dump, mem]", "path: dump.sql", "10:9: systems.mine.surfaces.2: surface 'dump': a command needs argv, and no path or query"),
        ("argv: [pg_dump, mem]", "argv: pg_dump mem", "10:37: systems.mine.surfaces.2.argv: must be a list, as [one, two], got 'pg_dump mem'"),
        ("{rows: P1D, bytes: P30D}", "30 days", "5:5: systems.mine.erase_within: not a duration: '30 days'"),
        ("rows: P1D", "disk: P1D", "5:5: systems.mine.erase_within: unknown depth 'disk'"),
        ("rows: P1D", "rows: -P1D", "5:5: systems.mine.erase_within: not a period: '-P1D'"),
        ("{rows: P1D, bytes: P30D}", "30", "5:5: systems.mine.erase_within: not a period: 30"),
        ("start: ./start", "strat: ./start", "6:17: systems.mine.lifecycle.strat: got 'strat' (did you mean \"start\"?)"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in FILE
    with pytest.raises(InputError) as error:
        read(tmp_path, FILE.replace(old, new))
    (line,) = error.value.lines()
    assert line.startswith(f"{tmp_path}/memgauge.yaml:{told}"), line


def test_two_surfaces_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two surfaces are called 'db'"):
        read(tmp_path, FILE.replace("name: points", "name: db"))


def test_a_manifest_with_a_period_that_is_none_is_a_fault_of_the_system() -> None:
    assert Manifest.from_json({"name": "x", "erase_within": "P30D"}).period("bytes") == "P30D"
    for wrong in ("a month", {"api": "soon"}, {"disk": "P1D"}, 30, ["P1D"]):
        with pytest.raises(SystemFault, match="manifest: erase_within: "):
            Manifest.from_json({"name": "x", "erase_within": wrong})


@pytest.mark.parametrize(
    ("stated", "periods"),
    [
        ("", ["", "", "", ""]),
        ("PT0S", ["", "", "", ""]),
        ("P30D", ["", "P30D", "P30D", "P30D"]),
        ({"api": "PT1H", "bytes": "P30D"}, ["PT1H", "", "", "P30D"]),
    ],
)
def test_a_plain_period_leaves_answers_at_once(stated: str | dict[str, str], periods: list[str]) -> None:
    check_period(stated)
    manifest = Manifest(name="x", erase_within=stated)
    assert [manifest.period(depth) for depth in ("api", "rows", "vectors", "bytes")] == periods
    assert manifest.period("") == ""
