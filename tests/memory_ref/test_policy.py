from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from memgauge.errors import InputError
from memgauge.memory_ref.policy import PRESETS, Policy, load_policy


def test_every_preset_loads_and_differs_from_the_default() -> None:
    loaded = {name: load_policy(name) for name in PRESETS}
    assert len({policy.model_dump_json() for policy in loaded.values()}) == len(PRESETS)


def test_the_default_file_names_every_value_and_no_other() -> None:
    def leaves(model: type[BaseModel], prefix: str = "") -> set[str]:
        found: set[str] = set()
        for name, part in model.model_fields.items():
            inner = part.annotation
            found |= leaves(inner, f"{prefix}{name}.") if isinstance(inner, type) and issubclass(inner, BaseModel) else {prefix + name}
        return found

    wanted = {name.rsplit(".", 1)[-1] for name in leaves(Policy)}
    text = resources.files("memgauge.memory_ref.policies").joinpath("default.yaml").read_text("utf-8")
    given = set(re.findall(r"^\s*([a-z_]+):", text, re.M))
    assert wanted <= given
    assert all(part.is_required() for part in Policy.model_fields.values())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_changed_value_has_a_comment(preset: str) -> None:
    lines = resources.files("memgauge.memory_ref.policies").joinpath(f"{preset}.yaml").read_text("utf-8").splitlines()
    assert lines[0].startswith("#")
    values = [line for line in lines if re.match(r"^\s+[a-z_0-9]+: \S", line)]
    assert [line for line in values if "#" not in line] == []


def test_changes_may_be_nested_dotted_or_both() -> None:
    policy = load_policy({"preset": "strict", "recall.k": 2, "recall": {"min_score": 0.1}, "context.pins": 3})
    assert (policy.recall.k, policy.recall.min_score, policy.context.pins) == (2, 0.1, 3)
    assert policy.access.needs_consent


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"recall.kk": 3}, 'recall.kk: unknown key (did you mean "k"?)'),
        ({"recall": {"min_score": 1.5}}, "recall.min_score"),
        ({"preset": "stricd"}, "unknown preset 'stricd'"),
        ({"context.strategy": "magic"}, "allowed: combined"),
        ({"colour": "blue"}, "colour: unknown key"),
    ],
)
def test_a_wrong_policy_is_one_clear_line(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        load_policy(changes)
    [line] = raised.value.lines()
    assert said in line


def test_a_policy_file_is_named_with_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("preset: minimal\nrecall:\n  k: many\n", "utf-8")
    with pytest.raises(InputError) as raised:
        load_policy(path)
    assert f"{path}:3:" in str(raised.value)
    path.write_text("preset: minimal\nrecall:\n  k: 9\n", "utf-8")
    assert load_policy(path).recall.k == 9


def test_a_policy_is_frozen() -> None:
    with pytest.raises(ValidationError):
        load_policy().recall.k = 9  # type: ignore[misc]
