"""A scenario as one seed drew it, written out as a file of its own: a case of a run that is to be kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from memgauge.records import CasePlan
from memgauge.scenarios.drawing import Drawing
from memgauge.scenarios.scenario import Scenario
from memgauge.scenarios.short import dump
from memgauge.scenarios.steps import kind_of


def pinned(scenario: Scenario, plan: CasePlan, id_: str) -> str:
    """Long-form YAML under a new id: values and wordings are those of the plan. Filler and replies are drawn anew, since they go by the id.

    Raises InputError when the scenario has changed since, so that its values cannot be drawn again.
    """
    drawing = Drawing.make(plan.seed, scenario.id, scenario.spec.values)
    data = scenario.spec.model_dump(by_alias=True, exclude_unset=True)
    data.pop("values", None)
    said = {str(text) for step in plan.steps for text in (step.args.get("text"), step.args.get("query")) if text}
    data["steps"] = [{kind_of(model): None} | step for step, model in zip(data["steps"], scenario.spec.steps, strict=True)]
    data["steps"] = [_one_wording(drawing.fill_all(step), said) for step in data["steps"]]
    data["facts"] = {name: _spelt(fact, drawing) for name, fact in data.get("facts", {}).items()}
    return dump({**data, "id": id_, "title": drawing.fill(scenario.title), "source": "generated"})


def _one_wording(step: dict[str, Any], said: Collection[str]) -> dict[str, Any]:
    """The step with the wording that was drawn."""
    for key in ("say", "ask", "reply"):
        if isinstance(step.get(key), list):
            step = step | {key: next((text for text in step[key] if text in said), step[key][0])}
    return step


def _spelt(fact: dict[str, Any], drawing: Drawing) -> dict[str, Any]:
    """The fact with every spelling of its values."""
    anchors = [list(drawing.spellings(group)) for group in fact["anchors"]]
    rest: dict[str, Any] = drawing.fill_all({name: value for name, value in fact.items() if name != "anchors"})
    return rest | {"anchors": anchors}
