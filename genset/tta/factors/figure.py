"""The figure of `genset tta factors`."""

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.factors.factors import Factors
from genset.tta.factors.study import Configuration, Estimate
from genset.tta.figures import check_few, new_figure, time_unit
from genset.tta.words import level, metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MEAN, _RUN = "C0", "0.6"
_MOST_CURVES = 6
_OFFSET = 0.22  # dots stand below the line, by this part of a row
_MARGIN = 0.3


class _Quantity(NamedTuple):
    """What a panel shows: a field of `Repeat`, and of `Configuration`."""

    label: str
    of_run: str
    of_all: str
    scale: float = 1.0  # what one of the unit shown is
    from_zero: bool = True


# A study or a curve: its title, a line for each of its configurations (None where there is no run),
# and what its panels show.
_Panels = tuple[str, list[tuple[str, Configuration | None]], Sequence[_Quantity]]


def draw_factors(found: Factors, path: Path) -> None:
    """A row of panels for each study and curve: means with their intervals, and each run.

    Raises:
        BadInput: there is nothing to draw, or more than a figure holds.
    """
    check_few(len(found.order), "factors")
    if len(found.curves) > _MOST_CURVES:
        raise BadInput(f"a figure shows at most {_MOST_CURVES} curves, not {len(found.curves)}")
    several = [row for row in _panels(found) if row[1]]
    if not several:
        raise BadInput("no run has anything on, and no setting differs: there is nothing to draw")
    heights = [0.9 + 0.36 * len(lines) for _, lines, _ in several]
    with new_figure(path, 11, sum(heights) + 0.5) as figure:
        grid = figure.add_gridspec(len(heights), 3, height_ratios=heights)
        for at, (title, lines, quantities) in enumerate(several):
            for column, quantity in enumerate(quantities):
                axes = figure.add_subplot(grid[at, column])
                _draw_panel(axes, lines, quantity)
                if column:
                    axes.set_yticklabels([])
                else:
                    axes.set_title(title)
        figure.supxlabel("diamond: mean; line: its interval of 95 %; dot: a run", fontsize=9)


def _panels(found: Factors) -> Iterator[_Panels]:
    hours = [run.hours for cell in found.configurations for run in cell.runs if run.hours]
    unit, hours_of_one = time_unit(max(hours, default=1.0))
    least = level(found.threshold, found.percent)
    score = f"final {metric(found.score)}{', %' if found.percent else ''}"
    time = _Quantity(f"{unit} to {least}", "hours", "hours", hours_of_one)
    final = _Quantity(score, "final", "final", from_zero=False)
    rate = _Quantity(found.throughput_unit, "throughput", "throughput")
    epochs = _Quantity("epochs needed", "epoch", "epochs")
    added = [(f"+ {step.factor}" if step.factor else "none", step.found) for step in found.addition]
    yield "added one after another", added, (time, final, rate)
    lesion = [(f"all but {s.factor}" if s.factor else "all", s.found) for s in found.lesion]
    yield "all but one", lesion, (time, final, rate)
    for curve in found.curves:
        others = [*curve.on, *(f"{key} = {value:g}" for key, value in curve.settings.items())]
        title = f"by {curve.setting}" + (f", with {', '.join(others)}" if others else "")
        points = [(f"{value:g}", cell) for value, cell in curve.points]
        yield clean(title, 60), [*points], (time, epochs, rate)


def _draw_panel(
    axes: "Axes", lines: Sequence[tuple[str, Configuration | None]], quantity: _Quantity
) -> None:
    from matplotlib.ticker import EngFormatter, MaxNLocator

    cells = [(place, cell) for place, (_, cell) in enumerate(lines) if cell]
    for place, cell in cells:
        runs = [getattr(run, quantity.of_run) for run in cell.runs]
        dots = [value / quantity.scale for value in runs if value is not None]
        axes.plot(dots, [place + _OFFSET] * len(dots), "o", color=_RUN, markersize=4, zorder=2)
        if found := getattr(cell, quantity.of_all):
            mean = found.mean / quantity.scale
            axes.plot([mean], [place], "D", color=_MEAN, markersize=6, zorder=4)
    # An axis for the runs: the interval of two that differ may reach far beyond all of them.
    axes.margins(x=_MARGIN)
    axes.set_xlim(0.0 if quantity.from_zero else axes.get_xlim()[0], axes.get_xlim()[1])
    for place, cell in cells:
        estimate: Estimate | None = getattr(cell, quantity.of_all)
        ends = [end / quantity.scale for end in (estimate and estimate.interval) or ()]
        if ends and isfinite(ends[1]):
            axes.plot(ends, [place] * 2, "-", color=_MEAN, linewidth=2, zorder=3)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
    if axes.get_xlim()[1] >= 10_000:  # as 20k: longer numbers run into each other
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks(range(len(lines)), [_label(*line) for line in lines])
    axes.set_xlabel(quantity.label)


def _label(label: str, cell: Configuration | None) -> str:
    if cell is None:
        return f"{clean(label, 28)} (no run)"
    reached, runs = cell.reached, len(cell.runs)
    return f"{clean(label, 28)}{'' if reached == runs else f' ({reached} of {runs} reach)'}"
