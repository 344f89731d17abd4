"""Accuracy with a new last layer, over how many photos of each class it was fitted on."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from genset.core.safe import clean
from genset.finetune.compare import CurvePoint

_WIDTH, _HEIGHT = 300, 190  # pixels
_LEFT, _TOP, _FOOT = 48, 8, 40  # room for the axes
_MARGIN = 0.02  # of the vertical axis
_APART = 4  # pixels, so that bars of two models do not cover each other
_TICKS = 4

Curves = Mapping[str, Sequence[CurvePoint]]


def learning_plots(task: str, curves: Curves) -> list[tuple[str, Markup]]:
    """A titled figure for each model with a curve, beside the baseline's, which is dashed.

    Bars are Wilson's 95 % intervals, bands one standard deviation over seeds.

    Args:
        task: its name.
        curves: of each model by its label, the baseline's first.
    """
    baseline, *_ = curves
    drawn = {label: curve for label, curve in curves.items() if len(curve) > 1}
    others = [label for label in drawn if label != baseline] or list(drawn)
    points = [point for curve in drawn.values() for point in curve]
    low = max(0.0, min((point.accuracy.low for point in points), default=0.0) - _MARGIN)
    high = min(1.0, max((point.accuracy.high for point in points), default=1.0) + _MARGIN)
    shots = sorted({point.shots for point in points}, key=lambda n: n or float("inf"))
    figures = []
    for label in others:
        dashed = drawn.get(baseline, ()) if label != baseline else ()
        against = f" against {clean(baseline, 40)}" if dashed else ""
        title = f"{task}: {clean(label, 40)}{against}"
        plot = _Plot(shots, low, high)
        lines = [plot.curve(dashed, "dashed", -_APART)] if dashed else []
        lines.append(plot.curve(drawn[label], "solid", _APART if dashed else 0))
        size = f"0 0 {_WIDTH} {_HEIGHT}"
        start = f'<svg class="learning" viewBox="{size}" role="img"><title>{escape(title)}</title>'
        # Markup of numbers alone, but for the title, which is escaped.
        svg = Markup(f"{start}{plot.axes()}{''.join(lines)}</svg>")  # noqa: S704
        figures.append((title, svg))
    return figures


class _Plot:
    """The axes of a task's figures: the same in all of them."""

    def __init__(self, shots: Sequence[int | None], low: float, high: float) -> None:
        self._shots, self._low, self._high = shots, low, high

    def axes(self) -> str:
        """The grid with its numbers."""
        step = (self._high - self._low) / _TICKS
        shares = [self._low + n * step for n in range(_TICKS + 1)]
        rows = "".join(
            f'<path class="grid" d="M{_LEFT} {self._y(share)}H{_WIDTH}"/>'
            f'<text x="{_LEFT - 6}" y="{self._y(share) + 4}" text-anchor="end">{100 * share:.0f} %'
            "</text>"
            for share in shares
        )
        foot = _HEIGHT - _FOOT
        columns = "".join(
            f'<text x="{self._x(n)}" y="{foot + 16}" text-anchor="middle">{n or "all"}</text>'
            for n in self._shots
        )
        middle = (_LEFT + _WIDTH) / 2
        name = (
            f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">photos of each class</text>'
        )
        return rows + columns + name

    def curve(self, curve: Sequence[CurvePoint], css: str, aside: int) -> str:
        """A model's curve, with its band and bars."""
        rows = [(self._x(point.shots) + aside, point) for point in curve]
        ends = [(x, p.accuracy.share, p.spread or 0.0) for x, p in rows]
        above = [f"{x},{self._y(share + spread)}" for x, share, spread in ends]
        below = [f"{x},{self._y(share - spread)}" for x, share, spread in reversed(ends)]
        line = " ".join(f"{x},{self._y(share)}" for x, share, _ in ends)
        bars = "".join(
            f"M{x} {self._y(p.accuracy.low)}V{self._y(p.accuracy.high)}" for x, p in rows
        )
        dots = "".join(f'<circle cx="{x}" cy="{self._y(share)}" r="3.5"/>' for x, share, _ in ends)
        return (
            f'<g class="{css}"><polygon points="{" ".join(above + below)}"/>'
            f'<path d="{bars}"/><polyline points="{line}"/>{dots}</g>'
        )

    def _x(self, shots: int | None) -> float:
        step = (_WIDTH - _LEFT) / max(1, len(self._shots))
        return round(_LEFT + (self._shots.index(shots) + 0.5) * step, 1)

    def _y(self, share: float) -> float:
        part = (share - self._low) / (self._high - self._low or 1.0)
        return round(_HEIGHT - _FOOT - part * (_HEIGHT - _FOOT - _TOP), 1)
