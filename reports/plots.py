"""Plots as SVG that goes into a page: the same bytes for the same numbers, in the colours of the page around it.

matplotlib draws with stand-in colours which are then replaced by CSS variables, so that one picture serves light and dark.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memgauge.records import Arm
from memgauge.reports.summary import GroupRow, RunSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK, _FAINT = "#010203", "#040506"
_COLOURS: Mapping[Arm, str] = {"on": "#070809", "recent-equal": "#0a0b0c", "placebo": "#0d0e0f", "off": "#101112"}
_MARKS: Mapping[Arm, str] = {"on": "o", "recent-equal": "D", "placebo": "^", "off": "s"}
_OFF_LINE: Mapping[Arm, float] = {"on": 0.0, "recent-equal": 0.17, "placebo": 0.0, "off": -0.17}
"""Marks of equal share stand above one another, not on one another."""

_VARIABLES = {_INK: "var(--ink)", _FAINT: "var(--line)"} | {colour: f"var(--arm-{arm})" for arm, colour in _COLOURS.items()}
_STYLE: Mapping[Any, Any] = {
    "font.family": "DejaVu Sans", "font.size": 10.0, "text.parse_math": False, "svg.fonttype": "none",
    "text.color": _INK, "axes.labelcolor": _INK, "xtick.color": _INK, "ytick.color": _INK,
    "axes.edgecolor": _FAINT, "grid.color": _FAINT, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
}  # fmt: skip


def sufficiency(rows: Sequence[GroupRow]) -> str:
    """Share of sufficient prompts by class and arm, one panel for each system; empty without any such check."""
    asked = [row for row in rows if row.sufficient.scored]
    systems = list(dict.fromkeys(row.system for row in asked))
    classes = sorted({row.name for row in asked}, reverse=True)
    if not asked:
        return ""
    with _figure("sufficiency", len(systems), height=0.9 + 0.34 * len(classes)) as (figure, panels):
        for system, panel in zip(systems, panels, strict=True):
            for place, class_ in enumerate(classes):
                shares = {row.arm: row.sufficient.share or 0.0 for row in asked if row.name == class_ and row.system == system and row.arm in _MARKS}
                if shares:
                    panel.plot([min(shares.values()), max(shares.values())], [place, place], color=_FAINT, linewidth=1.5, zorder=1)
                for arm, share in shares.items():
                    panel.plot(
                        share,
                        place + _OFF_LINE[arm],
                        _MARKS[arm],
                        color=_COLOURS[arm],
                        fillstyle="full" if arm == "on" else "none",
                        markersize=6.5,
                        zorder=2 + (arm == "on"),
                    )
            panel.set_yticks(range(len(classes)), classes)
            panel.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
            panel.set(xlim=(-0.04, 1.04), ylim=(-0.6, len(classes) - 0.4))
            panel.grid(axis="x", linewidth=0.6)
            panel.set_title(system if len(systems) > 1 else "sufficient prompts", loc="left", fontsize=10)
        _legend(figure, [arm for arm in _COLOURS if any(row.arm == arm for row in asked)])
        return _svg(figure)


def growth(summary: RunSummary) -> str:
    """Tokens of each prompt against the messages stored by then, one panel for each system; empty without two different ages."""
    points = summary.growth
    if len({stored for _, _, stored, _ in points}) < 2:
        return ""
    systems = list(dict.fromkeys(system for system, *_ in points))
    arms = [arm for arm in _COLOURS if any(point[1] == arm for point in points)]
    oldest = max(stored for _, _, stored, _ in points)
    ticks = [0, 1, 10, *(10**power for power in range(2, 9) if 10**power <= 2 * oldest)]
    with _figure("growth", len(systems), height=3.2) as (figure, panels):
        for system, panel in zip(systems, panels, strict=True):
            for arm in arms:
                mine = [(stored, tokens) for name, which, stored, tokens in points if (name, which) == (system, arm)]
                style: dict[str, Any] = {"color": _COLOURS[arm], "fillstyle": "full" if arm == "on" else "none", "markersize": 4, "linestyle": "none"}
                panel.plot([x for x, _ in mine], [y for _, y in mine], _MARKS[arm], **style)
            panel.set_xscale("symlog", linthresh=10)
            panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
            panel.minorticks_off()
            panel.set_xlabel("messages stored")
            panel.set_ylim(bottom=0)
            panel.grid(linewidth=0.6)
            panel.set_title(system if len(systems) > 1 else "tokens of a prompt (mean)", loc="left", fontsize=10)
        _legend(figure, arms)
        return _svg(figure)


def price(summary: RunSummary) -> str:
    """Sufficiency against the tokens of memory, a point for each system with its name; empty for fewer than three systems."""
    points = [
        (system.name, system.cost.memory.mean, system.benefit.arms["on"].share)
        for system in summary.systems
        if system.cost.memory and "on" in system.benefit.arms and system.benefit.arms["on"].share is not None
    ]
    if len(points) < 3:
        return ""
    with _figure("price", 1, height=3.2) as (figure, panels):
        for name, tokens, share in points:
            panels[0].plot(tokens, 100 * (share or 0.0), "o", color=_COLOURS["on"], markersize=6)
            panels[0].annotate(name, (tokens, 100 * (share or 0.0)), xytext=(6, 4), textcoords="offset points", fontsize=8)
        panels[0].set_xlabel("tokens that memory puts into a prompt (mean)")
        panels[0].set_title("sufficient prompts, %", loc="left", fontsize=10)
        panels[0].grid(linewidth=0.6)
        panels[0].margins(x=0.15, y=0.15)
        return _svg(figure)


_UNWANTED = (
    re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL),
    re.compile(r"\s*<style .*?</style>", re.DOTALL),
    re.compile(r'(?<=<g) id="[^"]*"'),
    re.compile(r' (?:width|height)="[0-9.]+pt"'),
    re.compile(r"font: [^;\"]*;? ?"),
)


@contextmanager
def _figure(name: str, panels: int, height: float) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure without a display, with panels side by side, and the settings every picture shares."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with warnings.catch_warnings(), matplotlib.rc_context({**matplotlib.rcParamsDefault, **_STYLE, "svg.hashsalt": name}):
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # the reader's own fonts draw the text
        figure = Figure(figsize=(max(5.2, 3.2 * panels), height), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots(1, panels, sharey=True, squeeze=False)
        yield figure, list(axes[0])


def _legend(figure: Figure, arms: Sequence[Arm]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=_COLOURS[arm], marker=_MARKS[arm], fillstyle="full" if arm == "on" else "none", linestyle="none", label=arm)
        for arm in arms
    ]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), handletextpad=0.2, columnspacing=1.2)


def _svg(figure: Figure) -> str:
    """The picture without what a page has no use for: prolog, metadata, fixed size, styles for everything, names of groups."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}, transparent=True)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    for unwanted in _UNWANTED:
        text = unwanted.sub("", text)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    return text
