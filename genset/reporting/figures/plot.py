"""What the report's figures share: axes, points that say whose they are, names, colours.

SVG of its own, without matplotlib: each point must carry its name. Colours are the page's
(``var(--ink)``), so that a figure is light or dark as the page is.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any
from unicodedata import east_asian_width

import numpy as np
from markupsafe import Markup

from genset.core.safe import clean
from genset.reporting.names import short_names
from genset.statistics.bootstrap import Floats
from genset.statistics.trend import expit, logit

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#c0579a", "#a67c00", "#7a5fd3")
"""Of families, the largest first: told apart on white and on black, and by the colour-blind."""

_FAMILY = re.compile(r"v?\d|[\W_]")  # what ends it: resnet of resnetv2_50x1
_MOST_NAMES = 12  # beside points; all others are named when they are pointed at
_NAME = 28  # letters
_CLEAR = 3.0  # pixels that a name keeps off bars and lines
_MOST_FOCUSED = 100  # more points are no way to go through with a keyboard
_RADIUS = 4.5
_FEWEST_TICKS = 3  # on an axis; where its numbers are close together, ticks are closer
_STEPS = (0.25, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
_SHARES = np.array([1, 2, 5, 10, 20, 30, 40, 50, 60, 65, 70, 75, 80, 85, 90, 95, 98, 99]) / 100
_OUTLYING = 3.0  # times the middle half's width, below it

LETTER, LINE = 7.4, 14.0  # about a letter's width and a line's height, at 12 pixels
_AWAY = (9.0, 18.0, 30.0, 46.0, 66.0, 90.0, 120.0, 160.0, 200.0)  # pixels from point to name
_UP = (0.0, 0.5, -0.5, 1.0, -1.0)  # how far higher, over how far aside


def el(tag: str, *inner: Markup | str, **attributes: object) -> Markup:
    """An element of SVG: ``stroke_width`` becomes stroke-width, and None is left out."""
    words = Markup("").join(
        Markup(' {}="{}"').format(
            name.rstrip("_").replace("_", "-"), f"{v:.5g}" if isinstance(v, float) else v
        )
        for name, v in attributes.items()
        if v is not None
    )
    form = Markup(f"<{tag}{{}}>{{}}</{tag}>")  # noqa: S704 - of our own
    return form.format(words, Markup("").join(inner))


def families(tags: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str]]:
    """By label, the family of each model, its first tag or how its name begins; and its colour.

    Small families are "others"; without two families no model has a colour.
    """
    of = {m: [*its, _FAMILY.split(m.lower(), maxsplit=1)[0]][0] for m, its in tags.items()}
    sizes = [(family, n) for family, n in Counter(of.values()).most_common() if family and n > 1]
    colours = dict(zip((family for family, _ in sizes), COLOURS, strict=False))
    if len(colours) < 2:
        return {}
    others = ("others", "var(--muted)")
    return {
        label: (family, colours[family]) if family in colours else others
        for label, family in of.items()
    }


def legend(found: dict[str, tuple[str, str]], right: float | str, bottom: float) -> Markup:
    """The families with their colours, above each other, the largest on top."""
    order = ["var(--muted)", *COLOURS[::-1]]
    lines = enumerate(sorted(set(found.values()), key=lambda both: order.index(both[1])))
    return Markup("").join(
        el(
            "text",
            f"{clean(family, 24)} ●",
            x=right,
            y=bottom - 16 * line,
            text_anchor="end",
            fill=colour,
        )
        for line, (family, colour) in lines
    )


def lowest(values: Sequence[float]) -> float:
    """Where an axis begins, so that a few far weaker models do not squeeze all others."""
    first, third = (float(np.quantile(values, part)) for part in (0.25, 0.75))
    floor = first - _OUTLYING * max(third - first, 0.01)
    return min(value for value in values if value >= floor)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its title, its ends, its marks with their words, and its scale."""

    title: str
    low: float
    high: float
    marks: Sequence[tuple[float, str]]
    scale: Callable[[list[float]], Floats] = np.array

    def part(self, values: Iterable[float]) -> Floats:
        """Where values lie: 0 at the low end, 1 at the high one."""
        ends = self.scale([self.low, self.high])
        return np.asarray((self.scale(list(values)) - ends[0]) / (ends[1] - ends[0]))

    def within(self, values: Iterable[float]) -> list[float]:
        """Those beyond an end on it."""
        found: list[float] = np.clip(list(values), self.low, self.high).tolist()
        return found


def share_axis(title: str, *groups: Sequence[float], logits: bool = False) -> Axis:
    """Accuracies of each group in per cent, on a plain scale or on that of logits."""
    known = [*filter(None, groups)]
    low, high = min(map(lowest, known)), max(map(max, known))
    if logits:
        ends = logit([low, high])
        margin = max(0.06 * float(ends[1] - ends[0]), 0.05)
        low, high = expit([ends[0] - margin, ends[1] + margin]).tolist()
    else:
        margin = max(0.04 * (high - low), 0.001)
        low, high = max(0.0, low - margin), min(1.0, high + margin)
    marks = [share for share in _SHARES.tolist() if low < share < high] if logits else []
    for step in _STEPS:
        if len(marks) >= _FEWEST_TICKS:
            break
        numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        marks = [round(number * step, 3) for number in numbers]
    return Axis(
        title, low, high, [(m, f"{100 * m:g} %") for m in marks], logit if logits else np.array
    )


def log_axis(title: str, values: Sequence[float]) -> Axis:
    """Numbers above 0, in powers of ten."""
    low, high = min(values) / 1.15, max(values) * 1.15
    for digits in ((1,), (1, 2, 5), range(1, 10), np.arange(1, 10, 0.25)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        marks = [float(d * 10.0**p) for p in powers for d in digits if low <= d * 10.0**p <= high]
        if len(marks) >= _FEWEST_TICKS:
            break
    return Axis(title, low, high, [(mark, f"{mark:,.6g}") for mark in marks], _log)


def _log(values: list[float]) -> Floats:
    return np.asarray(np.log(values))


@dataclass(frozen=True, slots=True)
class Point:
    """A model in a figure, its colour, what is said when it is pointed at, its interval up."""

    name: str
    says: str
    x: float
    y: float
    ends: tuple[float, float] | None = None
    colour: str = "var(--ink)"


class Plot:
    """A figure of points over two axes, in pixels.

    Attributes:
        frame: where the axes are.
        taken: what names keep off.
    """

    def __init__(self, across: Axis, up: Axis, size: tuple[int, int] = (880, 560)) -> None:
        self.across, self.up = across, up
        self._width, self._height = size
        self.frame = Box(86.0, 12.0, self._width - 14.0, self._height - 54.0)
        self.taken: list[Box] = []

    def x(self, values: Iterable[float]) -> list[float]:
        """Pixels from the left."""
        width = self.frame.right - self.frame.left
        found: list[float] = (self.frame.left + self.across.part(values) * width).tolist()
        return found

    def y(self, values: Iterable[float]) -> list[float]:
        """Pixels from the top."""
        height = self.frame.bottom - self.frame.top
        found: list[float] = (self.frame.bottom - self.up.part(values) * height).tolist()
        return found

    def path(self, across: Iterable[float], up: Iterable[float]) -> str:
        """Points of a line: "x,y x,y"."""
        both = zip(self.x(across), self.y(up), strict=True)
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in both)

    def line(self, across: Sequence[float], up: Sequence[float], **style: Any) -> Markup:
        """A line that no name covers."""
        xs, ys = self.x(across), self.y(up)
        for start, end, high, low in zip(xs, xs[1:], ys, ys[1:], strict=False):
            top, foot = min(high, low) - _CLEAR, max(high, low) + _CLEAR
            self.taken.append(Box(min(start, end), top, max(start, end), foot))
        style = {"fill": "none", "stroke": "var(--muted)"} | style
        return el("polyline", points=self.path(across, up), **style)

    def points(self, points: Sequence[Point], named: Sequence[Point]) -> Markup:
        """The points, and names beside the first of those that are to be named."""
        xs, ys = self._places(points)
        near = _RADIUS + 1
        taken = [Box(x - near, y - near, x + near, y + near) for x, y in zip(xs, ys, strict=True)]
        drawn = []
        for point, x, y in zip(points, xs, ys, strict=True):
            bar = Markup("")
            if point.ends and self.up.low <= point.y:
                foot, top = self.y(self.up.within(point.ends))
                taken.append(Box(x - _CLEAR, top, x + _CLEAR, foot))
                bar = el("line", x1=x, x2=x, y1=foot, y2=top, stroke=point.colour)
            aside = -1 if point.x < self.across.low else 0
            down = 1 if point.y < self.up.low else 0
            mark = _mark(x, y, point.colour, (aside, down))
            focus = 0 if len(points) <= _MOST_FOCUSED else None
            drawn.append(of_model(point.name, point.says, bar, mark, tabindex=focus))
        self.taken += taken
        return self._names(list(named)[:_MOST_NAMES]) + Markup("").join(drawn)

    def _places(self, points: Sequence[Point]) -> tuple[list[float], list[float]]:
        xs = self.x(self.across.within(point.x for point in points))
        return xs, self.y(self.up.within(point.y for point in points))

    def _names(self, points: Sequence[Point]) -> Markup:
        """Names beside points, each with a thin line from its point."""
        names = short_names([point.name for point in points], _NAME)
        places = list(zip(*self._places(points), strict=True))
        boxes = place_names(list(names.values()), places, self.taken, self.frame)
        drawn = []
        for point, box, (x, y) in zip(points, boxes, places, strict=True):
            if box and abs(box.left - x) < self._width / 4:
                end, anchor = (box.left, "start") if box.left >= x else (box.right, "end")
                to = {"x1": x, "y1": y, "x2": end, "y2": (box.top + box.bottom) / 2}
                drawn.append(el("line", class_="name", stroke="var(--muted)", **to))
                words = {"text_anchor": anchor, "fill": "var(--ink)", "class_": "name"}
                drawn.append(el("text", names[point.name], x=end, y=box.bottom - 3.5, **words))
        return Markup("").join(drawn)

    def clipped(self, *layers: Markup) -> Markup:
        """What ends at the axes."""
        x, y = self.frame.left, self.frame.top
        width, height = self.frame.right - x, self.frame.bottom - y
        box = f"{x:g} {y:g} {width:g} {height:g}"
        return el("svg", *layers, x=x, y=y, width=width, height=height, viewBox=box)

    def svg(self, title: str, *layers: Markup) -> Markup:
        """The figure: its axes below what is drawn."""
        return el(
            "svg",
            self._axes,
            *layers,
            viewBox=f"0 0 {self._width} {self._height}",
            role="group",
            aria_label=title,
            font_size=12,
        )

    @cached_property
    def _axes(self) -> Markup:
        """The grid, its numbers, and what the axes are."""
        frame, drawn = self.frame, []
        for words, x in _shown(self.across.marks, self.x, 56.0):
            drawn.append(_grid(x, x, frame.top, frame.bottom))
            drawn.append(_words(words, x, frame.bottom + 20, "middle"))
        for words, y in _shown(self.up.marks, self.y, 34.0):
            drawn.append(_grid(frame.left, frame.right, y, y))
            drawn.append(_words(words, frame.left - 7, y + 4, "end"))
        middle = (frame.left + frame.right) / 2
        drawn.append(_words(clean(self.across.title, 60), middle, self._height - 9.0, "middle"))
        turned = f"translate(12 {self._height / 2:g}) rotate(-90)"
        words = clean(self.up.title, 60)
        drawn.append(el("text", words, transform=turned, text_anchor="middle", fill="var(--ink)"))
        return Markup("").join(drawn)


def of_model(name: str, says: str, *inner: Markup, **attributes: object) -> Markup:
    """What is drawn of a model, which says whose it is to a pointer, a keyboard and a reader."""
    short, title = clean(name, 60), f"{clean(name, 60)}: {says}"
    about = {"role": "img", "data_name": short, "data_says": says}
    return el("g", el("title", title), *inner, **about, **attributes)


def _mark(x: float, y: float, colour: str, beyond: tuple[int, int]) -> Markup:
    """A dot, or an arrow to what lies beyond an axis: its way across and down."""
    style = {"fill": colour, "stroke": "var(--paper)"}
    if not any(beyond):
        return el("circle", cx=x, cy=y, r=_RADIUS, **style)
    across, down = beyond
    back = x - 9 * across, y - 9 * down
    sides = [(back[0] + 5 * sign * down, back[1] + 5 * sign * across) for sign in (1, -1)]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in [(x, y), *sides])
    return el("polygon", points=points, **style)


def _grid(x1: float, x2: float, y1: float, y2: float) -> Markup:
    return el("line", x1=x1, x2=x2, y1=y1, y2=y2, stroke="var(--line)")


def _words(text: str, x: float, y: float, anchor: str) -> Markup:
    return el("text", text, x=x, y=y, text_anchor=anchor, fill="var(--muted)")


def _shown(
    marks: Sequence[tuple[float, str]],
    to_pixels: Callable[[list[float]], list[float]],
    apart: float,
) -> list[tuple[str, float]]:
    """The marks and where they are; fewer where they would touch."""
    found: list[tuple[str, float]] = []
    for (_, words), pixel in zip(marks, to_pixels([mark for mark, _ in marks]), strict=True):
        if not found or abs(pixel - found[-1][1]) > apart:
            found.append((words, pixel))
    return found


# Where names stand beside their points, so that none covers another or a point.


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: "Box") -> bool:
        """Whether the two have a point in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, other: "Box") -> bool:
        """Whether the other lies inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )


def width_of(name: str) -> float:
    """About how wide a name is drawn, in pixels; letters of East Asia take two places."""
    return LETTER * sum(2 if east_asian_width(letter) in "WF" else 1 for letter in name)


def place_names(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    taken: Sequence[Box],
    frame: Box,
) -> list[Box | None]:
    """Find each name the first free place beside its point, the first name first.

    Args:
        names: of the points.
        points: M points in pixels.
        taken: what no name may cover, such as the points themselves.
        frame: no name leaves it.

    Returns:
        M boxes; None for a name that finds no place.
    """
    full = list(taken)
    found: list[Box | None] = []
    for name, point in zip(names, points, strict=True):
        free = (
            box
            for box in _around(point, width_of(name))
            if frame.holds(box) and not any(map(box.touches, full))
        )
        place = next(free, None)
        found.append(place)
        if place:
            full.append(place)
    return found


def _around(point: tuple[float, float], width: float) -> Iterator[Box]:
    """The places where a name may stand, nearest first: right and left of its point."""
    x, y = point
    for away, up in product(_AWAY, _UP):
        top = y - up * away - LINE / 2
        for left in (x + away, x - away - width):
            yield Box(left, top, left + width, top + LINE)
