"""The short form: what was said in turn, what is asked, what must come and what must not."""

from __future__ import annotations

from typing import Any

import yaml

from memgauge.errors import InputError, InputErrors
from memgauge.scenarios.model import Said, ShortSpec
from memgauge.scenarios.scenario import Scenario
from memgauge.scenarios.steps import kind_of
from memgauge.strict_yaml import Document, parse

PROOF_THREAD = "before-the-change"
ASK_THREAD = "later"


def expand_short(short: ShortSpec, document: Document) -> dict[str, Any]:
    """The long form as plain data. Raises InputError for nothing to check, InputErrors where a `never` can have no proof.

    Each text of `expect` and `never` becomes a fact by itself. A text that must never come was said, and something was said
    after it: the question is put once between the two, which proves that the memory could have brought it.
    """
    if not short.expect and not short.never:
        raise document.error((), "nothing would be checked", hint="say what must reach the prompt with expect, or what must not with never")
    expect, never = (([texts] if isinstance(texts, str) else texts) for texts in (short.expect, short.never))
    said = [Said(text=line) if isinstance(line, str) else line for line in short.say]
    lines = [_words(exchange) for exchange in said]
    facts = {f"expected_{n}": _fact(text, short, lines) for n, text in enumerate(expect, start=1)}
    facts |= {f"never_{n}": _fact(text, short, lines) for n, text in enumerate(never, start=1)}
    if len(expect) == len(never) == 1:
        facts["expected_1"]["replaces"] = "never_1"
    places = {name: next((i for i, line in enumerate(lines) if fact["anchors"][0] in line), None) for name, fact in facts.items()}
    faults = [_fault(document, name, places[name], len(lines)) for name in facts if name.startswith("never_")]
    if any(faults):
        raise InputErrors([fault for fault in faults if fault is not None])
    steps: list[dict[str, Any]] = []
    for i, exchange in enumerate(said):
        proving = [name for name, place in places.items() if name.startswith("never_") and place == i - 1]
        if proving:
            steps.append({"ask": short.ask, "id": f"before-{i}", "thread": PROOF_THREAD, "needs": proving, "budget": _set(short.budget)})
        if exchange.at is not None and i:
            steps.append({"advance": exchange.at})
        tells = [name for name, place in places.items() if place == i]
        steps.append(_step(exchange) | ({"tells": tells} if tells else {}))
    absent = [
        {"fact": name, "why": "stale", "seen": f"before-{place + 1}"}
        for name, place in places.items()
        if name.startswith("never_") and place is not None
    ]
    after: dict[str, Any] = {"ask": short.ask, "id": "after", "thread": ASK_THREAD, "needs": [name for name in facts if name.startswith("expected_")]}
    steps.append(after | ({"absent": absent} if absent else {}) | {"budget": _set(short.budget)})
    head = short.model_dump(exclude={"say", "ask", "expect", "never", "budget"}, exclude_unset=True)
    start = {"start": said[0].at} if said[0].at is not None else {}
    return {**head, **start, "facts": facts, "steps": steps}


def _words(exchange: Said) -> str:
    return "\n".join(part for part in (exchange.text, exchange.reply) if part is not None)


def _step(exchange: Said) -> dict[str, Any]:
    """A whole turn, or words of the assistant that answer nobody."""
    if exchange.text is None:
        return {"append": {"role": "assistant", "text": exchange.reply}}
    return {"say": exchange.text} | ({"reply": exchange.reply} if exchange.reply is not None else {})


def _fact(text: str, short: ShortSpec, lines: list[str]) -> dict[str, Any]:
    """A text as a fact: what was said with it must match, what was said without it and the question must not."""
    asked = [short.ask] if isinstance(short.ask, str) else short.ask
    told = [line for line in lines if text in line]
    return {"anchors": [text], "like": told, "unlike": [line for line in (*lines, *asked) if line not in told]}


def _set(budget: Any) -> dict[str, Any]:
    values: dict[str, Any] = budget.model_dump(exclude_none=True)
    return values


def _fault(document: Document, name: str, place: int | None, lines: int) -> InputError | None:
    path = ("never", int(name.rsplit("_", 1)[1]) - 1) if isinstance(document.data["never"], list) else ("never",)
    if place is None:
        return document.error(path, "stands in nothing that was said, so its absence proves nothing", hint="say it first, word for word")
    if place == lines - 1:
        return document.error(path, "nothing is said after it that could end it", hint="say the change, or write the long form and name a proof")
    return None


def _named_first(step: dict[str, Any], kind: str) -> dict[str, Any]:
    return {kind: step[kind]} | step


class _Dumper(yaml.SafeDumper):
    """Quotes what our reader would not take as text."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    plain = text.replace("_", "").replace("-", "").replace("/", "").isalpha() and parse(text, "").data == text
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_Dumper.add_representer(str, _text)


def expand(scenario: Scenario) -> str:
    """The scenario as long-form YAML; loading it gives the same case."""
    data = scenario.spec.model_dump(by_alias=True, exclude_unset=True)
    data["steps"] = [_named_first(step, kind_of(model)) for step, model in zip(data["steps"], scenario.spec.steps, strict=True)]
    return dump(data)


def dump(data: dict[str, Any]) -> str:
    """Plain data as YAML that our reader reads back as it was."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text
