from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from memgauge import strict_yaml
from memgauge.errors import InputError, InputErrors
from memgauge.strict_yaml import load, parse, validate


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of PyYAML's parsers: which one a machine has must not matter."""
    if request.param == "libyaml":
        pytest.importorskip("yaml._yaml", reason="PyYAML was built without libyaml")
    else:
        monkeypatch.setattr(strict_yaml, "_LOADER", yaml.SafeLoader)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("010", "010"),
        ("0417", "0417"),
        ("-007", "-007"),
        ("00.5", "00.5"),
        ("1_000", "1_000"),
        ("١٢", "١٢"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("0", 0),
        ("-12", -12),
        ("0o17", 15),
        ("0xff", 255),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        ("~", None),
        ("", None),
        ("TRUE", True),
        ("'12'", "12"),
        ("|\n  no\n", "no\n"),
    ],
)
def test_scalars(text: str, value: object) -> None:
    found = parse(f"a: {text}", "f").data["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "1:1", "empty"),
        ("# only a comment\n", "1:1", "empty"),
        ("a: 1\na: 2\n", "2:1", "stands twice"),
        ('a: 1\n"a": 2\n', "2:1", "stands twice"),
        ("a: !!int '12'\n", "1:4", "tag"),
        ("a: !!str 12\n", "1:4", "tag"),
        ("a: ! 12\n", "1:4", "tag"),
        ("a: !!python/object:os.system x\n", "1:4", "tag"),
        ("\U0001f600é: x\nb: !!binary aGk=\n", "2:4", "tag"),
        ("a: [1, !x 2]\n", "1:8", "tag"),
        ("!!str a: 1\n", "1:1", "tag"),
        ("a: &x 1\nb: *x\n", "1:4", "anchor"),
        ("a: &x {k: 1}\nb:\n  <<: *x\n", "1:4", "anchor"),
        ("&a [*a]\n", "1:1", "anchor"),
        ("? [a]\n: 1\n", "1:3", "plain text"),
        ("a: 1\n---\nb: 2\n", "2:1", "another document begins"),
        ("a:\n\tb: 1\n", "2:1", "a tab"),
        ("a: b: c\n", "1:5", "a colon where none is allowed"),
        ("a: 1\nb: \x07\n", "2:4", "character"),
        ("a: 1e999\n", "1:4", "finite"),
        ("a: 12345678901234567890\n", "1:4", "18 digits"),
        ("[" * 60 + "]" * 60, "1:4", "deep"),
    ],
)
def test_a_fault_names_its_place(text: str, place: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        parse(text, "f.yaml")
    assert str(caught.value).startswith(f"f.yaml:{place}: ")
    assert len(caught.value.lines()) == 1


def test_very_deep_nesting_is_a_fault_and_not_a_crash() -> None:
    for text in ("[" * 100_000, "- " * 20_000, "{a: " * 5_000):
        with pytest.raises(InputError):
            parse(text, "f")


def test_a_star_or_mark_inside_text_is_text() -> None:
    assert parse('a: "!x"\nb: "&y"\nc: x & *y!\nd:\n- \n- "!"\n', "f").data == {"a": "!x", "b": "&y", "c": "x & *y!", "d": [None, "!"]}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No such file"):
        load(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="directory"):
        load(tmp_path)
    bad = tmp_path / "latin.yaml"
    bad.write_bytes(b"a: x\nb: caf\xe9\n")
    with pytest.raises(InputError, match=r"latin.yaml:2:7: not UTF-8"):
        load(bad)
    bad.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert load(bad).data == {"a": 1, "b": 2}
    bad.write_bytes(b"a" * (strict_yaml.MAX_BYTES + 1))
    with pytest.raises(InputError, match="more than 4194304 bytes"):
        load(bad)


class Say(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    kind: Literal["say"]
    text: str


class Wait(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    kind: Literal["wait"]
    days: int = Field(ge=0)


class Talk(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    id: str
    level: Literal["low", "high"] = "low"
    steps: list[Annotated[Say | Wait, Field(discriminator="kind")]] = []
    facts: dict[str, Say] = {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id: a\nlevle: low\n", 'f:2:1: levle: unknown key (did you mean "level"?)'),
        ("level: low\n", "f:1:1: 'id' is missing"),
        ("id: a\nlevel: hihg\n", "f:2:1: level: got 'hihg' (did you mean \"high\"?)"),
        ("id: a\nsteps:\n- kind: say\n  text: x\n- kind: wait\n  dayz: 1\n", 'f:6:3: steps.1.dayz: unknown key (did you mean "days"?)'),
        ("id: a\nfacts:\n  x: {kind: say, txt: y}\n", 'f:3:18: facts.x.txt: unknown key (did you mean "text"?)'),
        ("id: 12\n", "f:1:1: id: must be text; quote it, got 12"),
    ],
)
def test_a_model_complains_with_place_key_and_nearest_name(text: str, line: str) -> None:
    with pytest.raises(InputErrors) as caught:
        validate(parse(text, "f"), Talk)
    assert line in caught.value.lines()


def test_a_document_knows_where_its_keys_stand() -> None:
    document = parse("a:\n  - b: 1\n    c: 2\n", "f")
    assert document.where(("a", 0, "c")) == "f:3:5"
    assert document.where(("a", 0, "missing")) == "f:2:5"
    assert document.where(("nowhere",)) == "f:1:1"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"#%@`,?\n \t01.~é\U0001f600"), max_size=40))
def test_any_text_is_data_or_one_clear_line(text: str) -> None:
    said = "f: data"
    try:
        parse(text, "f")
    except InputError as error:
        said = str(error)
    assert said.startswith("f:")
    assert "\n" not in said


def test_a_device_without_end_is_read_no_further_than_a_file_may_be_long() -> None:
    with pytest.raises(InputError, match="/dev/zero: more than 4194304 bytes"):
        load(Path("/dev/zero"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_wide_encodings_are_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("a: 1\n".encode(encoding))
    with pytest.raises(InputError, match=r"a\.yaml:1:1: not UTF-8 but UTF-16 or UTF-32") as told:
        load(path)
    assert told.value.hint == "save the file as UTF-8"
