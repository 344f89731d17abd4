"""Accuracy here over accuracy elsewhere: the models, published weights, the lines and their bands.

The figure is SVG of its own, without matplotlib: each point must carry its name.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

import numpy as np
from markupsafe import Markup

from genset.core.numbers import points as in_points
from genset.core.safe import clean
from genset.reporting.baseline import Against, Baseline
from genset.reporting.figures.labels import Box, place_names
from genset.reporting.line import Fit
from genset.reporting.names import short_names
from genset.statistics.bootstrap import Floats
from genset.statistics.trend import expit, logit

_WIDTH, _HEIGHT = 880.0, 560.0
_FRAME = Box(86.0, 12.0, 866.0, 506.0)
_MOST_NAMES = 12  # beside points; all others are named when they are pointed at
_NAME = 28  # letters
_CLEAR = 3.0  # pixels that a name keeps off bars and lines
_STEP = 4.0  # pixels between the places of a line that names keep off
_MOST_FOCUSED = 100  # more points are no way to go through with a keyboard
_RADIUS = 4.5
_TICKS = np.array([1, 2, 5, 10, 20, 30, 40, 50, 60, 65, 70, 75, 80, 85, 90, 95, 98, 99]) / 100
_FEWEST_TICKS = 3  # on an axis; where its accuracies are close together, ticks are closer
_FINER = (0.02, 0.01, 0.005, 0.002, 0.001)
_APART = 56.0, 34.0  # pixels between two ticks, across and up: as wide and high as their numbers


def against_plot(title: str, baseline: Baseline, sures: Sequence[tuple[float, float]]) -> Markup:
    """A point for each model on logit axes, where the first line is straight.

    Every point says whose it is (``data-name``, ``data-says``, ``<title>``), and those of the
    report's own models take the keyboard's focus. The dashed line is "as good here as there".

    Args:
        title: of the figure.
        baseline: the accuracies on both sets, and the lines.
        sures: the ends of the interval of each model's accuracy here, in the order of
            `baseline.models`, 0 to 1.
    """
    axes = _Axes(baseline, sures)
    inside = [
        _cloud(axes, baseline),
        *(_bands(axes, fit) for fit in baseline.fits[:1]),
        *(_line(axes, fit) for fit in baseline.fits),
        _same(axes),
    ]
    marks = _models(axes, baseline.models, sures)
    names = _names(axes, baseline, sures)
    clip = f"clip-{sha256(title.encode()).hexdigest()[:8]}"  # no two of a page may be the same
    size = _FRAME.right - _FRAME.left, _FRAME.bottom - _FRAME.top
    clipped = Markup(
        '<clipPath id="{0}"><rect x="{1.left:g}" y="{1.top:g}" width="{2:g}" height="{3:g}"/>'
        '</clipPath><g clip-path="url(#{0})">{4}</g>'
    ).format(clip, _FRAME, *size, Markup("").join(inside))
    return Markup(
        '<svg viewBox="0 0 {:g} {:g}" role="group" aria-label="{}" font-size="12">{}{}{}{}</svg>'
    ).format(_WIDTH, _HEIGHT, title, axes.drawn(), clipped, names, marks)


class _Axes:
    """Both axes: from accuracies to pixels, on the scale of logits."""

    def __init__(self, baseline: Baseline, sures: Sequence[tuple[float, float]]) -> None:
        self.names = baseline.there, baseline.here
        known = baseline.known
        xs = [*(model.there for model in baseline.models), *(model.there for model in known)]
        ys = [*(end for ends in sures for end in ends), *(model.here for model in known)]
        self._x, self._y = _ends(xs), _ends(ys)

    def x(self, share: Iterable[float]) -> Floats:
        """Pixels from the left."""
        low, high = self._x
        part = (logit(list(share)) - low) / (high - low)
        return np.asarray(_FRAME.left + part * (_FRAME.right - _FRAME.left))

    def y(self, share: Iterable[float]) -> Floats:
        """Pixels from the top."""
        low, high = self._y
        part = (logit(list(share)) - low) / (high - low)
        return np.asarray(_FRAME.bottom - part * (_FRAME.bottom - _FRAME.top))

    def path(self, across: Iterable[float], up: Iterable[float]) -> str:
        """Points of a line: "x,y x,y"."""
        both = zip(self.x(across), self.y(up), strict=True)
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in both)

    def drawn(self) -> Markup:
        """The grid, its numbers, and what the axes are."""
        lines = [
            Markup(
                '<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:g}" y2="{2:g}" stroke="var(--line)"/>'
                '<text x="{0:.1f}" y="{3:g}" text-anchor="middle" fill="var(--muted)">{4:g} %'
                "</text>"
            ).format(x, _FRAME.top, _FRAME.bottom, _FRAME.bottom + 20, 100 * share)
            for share, x in _shown(self._x, self.x, _APART[0])
        ]
        lines += [
            Markup(
                '<line x1="{1:g}" x2="{2:g}" y1="{0:.1f}" y2="{0:.1f}" stroke="var(--line)"/>'
                '<text x="{3:g}" y="{4:.1f}" text-anchor="end" fill="var(--muted)">{5:g} %</text>'
            ).format(y, _FRAME.left, _FRAME.right, _FRAME.left - 7, y + 4, 100 * share)
            for share, y in _shown(self._y, self.y, _APART[1])
        ]
        across, up = (clean(name, 60) for name in self.names)
        lines.append(
            Markup(
                '<text x="{:g}" y="{:g}" text-anchor="middle" fill="var(--ink)">{}</text>'
                '<text transform="translate(9 {:g}) rotate(-90)" text-anchor="middle" '
                'fill="var(--ink)">{}</text>'
            ).format((_FRAME.left + _FRAME.right) / 2, _HEIGHT - 9, across, _HEIGHT / 2, up)
        )
        return Markup("").join(lines)


def _ends(shares: Sequence[float]) -> tuple[float, float]:
    """An axis's ends as logits, with a margin."""
    low, high = (float(end) for end in logit([min(shares), max(shares)]))
    margin = max(0.06 * (high - low), 0.05)
    return low - margin, high + margin


def _shown(
    ends: tuple[float, float], to_pixels: Callable[[list[float]], Floats], apart: float
) -> list[tuple[float, float]]:
    """The ticks between an axis's ends, and where they are; fewer where they would touch."""
    low, high = expit(list(ends))
    shares = [share for share in _TICKS.tolist() if low < share < high]
    for step in _FINER:
        if len(shares) >= _FEWEST_TICKS:
            break
        numbers = range(math.ceil(low / step), math.floor(high / step) + 1)
        shares = [round(number * step, 3) for number in numbers if low < number * step < high]
    found: list[tuple[float, float]] = []
    for share, pixel in zip(shares, to_pixels(shares), strict=True):
        if not found or abs(pixel - found[-1][1]) > apart:
            found.append((share, float(pixel)))
    return found


def _cloud(axes: _Axes, baseline: Baseline) -> Markup:
    """The published weights, small."""
    known = baseline.known
    xs = axes.x(model.there for model in known)
    ys = axes.y(model.here for model in known)
    circles = [
        Markup(
            '<circle cx="{:.1f}" cy="{:.1f}" r="2" data-name="{}" data-says="{}"><title>{}: {}'
            "</title></circle>"
        ).format(x, y, name := clean(model.name, 60), text := _says(model), name, text)
        for model, x, y in zip(known, xs, ys, strict=True)
    ]
    return Markup('<g fill="var(--muted)" fill-opacity="0.45">{}</g>').format(
        Markup("").join(circles)
    )


def _says(model: object) -> str:
    there, here = (100 * getattr(model, name) for name in ("there", "here"))
    return f"{there:.2f} % there, {here:.2f} % here"


def _bands(axes: _Axes, fit: Fit) -> Markup:
    """Where further models lie, and inside it where the line is."""
    across = [point.there for point in fit.line]
    both = [across, across[::-1]]
    drawn = []
    for ends, opacity in (
        ([point.prediction for point in fit.line], 0.1),
        ([point.band for point in fit.line], 0.25),
    ):
        up = [end.high for end in ends], [end.low for end in ends][::-1]
        drawn.append(
            Markup('<polygon points="{}" fill="var(--accent)" fill-opacity="{}"/>').format(
                " ".join(axes.path(x, y) for x, y in zip(both, up, strict=True)), opacity
            )
        )
    return Markup("").join(drawn)


def _line(axes: _Axes, fit: Fit) -> Markup:
    """A fitted line; that of plain accuracies is dotted."""
    dots = "" if fit.scale == "logit" else Markup(' stroke-dasharray="2 4" stroke-linecap="round"')
    return Markup(
        '<polyline points="{}" fill="none" stroke="var(--accent)" stroke-width="1.6"{}/>'
    ).format(axes.path((p.there for p in fit.line), (p.here for p in fit.line)), dots)


def _same(axes: _Axes) -> Markup:
    shares = expit(np.linspace(-7, 7, 100)).tolist()
    return Markup(
        '<polyline points="{}" fill="none" stroke="var(--muted)" stroke-dasharray="5 4"/>'
    ).format(axes.path(shares, shares))


def _models(axes: _Axes, models: Sequence[Against], sures: Sequence[tuple[float, float]]) -> Markup:
    """The report's own models, each with the interval of its accuracy here."""
    focus = Markup(' tabindex="0"') if len(models) <= _MOST_FOCUSED else ""
    lows, highs = (axes.y(ends[n] for ends in sures) for n in (0, 1))
    drawn = []
    places = zip(axes.x(m.there for m in models), axes.y(m.here for m in models), strict=True)
    for model, (x, y), low, high in zip(models, places, lows, highs, strict=True):
        name, text = clean(model.label, 60), _says(model)
        if model.above is not None:
            text += f", {in_points(model.above)} points by the line"
        drawn.append(
            Markup(
                '<g role="img" aria-label="{0}: {1}" data-name="{0}" data-says="{1}"{2}>'
                '<title>{0}: {1}</title><line x1="{3:.1f}" x2="{3:.1f}" y1="{5:.1f}" y2="{6:.1f}" '
                'stroke="var(--ink)"/><circle cx="{3:.1f}" cy="{4:.1f}" r="{7}" fill="var(--ink)" '
                'stroke="var(--paper)"/></g>'
            ).format(name, text, focus, x, y, low, high, _RADIUS)
        )
    return Markup("").join(drawn)


def _names(axes: _Axes, baseline: Baseline, sures: Sequence[tuple[float, float]]) -> Markup:
    """Names beside points, off all points, bars and lines."""
    models = _named(baseline.models)
    names = short_names([model.label for model in models], _NAME)
    places = _both(axes, models)
    near = _RADIUS + 1
    dots = [Box(x - near, y - near, x + near, y + near) for x, y in _both(axes, baseline.models)]
    taken = [*dots, *_bars(axes, baseline.models, sures), *_along_lines(axes, baseline)]
    boxes = place_names(list(names.values()), places, taken, _FRAME)
    return Markup("").join(
        _name(names[model.label], box, place)
        for model, box, place in zip(models, boxes, places, strict=True)
        if box
    )


def _named(models: Sequence[Against]) -> list[Against]:
    """Of many models those farthest from the line."""
    off = sorted(models, key=lambda model: -abs(model.gap if model.above is None else model.above))
    return off[:_MOST_NAMES]


def _bars(
    axes: _Axes, models: Sequence[Against], sures: Sequence[tuple[float, float]]
) -> list[Box]:
    """What the intervals cover."""
    lows, highs = (axes.y(ends[n] for ends in sures) for n in (0, 1))
    xs = axes.x(model.there for model in models)
    return [
        Box(x - _CLEAR, high, x + _CLEAR, low)
        for x, low, high in zip(xs.tolist(), lows.tolist(), highs.tolist(), strict=True)
    ]


def _along_lines(axes: _Axes, baseline: Baseline) -> list[Box]:
    """What the lines cover: both fitted ones, and "as good here as there"."""
    shares = expit(np.linspace(-7, 7, 100)).tolist()
    lines = [(shares, shares)]
    lines += [
        ([point.there for point in fit.line], [point.here for point in fit.line])
        for fit in baseline.fits
    ]
    found = []
    for across, up in lines:
        xs, ys = axes.x(across), axes.y(up)
        for x in np.arange(max(xs[0], _FRAME.left), min(xs[-1], _FRAME.right), _STEP).tolist():
            y = float(np.interp(x, xs, ys))
            # A steep line goes on to where it is at the next place.
            after = float(np.interp(x + _STEP, xs, ys))
            found.append(Box(x, min(y, after) - _CLEAR, x + _STEP, max(y, after) + _CLEAR))
    return found


def _both(axes: _Axes, of: Sequence[object]) -> list[tuple[float, float]]:
    xs, ys = (axes.x, "there"), (axes.y, "here")
    both = [to([getattr(model, name) for model in of]).tolist() for to, name in (xs, ys)]
    return list(zip(*both, strict=True))


def _name(name: str, box: Box, point: tuple[float, float]) -> Markup:
    """A name, with a thin line from its point."""
    across, anchor = (box.left, "start") if box.left >= point[0] else (box.right, "end")
    return Markup(
        '<line class="name" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" '
        'stroke="var(--muted)" stroke-width="0.8"/>'
        '<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="var(--ink)" class="name">{}</text>'
    ).format(*point, across, (box.top + box.bottom) / 2, across, box.bottom - 3.5, anchor, name)
