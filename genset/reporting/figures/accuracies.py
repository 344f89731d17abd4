"""Accuracies with their intervals, one row a model."""

from collections.abc import Sequence

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from genset.reporting.data.report import TopK
from genset.reporting.figures.svg import ACCENT, AS_PERCENT, INK, as_svg, plain
from genset.text.numbers import percent
from genset.text.safe import clean

_WIDTH, _ROW, _AXIS = 5.0, 0.48, 0.4  # inches


def interval_plot(title: str, rows: Sequence[tuple[str, TopK]]) -> Markup:
    """A dot with two 95 % intervals for each row: thick Wilson's, thin that of classes resampled.

    The axis runs where the intervals lie, not from 0 to 100 %: positions are compared here, and
    lengths mean how sure a share is.
    """
    height = _ROW * len(rows) + _AXIS
    figure = Figure(figsize=(_WIDTH, height))
    axes = figure.add_axes((0.01, _AXIS / height, 0.94, 1 - _AXIS / height))
    places = range(len(rows), 0, -1)
    tops = [top for _, top in rows]
    for ends, width in (
        ([(top.clustered.low, top.clustered.high) for top in tops], 1.2),
        ([(top.accuracy.low, top.accuracy.high) for top in tops], 4.0),
    ):
        lows, highs = zip(*ends, strict=True)
        axes.hlines(places, lows, highs, color=ACCENT, linewidth=width)
    shares = [top.accuracy.share for top in tops]
    axes.plot(shares, places, "o", color=ACCENT, markersize=7, clip_on=False)
    for place, (label, top) in zip(places, rows, strict=True):
        _write(axes, 0, place, "left", clean(label, longest=40))
        share = percent(top.accuracy.share, top.accuracy.photos)
        _write(axes, 1, place, "right", f"{share} %")
    low = min(min(top.accuracy.low, top.clustered.low) for top in tops)
    high = max(max(top.accuracy.high, top.clustered.high) for top in tops)
    margin = 0.05 * (high - low)
    axes.set_xlim(max(0.0, low - margin), min(1.0, high + margin))
    axes.set_ylim(0.6, len(rows) + 0.7)
    plain(axes)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(AS_PERCENT)
    return as_svg(figure, title)


def _write(axes: Axes, x: float, place: float, side: str, text: str) -> None:
    axes.text(
        x,
        place + 0.26,
        text,
        transform=axes.get_yaxis_transform(),
        horizontalalignment=side,
        fontsize=11,
        color=INK,
        parse_math=False,  # a model may be called "$x$"
    )
