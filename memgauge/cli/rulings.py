"""`review`: rule on the sentences a run was unsure of. Rulings go to labels.yaml beside memgauge.yaml; commit it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import RootModel

from memgauge.cli.output import JsonFlag, Output
from memgauge.errors import InputError

if TYPE_CHECKING:
    from memgauge.evaluators.labels import LabelKey
    from memgauge.records import Judgement

FILE = "labels.yaml"
_HEAD = "# Rulings of people: scenario, fact, hash of the text, and whether that text states the fact. Written by `memgauge review`.\n"


class _Labels(RootModel[dict[str, dict[str, dict[str, bool]]]]):
    pass


def register(app: typer.Typer) -> None:
    app.command()(review)


def review(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    yes: Annotated[list[str] | None, typer.Option("--yes", metavar="HASH", help="This text states the fact.", show_default=False)] = None,
    no: Annotated[list[str] | None, typer.Option("--no", metavar="HASH", help="This text does not.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> int:
    """Show what a run was unsure of; with --yes or --no rule on it. `memgauge rescore RUN` then judges the run again."""
    from memgauge.cli.selection import project
    from memgauge.evaluators import judge
    from memgauge.evaluators.doubts import doubts
    from memgauge.reports.folder import read_history, read_run

    output = Output(as_json)
    path = project().folder / FILE
    labels = read_labels(path)
    loaded = read_run(run)
    found = []
    for case in loaded.cases:
        if case.content != "private":
            plan, history = read_history(loaded, case)
            found += doubts(plan, history, judge(plan, history, labels=labels), labels)
    ruled = dict.fromkeys(yes or (), True) | dict.fromkeys(no or (), False)
    known = {doubt.key.text for doubt in found}
    if strange := [name for name in ruled if name not in known]:
        raise InputError(f"the run was not unsure of {strange[0]!r}", hint=f"memgauge review {run} lists the hashes; nothing was written")
    new = {doubt.key: ruled[doubt.key.text] for doubt in found if doubt.key.text in ruled}
    if new:
        _write(path, labels | new)
    for doubt in found:
        state = {True: "states it", False: "does not state it", None: "unsure"}[new.get(doubt.key)]
        output.text(f"{doubt.key.text}  {doubt.key.scenario}  {doubt.key.fact}  {state}: {doubt.text!r}")
        output.line("doubt", {**doubt.key._asdict(), "check": doubt.check, "words": doubt.text, "ruling": new.get(doubt.key)})
    output.text(
        f"{len(found)} texts are unsure" + (f"; {len(new)} ruled on in {path}" if new else "; rule with --yes HASH or --no HASH" if found else "")
    )
    output.summary(run=str(run), unsure=len(found), ruled=len(new), exit_code=0)
    return 0


def read_labels(path: Path) -> dict[LabelKey, bool]:
    """The rulings of a file; none when there is no file. Raises InputError for one that cannot be used."""
    from memgauge.strict_yaml import load, validate

    return as_labels(validate(load(path), _Labels).root) if path.exists() else {}


def as_labels(nested: Mapping[str, Mapping[str, Mapping[str, bool]]]) -> dict[LabelKey, bool]:
    """Rulings as they are written, by scenario, fact and text, as those of the judge."""
    from memgauge.evaluators.labels import LabelKey

    return {
        LabelKey(scenario, fact, text): said for scenario, facts in nested.items() for fact, texts in facts.items() for text, said in texts.items()
    }


def ruled_judge(folder: Path) -> Callable[..., Judgement]:
    """The judge with the rulings of a project's folder."""
    from memgauge.evaluators import judge

    labels = read_labels(folder / FILE)
    return functools.partial(judge, labels=labels) if labels else judge


def label_digests(folder: Path) -> dict[str, str]:
    """By scenario, a hash of the rulings on it: who judged by other rulings cannot be compared."""
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for key, said in sorted(read_labels(folder / FILE).items()):
        found.setdefault(key.scenario, []).append((key.fact, key.text, said))
    return {scenario: hashlib.sha256(repr(rulings).encode()).hexdigest()[:16] for scenario, rulings in found.items()}


def _write(path: Path, labels: dict[LabelKey, bool]) -> None:
    import yaml

    from memgauge.reports.jsonl import write_text

    nested: dict[str, dict[str, dict[str, bool]]] = {}
    for key in sorted(labels):
        nested.setdefault(key.scenario, {}).setdefault(key.fact, {})[key.text] = labels[key]
    write_text(path, _HEAD + yaml.safe_dump(nested, allow_unicode=True, width=140))
