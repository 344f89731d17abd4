"""The figure of `genset tta profile`: all runs side by side, a panel for each question."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.figures import (
    Label,
    boxes_for_missing_glyphs,
    check_few,
    label_axes,
    legend,
    line_style,
    number_line,
    place,
    ticks,
    write_figure,
)
from genset.tta.profile.compared import Compared
from genset.tta.profile.roofline_figure import draw_roofline
from genset.tta.profile.run import Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_PAD = 38  # points from the bars to the title, with the legend in between


class _Part(NamedTuple):
    """A part of each bar. Lightness and hatching tell parts apart in print too."""

    label: str
    colour: str
    hatch: str
    shares: Sequence[float]


def draw_shares(axes: "Axes", runs: Sequence[Profile]) -> None:
    """Where each rank's device spent its time, a bar each."""
    lines = [(run, line) for run in runs for line in run.shares]
    parts = [
        _Part("computing", "#1f4e79", "", [line.computing for _, line in lines]),
        _Part("communication not hidden", "#e08214", "//", [line.exposed for _, line in lines]),
        _Part("copies alone", "#a6cee3", "..", [line.copying_alone for _, line in lines]),
        _Part("idle", "#f4f4f4", "", [line.idle for _, line in lines]),
    ]
    several = {run.name for run in runs if len({line.device for line in run.shares}) > 1}
    names = []
    for run, line in lines:
        said = clean(run.name, 24)
        if len(run.shares) > 1:
            said += "" if line.rank is None else f", rank {line.rank}"
            said += f", device {line.device}" if run.name in several else ""
        names.append(said)
    _draw(axes, names, parts, "share of time, %")
    axes.set_title("what the device did", loc="left", fontsize=12, pad=_PAD)


def draw_matrix_units(axes: "Axes", runs: Sequence[Profile]) -> None:
    """Kernel time by whether kernels use matrix units, a bar for each run."""
    known = [(run, run.matrix_units) for run in runs if run.matrix_units]
    parts = [
        _Part("use them", "#1b7837", "", [units.yes for _, units in known]),
        _Part("unclassified", "#d9d9d9", "xx", [units.unclassified for _, units in known]),
        _Part("do not", "#f4f4f4", "", [units.no for _, units in known]),
    ]
    _draw(axes, [clean(run.name, 24) for run, _ in known], parts, "share of kernel time, %")
    axes.set_title("kernels that use matrix units, by name", loc="left", fontsize=12, pad=_PAD)


def _draw(axes: "Axes", names: Sequence[str], parts: Sequence[_Part], label: str) -> None:
    check_few(len(names), "bars, one a rank")
    left = [0.0] * len(names)
    for part in parts:
        values = [100 * share for share in part.shares]
        style = {"color": part.colour, "hatch": part.hatch, "edgecolor": "0.35", "linewidth": 0.6}
        axes.barh(range(len(names)), values, left=left, label=part.label, **style)  # type: ignore[arg-type]
        left = [at + value for at, value in zip(left, values, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), names)
    for text in axes.get_yticklabels():
        text.set_parse_math(False)
    label_axes(axes, label, "")
    axes.grid(visible=False, axis="y")
    # Above the bars, where nothing stands.
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9)


_LEAST = 1e-3  # TFLOP/s: what is slower has moved bytes, and stands at the left edge
_LITTLE = 0.005


def draw_throughput(axes: "Axes", runs: Sequence[Profile], places: Mapping[str, int]) -> None:
    """The share of time at so many TFLOP/s or less: the farther right a line, the better.

    A line ends below 100 % where the work of some kernels is not known.

    Args:
        places: of each run by its name, by which its line has its style.
    """
    shown = [each.tflops for run in runs for each in run.roofline.throughput]
    axes.set_xscale("log")
    high = 2 * max([10 * _LEAST, *shown])
    low = max(_LEAST, min([high / 10, *filter(None, shown)]) / 2)
    for at, run in enumerate(runs):
        found = run.roofline.throughput
        shares = [100 * share for share in accumulate(each.share for each in found)]
        xs = [low / 2, *(max(each.tflops, low) for each in found), high]
        colour, dash = line_style(places[run.name])
        ys = [0.0, *shares, shares[-1]]
        axes.step(xs, ys, where="post", color=colour, linestyle=dash, linewidth=1.6)
        if len(runs) > 1:  # curves that lie together are found by numbers at different heights
            height = shares[-1] * (at + 0.5) / len(runs)
            number_line(
                axes,
                places[run.name],
                next(x for x, y in zip(xs, ys, strict=True) if y >= height),
                height,
            )
    axes.set_xlim(low, high)
    axes.set_ylim(0, 101)
    ticks(axes, "x")
    label_axes(axes, "TFLOP/s", "share of time at so many or less, %")
    if len(places) > 1:
        legend(axes, [(places[run.name], run.name) for run in runs], numbered=len(runs) > 1)
    less = any(run.roofline.unknown > _LITTLE for run in runs)
    said = "time by throughput" + "; what is missing to 100 % is not counted" * less
    axes.set_title(said, loc="left", fontsize=12)


_CURVES = 4.6
_LINE = 0.09  # inches that the roofline is higher for each name below it
_LONGEST = 24  # characters of a name


class _Panel(NamedTuple):
    """A part of the figure.

    Attributes:
        draw: returns names that are to be written when all else stands.
        inches: its height.
    """

    draw: Callable[["Axes"], Sequence[Label] | None]
    inches: float


def draw_profile(found: Compared, path: Path) -> None:
    """Draw what is known; panels of which nothing is known are left out.

    Raises:
        BadInput: there is nothing to draw, or there are more runs than a figure holds.
    """
    from matplotlib.figure import Figure

    panels = _panels(found.shown(_LONGEST))
    if not panels:
        raise BadInput(
            "nothing to draw: no kernel is recorded, and of no operator the work is known"
        )
    columns = min(2, len(panels))
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    heights = [max(panel.inches for panel in row) for row in rows]
    figure = Figure(figsize=(6.4 * columns, sum(heights)), layout="constrained")
    grid = figure.add_gridspec(len(rows), columns, height_ratios=heights)
    labels = []
    for at, panel in enumerate(panels):
        axes = figure.add_subplot(grid[at // columns, at % columns])
        labels.append((axes, panel.draw(axes)))
    with boxes_for_missing_glyphs():
        for axes, points in labels:
            if points:
                place(axes, points)
    write_figure(figure, path)


def _panels(found: Compared) -> list[_Panel]:
    """Bars first, then what has axes of its own."""
    names = [run.name for run in found.runs]
    names += [point.point.name for point in found.points]
    places = {name: at for at, name in enumerate(dict.fromkeys(names))}
    check_few(len(places), "runs")
    shared = [run for run in found.runs if run.shares]
    united = [run for run in found.runs if run.matrix_units]
    timed = [run for run in found.runs if run.roofline.throughput]
    panels = []
    if shared:
        bars = _bars(sum(len(run.shares) for run in shared))
        panels.append(_Panel(lambda axes: draw_shares(axes, shared), bars))
    if united:
        bars = _bars(len(united))
        panels.append(_Panel(lambda axes: draw_matrix_units(axes, united), bars))
    if found.points or any(run.roofline.run for run in found.runs):
        high = _CURVES + _LINE * len(places)
        panels.append(_Panel(lambda axes: draw_roofline(axes, found, places), high))
    if timed:
        panels.append(_Panel(lambda axes: draw_throughput(axes, timed, places), _CURVES))
    return panels


def _bars(count: int) -> float:
    return 1.9 + 0.3 * count
