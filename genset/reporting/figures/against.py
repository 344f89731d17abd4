"""Accuracy here over accuracy elsewhere, with the fitted line and its band."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from genset.reporting.data.baseline import Against, Baseline
from genset.reporting.figures.svg import ACCENT, AS_PERCENT, INK, MUTED, as_svg, plain
from genset.statistics.bootstrap import Floats
from genset.statistics.trend import expit, logit
from genset.text.safe import clean

_WIDTH, _HEIGHT = 7.0, 5.2  # inches
_LETTER, _TEXT = 0.085, 0.2  # inches: about a letter's width at this size, and a line's height
_MOST_LABELS = 25


def against_plot(title: str, reference: Baseline, sures: Sequence[tuple[float, float]]) -> Markup:
    """A point for each model on logit axes, where the models' line is straight.

    The dashed line is "as good here as there".

    Args:
        title: of the figure.
        reference: the models' accuracies on both sets, and the line through them.
        sures: the ends of the interval of each model's accuracy here, in the order of
            `reference.models`, 0 to 1.
    """
    figure = Figure(figsize=(_WIDTH, _HEIGHT))
    axes = figure.add_axes((0.1, 0.11, 0.78, 0.87))
    axes.set_xscale("function", functions=(logit, expit))
    axes.set_yscale("function", functions=(logit, expit))
    models = reference.models
    x = np.array([model.elsewhere for model in models])
    y = np.array([model.here for model in models])
    _limits(axes, x, np.array(sures))
    if reference.line:
        across = [point.elsewhere for point in reference.line]
        low, high = zip(*(point.band for point in reference.line), strict=True)
        axes.fill_between(across, low, high, color=ACCENT, alpha=0.16, linewidth=0)
        axes.plot(across, [point.here for point in reference.line], color=ACCENT, linewidth=1.5)
    same = expit(np.linspace(-7, 7, 200))
    axes.plot(same, same, color=MUTED, linewidth=1.2, dashes=(4, 3))
    lows, highs = zip(*sures, strict=True)
    axes.vlines(x, lows, highs, color=INK, linewidth=1.2)
    axes.plot(x, y, "o", color=INK, markersize=6)
    plain(axes)
    axes.set_xlabel(f"top-1 on {clean(reference.name, 40)}", color=INK, parse_math=False)
    axes.set_ylabel("top-1 here", color=INK)
    _name_points(axes, models)
    return as_svg(figure, title)


def _limits(axes: Axes, x: Floats, sures: Floats) -> None:
    ladder = np.array([1, 2, 5, 10, 20, 30, 40, 50, 60, 65, 70, 75, 80, 85, 90, 95, 98, 99]) / 100
    for axis, values in ((axes.xaxis, x), (axes.yaxis, sures)):
        low, high = logit(values.min()), logit(values.max())
        margin = max(0.08 * float(high - low), 0.05)
        ends = expit(np.array([low - margin, high + margin]))
        (axes.set_xlim if axis is axes.xaxis else axes.set_ylim)(float(ends[0]), float(ends[1]))
        axis.set_major_locator(
            FixedLocator(ladder[(ladder > ends[0]) & (ladder < ends[1])].tolist())
        )
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(AS_PERCENT)


def _name_points(axes: Axes, models: Sequence[Against]) -> None:
    """Write each name beside its point, where it covers no other and no point.

    Of many models only those are named that are farthest from the line.
    """
    figure = axes.figure
    inches = axes.transData + figure.dpi_scale_trans.inverted()
    points = inches.transform([(model.elsewhere, model.here) for model in models])
    boxes = [(px - 0.06, py - 0.06, px + 0.06, py + 0.06) for px, py in points]
    order = sorted(range(len(models)), key=lambda n: -abs(models[n].above or 0.0))
    for number in order[:_MOST_LABELS]:
        name = clean(models[number].label, longest=28)
        width = _LETTER * len(name)
        px, py = points[number]
        for left, bottom in _beside(px, py, width):
            box = (left, bottom, left + width, bottom + _TEXT)
            inside = left > 0.7 and box[2] < _WIDTH and bottom > 0.6 and box[3] < _HEIGHT
            if inside and not any(_touch(box, other) for other in boxes):
                boxes.append(box)
                _write(axes, name, (left, bottom), (px, py))
                break


def _beside(x: float, y: float, width: float) -> list[tuple[float, float]]:
    """Where a name may stand, its lower left corner: the best place first, then farther off."""
    near = [(x + 0.1, y - 0.1), (x - 0.1 - width, y - 0.1)]
    off = [(x + 0.15, y - 0.15 - step) for step in (0.15, 0.4, 0.65, 0.9)]
    return near + off + [(x - 0.15 - width, y - 0.05 + step) for step in (0.15, 0.4, 0.65, 0.9)]


def _write(axes: Axes, name: str, corner: tuple[float, float], point: tuple[float, float]) -> None:
    """The name, with a thin line to its point where that is not at once beside it."""
    is_right = corner[0] > point[0]
    across = corner[0] if is_right else corner[0] + _LETTER * len(name)
    whole = axes.figure.transFigure
    if abs(corner[1] + 0.1 - point[1]) > 0.01:
        end = across - 0.03 if is_right else across + 0.03
        xs = (point[0] / _WIDTH, end / _WIDTH)
        ys = (point[1] / _HEIGHT, (corner[1] + 0.1) / _HEIGHT)
        axes.plot(xs, ys, transform=whole, color=MUTED, linewidth=0.7, zorder=1)
    axes.text(
        across / _WIDTH,
        (corner[1] + 0.05) / _HEIGHT,
        name,
        transform=whole,
        horizontalalignment="left" if is_right else "right",
        fontsize=10,
        color=INK,
        parse_math=False,
    )


def _touch(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
