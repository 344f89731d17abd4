"""Accuracy with a new last layer, over how many photos of each class it was fitted on."""

from collections.abc import Mapping, Sequence
from typing import Literal

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from genset.core.safe import clean
from genset.finetune.compare import CurvePoint
from genset.reporting.figures.svg import ACCENT, AS_PERCENT, INK, MUTED, as_svg, plain

_MARGIN = 0.02  # of the vertical axis
_WIDTH, _HEIGHT = 3.6, 2.8  # inches
_APART = 0.07  # of a step: so that bars of two models do not cover each other


def learning_plots(
    task: str, curves: Mapping[str, Sequence[CurvePoint]]
) -> list[tuple[str, Markup]]:
    """A titled figure for each model with a curve, beside the baseline's.

    Args:
        task: its name.
        curves: of each model by its label, the baseline's first.
    """
    baseline, *_ = curves
    drawn = {label: curve for label, curve in curves.items() if len(curve) > 1}
    if len(drawn) > 1 and baseline in drawn:
        others = {label: curve for label, curve in drawn.items() if label != baseline}
    else:
        others = drawn
    shown = [point.accuracy for curve in drawn.values() for point in curve]
    low = max(0.0, min((found.low for found in shown), default=0.0) - _MARGIN)
    high = min(1.0, max((found.high for found in shown), default=1.0) + _MARGIN)
    figures = []
    for label, curve in others.items():
        beside = drawn.get(baseline, ()) if label != baseline else ()
        against = f" against {clean(baseline, 40)}" if beside else ""
        title = f"{task}: {clean(label, 40)}{against}"
        figures.append((title, learning_plot(title, curve, beside, (low, high))))
    return figures


def learning_plot(
    title: str,
    curve: Sequence[CurvePoint],
    baseline: Sequence[CurvePoint],
    ends: tuple[float, float],
) -> Markup:
    """A model's curve, solid, and the baseline's, dashed.

    Bars are Wilson's 95 % intervals, the band one standard deviation over seeds.

    Args:
        title: of the figure.
        curve: the model's accuracies by photos of each class.
        baseline: the baseline's; empty in its own figure.
        ends: of the vertical axis, 0 to 1, the same in all figures of a task.
    """
    figure = Figure(figsize=(_WIDTH, _HEIGHT))
    axes = figure.add_axes((0.17, 0.18, 0.8, 0.79))
    shots = sorted({point.shots for point in (*curve, *baseline)}, key=_order)
    step = {number: place for place, number in enumerate(shots)}
    if baseline:
        _draw(axes, baseline, step, -_APART, MUTED, (0, (4, 3)))
    _draw(axes, curve, step, _APART if baseline else 0.0, ACCENT)
    plain(axes)
    axes.set_xlim(-0.3, len(shots) - 0.7)
    axes.set_ylim(*ends)
    axes.xaxis.set_major_locator(FixedLocator(list(step.values())))
    axes.xaxis.set_major_formatter(FixedFormatter([str(number or "all") for number in shots]))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(AS_PERCENT)
    axes.set_xlabel("photos of each class", color=INK)
    return as_svg(figure, title)


def _order(shots: int | None) -> float:
    return float("inf") if shots is None else shots


def _draw(
    axes: Axes,
    curve: Sequence[CurvePoint],
    step: dict[int | None, int],
    aside: float,
    colour: str,
    style: Literal["-"] | tuple[int, tuple[int, int]] = "-",
) -> None:
    x = [step[point.shots] + aside for point in curve]
    shares = [point.accuracy.share for point in curve]
    spreads = [point.spread or 0.0 for point in curve]
    low, high = zip(*((s - d, s + d) for s, d in zip(shares, spreads, strict=True)), strict=True)
    axes.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0)
    lows = [point.accuracy.low for point in curve]
    axes.vlines(x, lows, [point.accuracy.high for point in curve], color=colour, linewidth=1.2)
    axes.plot(x, shares, color=colour, linewidth=1.5, linestyle=style)
    axes.plot(x, shares, "o", color=colour, markersize=5, clip_on=False)
