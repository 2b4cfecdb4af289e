"""`bench`: retrieval scores on public data, with any system."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Settings, Systems, project, systems
from memgauge.errors import InputError

if TYPE_CHECKING:
    from memgauge.bench.dataset import Dataset
    from memgauge.bench.running import BenchResult
    from memgauge.protocol import MemorySystem
    from memgauge.systems.spec import SystemSpec

Out = Annotated[Path | None, typer.Option("--out", help="Write the scores as JSON.", show_default=False)]


def register(app: typer.Typer) -> None:
    bench = typer.Typer(help="Public data through any system.", no_args_is_help=True, rich_markup_mode=None)
    bench.command("locomo")(locomo)
    bench.command("longmemeval")(longmemeval)
    app.add_typer(bench, name="bench")


def locomo(
    path: Annotated[Path, typer.Argument(help="locomo10.json; it is not shipped (CC BY-NC 4.0).")],
    system: Systems = None,
    settings: Settings = None,
    out: Out = None,
    as_json: JsonFlag = False,
) -> int:
    """Retrieval scores on LoCoMo at turn level, against the evidence ids."""
    from memgauge.bench.locomo import read_locomo

    return _bench(read_locomo(path), system, settings, out, Output(as_json))


def longmemeval(
    path: Annotated[Path, typer.Argument(help="A file shaped like longmemeval_oracle.json, _s or _m; it is not shipped.")],
    pooled: Annotated[bool, typer.Option("--pooled", help="One store for all questions: gives a cut of the data distractors.")] = False,
    system: Systems = None,
    settings: Settings = None,
    out: Out = None,
    as_json: JsonFlag = False,
) -> int:
    """Retrieval scores on LongMemEval at turn level, against the turns that hold the answer."""
    from memgauge.bench.longmemeval import read_longmemeval

    return _bench(read_longmemeval(path, pooled=pooled), system, settings, out, Output(as_json))


def _bench(dataset: Dataset, names: list[str] | None, settings: list[str] | None, out: Path | None, output: Output) -> int:
    from memgauge.bench.running import run_bench
    from memgauge.tokens import counter

    if not dataset.questions:
        raise InputError(f"none of its {dataset.unscored} questions has a turn that answers it", where=dataset.name, hint="nothing can be scored")
    results = {}
    for spec in systems(names, settings, project()):
        with tempfile.TemporaryDirectory(prefix="memgauge-") as root:
            result = run_bench(dataset, _opener(spec), Path(root), counter())
        results[spec.name] = result.to_json()
        for line in _lines(spec.name, dataset, result):
            output.text(line)
        output.line("bench", {"system": spec.name, "dataset": dataset.name, **result.to_json()})
    if out is not None:
        try:
            out.write_text(json.dumps({"dataset": dataset.name, "systems": results}, indent=1), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=str(out), hint="choose another file with --out") from None
    output.summary(dataset=dataset.name, sha256=dataset.sha256, questions=dataset.questions, unscored=dataset.unscored, exit_code=0)
    return 0


def _opener(spec: SystemSpec) -> Callable[[Path], MemorySystem]:
    """A function that opens the system on a folder. The reference runs with its bench policy unless another is set."""
    from memgauge.clock import DEFAULT_START
    from memgauge.protocol import Request
    from memgauge.saboteurs.opener import open_system

    config = dict(spec.config)
    if spec.target == "reference":
        config = {"preset": "bench", **config}

    def opened(root: Path) -> MemorySystem:
        root.mkdir(parents=True)
        system = open_system(spec)
        answer = system.call(Request(op="open", now=DEFAULT_START, args={"root": str(root), "config": config}))
        if not answer.ok:
            raise InputError(f"{spec.name} could not be opened: {answer.reason}")
        return system

    return opened


def _lines(name: str, dataset: Dataset, result: BenchResult) -> list[str]:
    from memgauge.bench.retrieval import KS, RULES

    sha = f"{result.sha256[:8]}…{result.sha256[-6:]}"
    wide = max(24, *(len(group) + 2 for group in (*result.groups, *dataset.published)))
    lines = [f"{dataset.name}, {name}, turn level, sha256 {sha}; {result.unscored} questions without evidence not scored"]
    lines.append(
        f"{'recall, percent':<{wide}}" + "".join(f"{rule + '@' + str(k):>13}" for rule in RULES for k in KS) + f"{'mrr':>8}{'questions':>11}"
    )
    for group, table in result.groups.items():
        if table:
            values = "".join(f"{100 * table[f'recall_{rule}@{k}/turn']:>13.1f}" for rule in RULES for k in KS)
            lines.append(f"{group:<{wide}}{values}{table['mrr/turn']:>8.3f}{result.counts[group]:>11}")
    blank = " " * 13 * RULES.index("fraction") * len(KS)
    lines += [f"{row:<{wide}}{blank}" + "".join(f"{100 * found[k]:>13.1f}" for k in KS) for row, found in dataset.published.items()]
    lines.append(
        f"{result.tokens_mean:.0f} tokens a question (k = {max(KS)}), {result.query_ms_mean:.1f} ms a query (p95 {result.query_ms_p95:.1f}), "
        f"writing {result.write_ms / 1000:.1f} s"
    )
    return [*lines, *result.notes]
