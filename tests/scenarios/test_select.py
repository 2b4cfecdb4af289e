from __future__ import annotations

import pytest

from memgauge.errors import NothingSelected
from memgauge.scenarios import builtin, select


def test_sorts_are_joined_by_and_values_by_or() -> None:
    suite = builtin()
    chosen = select(suite, classes=["leak", "recall"], tags=["core"])
    assert {s.class_ for s in chosen} == {"leak", "recall"}
    assert all("core" in s.tags for s in chosen)
    assert [s.id for s in select(suite, ids=["supersession/moved-*"])] == ["supersession/moved-city"]
    assert select(suite, rows=["A10"], paths=["*moved-city.yaml"])[0].id == "supersession/moved-city"
    assert select(suite) == suite


@pytest.mark.parametrize(
    ("wanted", "message", "hint"),
    [
        ({"classes": ["supersesion"]}, "no scenario has the class 'supersesion'", 'did you mean "supersession"?'),
        ({"ids": ["recall/gate-cod"]}, "there is no scenario 'recall/gate-cod'", 'did you mean "recall/gate-code"?'),
        ({"classes": ["leak"], "ids": ["recall/*"]}, "no scenario meets all conditions", "each is met by some scenario, but not together"),
    ],
)
def test_a_selection_of_nothing_is_an_error(wanted: dict[str, list[str]], message: str, hint: str) -> None:
    with pytest.raises(NothingSelected) as raised:
        select(builtin(), **wanted)
    assert (str(raised.value), raised.value.hint) == (message, hint)
