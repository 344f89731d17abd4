"""Accuracies with their intervals, each in a row of a table, all on one scale.

Drawn by hand and not by matplotlib: seventy rows are a few kilobytes and take no time. Places are
per cent of the drawing's width, so it is as wide as its cell without bending the dots.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from genset.reporting.report import TopK
from genset.statistics.intervals import Interval

_MARGIN = 0.03  # of the scale, on either side
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class Scale:
    """The part of 0 to 1 that a column of drawings shows, and where its axis is marked."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def place(self, share: float) -> str:
        """Where a share is, in per cent of the width."""
        return f"{100 * (share - self.low) / (self.high - self.low):.2f}%"


def scale_of(tops: Sequence[TopK]) -> Scale:
    """The scale on which all of these are drawn.

    It runs where the intervals lie, not from 0 to 100 %: positions are compared, and lengths mean
    how sure a share is.
    """
    low = min((min(top.accuracy.low, top.clustered.low) for top in tops), default=0.0)
    high = max((max(top.accuracy.high, top.clustered.high) for top in tops), default=1.0)
    margin = max(_MARGIN * (high - low), 0.001)
    low, high = max(0.0, low - margin), min(1.0, high + margin)
    step = next((s for s in _STEPS if (high - low) / s <= _MOST_TICKS), _STEPS[-1])
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return Scale(low, high, tuple(number * step for number in range(first, last + 1)))


def axis(scale: Scale) -> Markup:
    """The axis that stands over the column: its marks in per cent."""
    marks = "".join(
        f'<text x="{scale.place(tick)}" y="11" text-anchor="middle">{100 * tick:.3g}</text>'
        for tick in scale.ticks
    )
    # Markup of numbers alone.
    return Markup(f'<svg class="axis" height="14" aria-hidden="true">{marks}</svg>')  # noqa: S704


def drawing(scale: Scale, top: TopK, name: str, says: str) -> Markup:
    """One row: a dot, Wilson's interval as a thick line, that of classes resampled as a thin one.

    Args:
        scale: of the column.
        top: what is drawn.
        name, says: what the page says of it to a pointer; the row has the same in numbers.
    """
    places = map(scale.place, scale.ticks)
    grid = "".join(f'<line x1="{x}" x2="{x}" y1="0" y2="100%"/>' for x in places)
    wilson = Interval(top.accuracy.low, top.accuracy.high)
    body = (
        f'<g class="grid">{grid}</g>{_line(scale, top.clustered, "thin")}'
        f"{_line(scale, wilson, 'thick')}"
        f'<circle cx="{scale.place(top.accuracy.share)}" cy="50%" r="4"/>'
    )
    start = Markup(
        '<svg class="drawn" height="16" aria-hidden="true" data-name="{}" data-says="{}">'
    )
    return start.format(name, says) + Markup(body) + Markup("</svg>")  # noqa: S704


def _line(scale: Scale, ends: Interval, kind: str) -> str:
    low, high = scale.place(ends.low), scale.place(ends.high)
    return f'<line class="{kind}" x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
