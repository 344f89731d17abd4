"""The figure of `genset tta factors`."""

from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.factors.configurations import Configuration, Estimate, Repeat
from genset.tta.factors.effects import Curve, Step
from genset.tta.factors.factors import Factors
from genset.tta.figures import check_few, label_axes, time_unit, write_figure
from genset.tta.words import level, metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MEAN, _RUN = "C0", "0.6"
_MOST_CURVES = 6
_MOST_TICKS = 10
_OFFSET = 0.22  # dots stand below the line, by this part of a row
_MARGIN = 0.3
_WIDE = 6.0  # from so many times as much on, an axis is logarithmic


class _Quantity(NamedTuple):
    """What a panel shows: of one run, and of all runs of a configuration."""

    label: str
    of_run: Callable[[Repeat], float | None]
    of_all: Callable[[Configuration], Estimate | None]
    scale: float = 1.0  # what one of the unit shown is
    from_zero: bool = True


def draw_factors(found: Factors, path: Path) -> None:
    """A row of panels for each study and curve: means with their intervals, and each run.

    Raises:
        BadInput: there is nothing to draw, or more than a figure holds.
    """
    from matplotlib.figure import Figure

    studies = [(title, steps) for title, steps in _studies(found) if steps]
    if not studies and not found.curves:
        raise BadInput("no run has anything on, and no setting differs: there is nothing to draw")
    check_few(len(found.order), "factors")
    if len(found.curves) > _MOST_CURVES:
        raise BadInput(f"a figure shows at most {_MOST_CURVES} curves, not {len(found.curves)}")
    heights = [0.9 + 0.36 * len(steps) for _, steps in studies]
    heights += [2.8] * len(found.curves)
    figure = Figure(figsize=(11, sum(heights) + 0.5), layout="constrained")
    grid = figure.add_gridspec(len(heights), 3, height_ratios=heights)
    time, final, rate, epochs = _quantities(found)
    for at, (title, steps) in enumerate(studies):
        panels = [figure.add_subplot(grid[at, column]) for column in range(3)]
        for axes, quantity in zip(panels, (time, final, rate), strict=True):
            _draw_steps(axes, steps, quantity, labelled=axes is panels[0])
        panels[0].set_title(title, loc="left", fontsize=12)
    for at, curve in enumerate(found.curves, len(studies)):
        panels = [figure.add_subplot(grid[at, column]) for column in range(3)]
        for axes, quantity in zip(panels, (time, epochs, rate), strict=True):
            _draw_curve(axes, curve, quantity)
        _plain(panels[0].set_title(_curve_title(curve), loc="left", fontsize=12))
    figure.supxlabel("diamond: mean; line: its interval of 95 %; dot: a run", fontsize=9)
    write_figure(figure, path)


def _studies(found: Factors) -> list[tuple[str, list[tuple[str, Step]]]]:
    addition = [(f"+ {step.factor}" if step.factor else "none", step) for step in found.addition]
    lesion = [(f"all but {step.factor}" if step.factor else "all", step) for step in found.lesion]
    return [("added one after another", addition), ("all but one", lesion)]


def _quantities(found: Factors) -> tuple[_Quantity, _Quantity, _Quantity, _Quantity]:
    hours = [run.hours for cell in found.configurations for run in cell.runs if run.hours]
    unit, hours_of_one = time_unit(max(hours, default=1.0))
    least = level(found.threshold, found.percent)
    score = f"final {metric(found.score)}{', %' if found.percent else ''}"
    return (
        _Quantity(f"{unit} to {least}", lambda run: run.hours, lambda all: all.hours, hours_of_one),
        _Quantity(score, lambda run: run.final, lambda all: all.final, from_zero=False),
        _Quantity(found.throughput_unit, lambda run: run.throughput, lambda all: all.throughput),
        _Quantity("epochs needed", lambda run: run.epoch, lambda all: all.epochs),
    )


def _draw_steps(
    axes: "Axes", steps: Sequence[tuple[str, Step]], quantity: _Quantity, labelled: bool
) -> None:
    shown: list[float] = []
    for at, (_, step) in enumerate(steps):
        if step.found:
            shown += _draw_cell(axes, step.found, quantity, at, across=True)
    _limits(axes, shown, quantity, across=True)
    axes.set_ylim(len(steps) - 0.5, -0.5)
    axes.set_yticks(range(len(steps)), [_label(*step) for step in steps] if labelled else [])
    for text in axes.get_yticklabels():
        _plain(text)
    label_axes(axes, quantity.label, "")


def _label(label: str, step: Step) -> str:
    if step.found is None:
        return f"{clean(label, 28)} (no run)"
    reached, runs = step.found.reached, len(step.found.runs)
    return f"{clean(label, 28)}{'' if reached == runs else f' ({reached} of {runs} reach)'}"


def _draw_curve(axes: "Axes", curve: Curve, quantity: _Quantity) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    shown: list[float] = []
    for value, cell in curve.points:
        shown += _draw_cell(axes, cell, quantity, value, across=False)
    means = [(value, quantity.of_all(cell)) for value, cell in curve.points]
    line = [(value, found.mean / quantity.scale) for value, found in means if found]
    if line:
        axes.plot(*zip(*line, strict=True), color=_MEAN, linewidth=1.2)
    values = [value for value, _ in curve.points]
    axes.plot(values, [0] * len(values), alpha=0)  # also those of which nothing is known
    if min(values) > 0 and max(values) / min(values) >= _WIDE:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    if len(values) <= _MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(values))
        axes.set_xticklabels([_tick(*point) for point in curve.points])
    _limits(axes, shown, quantity, across=False)
    label_axes(axes, "", quantity.label)
    _plain(axes.set_xlabel(clean(curve.setting, 40)))


def _tick(value: float, cell: Configuration) -> str:
    reached, runs = cell.reached, len(cell.runs)
    return f"{value:g}" if reached == runs else f"{value:g}\n{reached} of {runs} reach"


def _curve_title(curve: Curve) -> str:
    others = [*curve.on, *(f"{key} = {value:g}" for key, value in curve.settings.items())]
    return clean(f"by {curve.setting}" + (f", with {', '.join(others)}" if others else ""), 60)


def _draw_cell(
    axes: "Axes", cell: Configuration, quantity: _Quantity, place: float, across: bool
) -> list[float]:
    """Dots, and the mean with its interval; returns what was drawn."""
    runs = [quantity.of_run(run) for run in cell.runs]
    dots = [value / quantity.scale for value in runs if value is not None]
    row = place + _OFFSET if across else place
    _points(axes, dots, row, across, color=_RUN, marker="o", markersize=4, zorder=2)
    found = quantity.of_all(cell)
    if found is None:
        return dots
    ends = [end / quantity.scale for end in found.interval or () if isfinite(end)]
    if len(ends) == 2:
        _points(axes, ends, place, across, color=_MEAN, linestyle="-", linewidth=2, zorder=3)
    mean = found.mean / quantity.scale
    _points(axes, [mean], place, across, color=_MEAN, marker="D", markersize=6, zorder=4)
    return [*dots, mean]


def _points(
    axes: "Axes", values: Sequence[float], place: float, across: bool, **style: object
) -> None:
    both = (values, [place] * len(values))
    line = {"linestyle": "", **style}
    axes.plot(*(both if across else both[::-1]), **line)  # type: ignore[arg-type]


def _limits(axes: "Axes", shown: Sequence[float], quantity: _Quantity, across: bool) -> None:
    """An axis for the runs: the interval of two that differ may reach far beyond all of them."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    if not shown:
        return
    low, high = min(shown), max(shown)
    wide = (high - low) or abs(high) or 1.0
    if quantity.from_zero:
        limits = 0.0, max(high + _MARGIN * wide, 1.1 * high)
    else:
        limits = low - _MARGIN * wide, high + _MARGIN * wide
    axis = axes.xaxis if across else axes.yaxis
    (axes.set_xlim if across else axes.set_ylim)(*limits)
    axis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
    if limits[1] >= 10_000:  # as 20k: longer numbers run into each other
        axis.set_major_formatter(EngFormatter(sep=""))


def _plain(text: object) -> None:
    """A stranger's words are no formula."""
    from matplotlib.text import Text

    assert isinstance(text, Text)
    text.set_parse_math(False)
