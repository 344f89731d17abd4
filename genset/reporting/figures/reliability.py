"""How often a model is right when it is this sure.

Drawn by hand and not by matplotlib: each of a hundred models has one.
"""

from markupsafe import Markup, escape

from genset.statistics.calibration import Calibration
from genset.statistics.intervals import wilson

_SIDE, _LEFT, _FOOT = 200, 60, 34  # of the square, and the room for its axes
_MARKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def reliability_plot(title: str, found: Calibration) -> Markup:
    """A dot for each range of confidence, with Wilson's interval; on the diagonal all is well."""
    bars, dots = [], []
    for part in found.bins:
        ends = wilson(round(part.accuracy * part.photos), part.photos)
        bars.append(f"M{_x(part.confidence)} {_y(ends.low)}V{_y(ends.high)}")
        dots.append(f'<circle cx="{_x(part.confidence)}" cy="{_y(part.accuracy)}" r="3.5"/>')
    grid = "".join(f"M{_x(0)} {_y(m)}H{_x(1)}M{_x(m)} {_y(0)}V{_y(1)}" for m in _MARKS)
    marks = "".join(
        f'<text x="{_x(mark)}" y="{_y(0) + 15:g}" text-anchor="middle">{100 * mark:g} %</text>'
        f'<text x="{_LEFT - 6}" y="{_y(mark) + 4:g}" text-anchor="end">{100 * mark:g} %</text>'
        for mark in _MARKS[::2]
    )
    body = (
        f'<path class="grid" d="{grid}"/><path class="same" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>'
        f'<path class="bars" d="{"".join(bars)}"/>{"".join(dots)}{marks}'
        f'<text x="{_x(0.5)}" y="{_SIDE + _FOOT + 4}" text-anchor="middle">its confidence</text>'
        f'<text transform="translate(12 {_y(0.5)}) rotate(-90)" text-anchor="middle">right</text>'
    )
    size = f"0 0 {_LEFT + _SIDE + 20} {_SIDE + _FOOT + 10}"
    start = f'<svg class="reliability" viewBox="{size}" role="img"><title>{escape(title)}</title>'
    # Markup of numbers alone, but for the title, which is escaped.
    return Markup(f"{start}{body}</svg>")  # noqa: S704


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(5 + _SIDE * (1 - share), 1)
