"""The protocol card: under which conditions a memory was run and counted. It stands over every comparison, and what differs is marked.

Two results answer the same question only where these are alike. One thing may differ on purpose: the memory, or one of its settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memgauge.records import Json
from memgauge.reports.run import Run

Card = Mapping[str, str]

NOT_TOLD = "not told"
_HASH = 12
_SETTLES = {"now": "reads see writes at once", "after_settle": "asked to settle before a read"}


def card(run: Run, system: str) -> Card:
    """What it was, in the order of a reader's questions, each in words. A memory that says nothing of a part has `not told` there."""
    treated = [case for case in run.cases if case.system == system and case.arm == "on"]
    told: Mapping[str, Any] = next((case.manifest for case in treated if case.manifest), {})
    spec: Mapping[str, Any] = next((one for one in run.manifest.get("systems", ()) if one.get("name") == system), {})
    versions: Mapping[str, str] = told.get("versions", {})
    assembled = sorted({case.assembled_by for case in treated})
    config: Mapping[str, Any] = spec.get("config") or {}
    assembly: Mapping[str, Any] = spec.get("assembly") or spec.get("assemble") or {}
    made = {
        "suite": str(run.manifest.get("suite") or NOT_TOLD),
        "seed": str(run.manifest.get("seed", 0)),
        "repeats": str(run.manifest.get("repeats") or 1),
        "memgauge": str(run.manifest.get("memgauge") or NOT_TOLD),
        "tokenizer": _joined(run.manifest.get("tokenizer"), ("name", "sha256")),
        "token budget": "the window that each scenario sets",
        "prompt assembled by": "/".join(assembled) or NOT_TOLD,
        "k": _k(assembly if "harness" in assembled else config),
        "unit stored": str(told.get("writes", NOT_TOLD)),
        "embedder": versions.get("embedder", NOT_TOLD),
        "extractor": versions.get("extractor", NOT_TOLD),
        "settling": _SETTLES.get(str(told.get("reads_see_writes", "")), NOT_TOLD),
        "clock": str(told.get("clock", NOT_TOLD)),
        "determinism": str(told.get("determinism", NOT_TOLD)),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items() if name not in ("embedder", "extractor")) or NOT_TOLD,
        "adapter by": "memgauge" if spec.get("builtin") else "the user",
        "adapter": str(spec.get("adapter") or NOT_TOLD)[:_HASH],
        "configuration": ", ".join(_settings(config)) or "as it comes",
        "configuration hash": str(spec.get("config_hash") or NOT_TOLD)[:_HASH],
    }
    return made | ({"assembly": ", ".join(_settings(assembly))} if "harness" in assembled and assembly else {})


def differing(champion: Card, challenger: Card) -> tuple[str, ...]:
    """The parts in which two cards are not alike."""
    return tuple(name for name in {**champion, **challenger} if champion.get(name) != challenger.get(name))


def to_json(champion: Card, challenger: Card) -> list[Json]:
    apart = differing(champion, challenger)
    return [
        {"what": name, "champion": champion.get(name, ""), "challenger": challenger.get(name, ""), "alike": name not in apart}
        for name in {**champion, **challenger}
    ]


def lines(champion: Card, challenger: Card) -> Iterator[str]:
    """A row a part: one that is alike is said once, one that is not is marked and said twice, champion first."""
    apart = differing(champion, challenger)
    for name in {**champion, **challenger}:
        ours, theirs = champion.get(name, "–"), challenger.get(name, "–")
        yield f"  ≠ {name:<20}{ours} | {theirs}" if name in apart else f"    {name:<20}{ours}"


def _k(settings: Mapping[str, Any]) -> str:
    """Items asked for: what the settings call so."""
    named = [setting for setting in _settings(settings) if setting.partition("=")[0].rpartition(".")[2] in ("k", "top_k")]
    return ", ".join(named) or "as it comes"


def _settings(config: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in sorted(config.items()):
        if isinstance(value, Mapping) and value:
            yield from _settings(value, f"{above}{key}.")
        else:
            yield f"{above}{key}={value}"


def _joined(told: object, parts: tuple[str, ...]) -> str:
    if not isinstance(told, Mapping):
        return str(told or NOT_TOLD)
    return " ".join(str(told[part])[:_HASH] for part in parts if part in told) or NOT_TOLD
