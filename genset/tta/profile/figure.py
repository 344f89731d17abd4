"""The figure of `genset tta profile`: all runs side by side, a panel for each question."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.figures import (
    Label,
    boxes_for_missing_glyphs,
    check_few,
    label_axes,
    legend,
    line_style,
    number_line,
    place_labels,
    ticks,
    write_figure,
)
from genset.tta.profile.inputs import MULTIPLIES, Kind
from genset.tta.profile.matrix_units import draw_matrix_units
from genset.tta.profile.peaks import Peaks, Point, Roof
from genset.tta.profile.profile import Comparison
from genset.tta.profile.roofline import Roofline
from genset.tta.profile.shares import draw_shares
from genset.tta.words import exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_CURVES = 4.6
_LINE = 0.09  # inches that the roofline is higher for each name below it
_LONGEST = 24  # characters of a name

# Batch norm and ReLU are separate: they move bytes and multiply little.
_MARKERS: Mapping[Kind | None, str] = {
    "convolution": "o",
    "matrix product": "s",
    "attention": "p",
    "batch norm": "v",
    "other norm": "<",
    "ReLU": "^",
    "other activation": ">",
    "pooling": "h",
}
_OTHER = "D"
# Runs differ by how their points are filled, too: in print there is no colour.
_FILLS = ("full", "none", "left", "right", "bottom", "top")
_FAR = 10.0  # so many times slower than the slowest kind, an operator is left out of the picture
_LEAST_SHARE = 0.002  # of time from which on an operator has a point
_LEAST_TFLOPS = 1e-3  # what is slower has moved bytes, and is at the left edge
_LITTLE = 0.005


class _Panel(NamedTuple):
    """A part of the figure.

    Attributes:
        draw: returns labels that are to be placed when all else is drawn.
        inches: its height.
    """

    draw: Callable[["Axes"], Sequence[Label] | None]
    inches: float


def draw_profile(found: Comparison, path: Path) -> None:
    """Draw what is known; panels of which nothing is known are left out.

    Raises:
        BadInput: there is nothing to draw, or there are more runs than a figure holds.
    """
    from matplotlib.figure import Figure

    panels = _panels(found.shown(_LONGEST))
    if not panels:
        raise BadInput("nothing to draw: no kernel is recorded, and no operator's work is known")
    columns = min(2, len(panels))
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    heights = [max(panel.inches for panel in row) for row in rows]
    figure = Figure(figsize=(6.4 * columns, sum(heights)), layout="constrained")
    grid = figure.add_gridspec(len(rows), columns, height_ratios=heights)
    labels = []
    for at, panel in enumerate(panels):
        axes = figure.add_subplot(grid[at // columns, at % columns])
        labels.append((axes, panel.draw(axes)))
    with boxes_for_missing_glyphs():
        for axes, points in labels:
            if points:
                place_labels(axes, points)
    write_figure(figure, path)


def _panels(found: Comparison) -> list[_Panel]:
    """Bars first, then what has axes of its own."""
    names = [run.name for run in found.runs] + [point.point.name for point in found.points]
    places = {name: at for at, name in enumerate(names)}
    check_few(len(places), "runs")
    shares = {run.name: run.shares for run in found.runs if run.shares}
    units = {run.name: run.matrix_units for run in found.runs if run.matrix_units}
    rooflines = {run.name: run.roofline for run in found.runs}
    timed = {name: of for name, of in rooflines.items() if of.throughput}
    panels = []
    if shares:
        bars = sum(map(len, shares.values()))
        panels.append(_Panel(lambda axes: draw_shares(axes, shares), 1.9 + 0.3 * bars))
    if units:
        panels.append(_Panel(lambda axes: draw_matrix_units(axes, units), 1.9 + 0.3 * len(units)))
    if found.points or any(of.run for of in rooflines.values()):
        points = [(point.point, point.peaks) for point in found.points]
        high = _CURVES + _LINE * len(places)
        panels.append(_Panel(lambda axes: _draw_roofline(axes, rooflines, points, places), high))
    if timed:
        panels.append(_Panel(lambda axes: _draw_throughput(axes, timed, places), _CURVES))
    return panels


# The roofline (the paper's Figure 3)


def _draw_roofline(
    axes: "Axes",
    found: Mapping[str, Roofline],
    points: Sequence[tuple[Point, Peaks | None]],
    places: Mapping[str, int],
) -> list[Label]:
    """Points of operators and kinds, a star for each run and point by hand; returns their numbers.

    Stars that lie close differ by numbers, which the legend below has names to. The area of an
    operator's faint point is its share of the time.

    Args:
        places: by name, which gives the colour.
    """
    axes.set_xscale("log")
    axes.set_yscale("log")
    kinds: dict[str, str] = {}
    for name, of in found.items():
        _draw_points(axes, of, places[name])
        for point in filter(_is_shown, of.kinds):
            kind = str(point.kind) if point.kind in _MARKERS else "others"
            kinds[kind] = _MARKERS.get(point.kind, _OTHER)
    stars = [(name, of.run) for name, of in found.items() if of.run and _is_shown(of.run)]
    stars += [(point.name, point) for point, _ in points if _is_shown(point)]
    labels = []
    for name, point in stars:
        colour = line_style(places[name])[0]
        star: dict[str, Any] = {"markersize": 17, "markeredgecolor": "black", "zorder": 5}
        axes.plot([point.intensity], [point.tflops], "*", color=colour, **star)
        labels.append(Label(str(places[name] + 1), point.intensity, point.tflops, colour))
    roofs = list(_roofs(found, points))
    _set_limits(axes, found, [point for _, point in stars], roofs)
    slopes = [_draw_roof(axes, at, *roof) for at, roof in enumerate(roofs)]
    _draw_legend(axes, kinds, slopes, [(places[name], name) for name, _ in stars])
    label_axes(axes, "FLOPs a byte", "TFLOP/s")
    axes.set_title("roofline: achieved and peak TFLOP/s", loc="left", fontsize=12)
    return labels if len(places) > 1 else []


def _draw_points(axes: "Axes", found: Roofline, place: int) -> None:
    colour = line_style(place)[0]
    for point in _long_operators(found):
        size = (3 + 30 * (point.share or 0) ** 0.5) ** 2
        faint: dict[str, Any] = {"color": colour, "alpha": 0.25, "linewidths": 0, "zorder": 2}
        marker = _MARKERS.get(point.kind, _OTHER)
        axes.scatter([point.intensity], [point.tflops], s=size, marker=marker, **faint)
    style: dict[str, Any] = {"fillstyle": _FILLS[place % len(_FILLS)], "markersize": 7}
    style |= {"color": colour, "markerfacecoloralt": "white", "zorder": 3}
    for point in filter(_is_shown, found.kinds):
        axes.plot([point.intensity], [point.tflops], _MARKERS.get(point.kind, _OTHER), **style)


def _long_operators(found: Roofline) -> list[Point]:
    """Those that take long enough for a point."""
    return [p for p in found.operators if _is_shown(p) and (p.share or 0) >= _LEAST_SHARE]


def _is_shown(point: Point) -> bool:
    """A logarithmic axis has no place for nothing."""
    return point.flops > 0 and point.bytes > 0 and point.seconds > 0


def _roofs(
    found: Mapping[str, Roofline], points: Sequence[tuple[Point, Peaks | None]]
) -> Iterator[tuple[Peaks, dict[Roof, float]]]:
    """Each device's peaks, and those that are drawn: used ones, and the highest."""
    used = [
        (of.peaks, {point.roof for point in [*of.kinds, *of.operators]})
        for of in found.values()
        if of.peaks and of.busy
    ]
    used += [(peaks, {point.roof}) for point, peaks in points if peaks]
    done: list[Peaks] = []
    for peaks, _ in used:
        if peaks not in done:
            done.append(peaks)
            roofs = {roof for other, several in used if other == peaks for roof in several}
            highest = max(peaks.tflops.values(), default=0.0)
            drawn = {r: t for r, t in peaks.tflops.items() if r in roofs or t == highest}
            yield peaks, drawn


def _draw_roof(axes: "Axes", at: int, peaks: Peaks, drawn: Mapping[Roof, float]) -> "Line2D":
    """The slope of a device's memory and its ceilings; returns a line for the legend."""
    low, high = axes.get_xlim()
    style: dict[str, Any] = {"color": "0.35", "linestyle": line_style(at)[1], "linewidth": 1.1}
    words = [f"{roof} {exact(tflops)}" for roof, tflops in drawn.items()]
    label = f"{clean(peaks.device, 24) or 'given'}: {', '.join(words)} TFLOP/s" * bool(words)
    top = max(drawn.values(), default=axes.get_ylim()[1])
    lines = [axes.plot([], [], zorder=1, **style)[0]]
    if peaks.gbs:
        end = 1e3 * top / peaks.gbs
        axes.plot([low, end], [low * peaks.gbs / 1e3, top], zorder=1, **style)
        label = ", ".join(filter(None, [label, f"{exact(peaks.gbs)} GB/s"]))
    for tflops in set(drawn.values()):
        start = 1e3 * tflops / peaks.gbs if peaks.gbs else low
        axes.plot([start, high], [tflops, tflops], zorder=1, **style)
    lines[0].set_label(label)
    return lines[0]


def _set_limits(
    axes: "Axes",
    found: Mapping[str, Roofline],
    stars: Sequence[Point],
    roofs: Sequence[tuple[Peaks, dict[Roof, float]]],
) -> None:
    """Room for stars, kinds and the highest roofs, and for operators that lie near those."""
    shown = [*stars, *(point for of in found.values() for point in filter(_is_shown, of.kinds))]
    operators = [point for of in found.values() for point in _long_operators(of)]
    xs = [point.intensity for point in [*shown, *operators]]
    ys = [point.tflops for point in shown]
    low = max(min(ys) / _FAR, min([*ys, *(point.tflops for point in operators)]))
    for peaks, drawn in roofs:
        if drawn:
            highest = max(drawn.values())
            ys.append(highest)
            xs.append(1e3 * highest / peaks.gbs if peaks.gbs else xs[0])
    axes.set_xlim(min(xs) / 3, max(xs) * 4)
    axes.set_ylim(low / 3, max(ys) * 3)
    ticks(axes, "x")
    ticks(axes, "y")


def _draw_legend(
    axes: "Axes",
    kinds: Mapping[str, str],
    slopes: "Sequence[Line2D]",
    stars: Sequence[tuple[int, str]],
) -> None:
    """Below the axes, where it hides nothing: runs, roofs, and what each marker is."""
    from matplotlib.lines import Line2D

    star: dict[str, Any] = {"linestyle": "", "marker": "*", "markeredgecolor": "black"}
    handles = []
    for at, name in stars:
        number = f"{at + 1}: " if len(stars) > 1 else ""
        colour, label = line_style(at)[0], f" {number}{name}"
        handles.append(Line2D([], [], color=colour, label=label, markersize=10, **star))
    handles += slopes
    # Multiply-adds first.
    order = sorted(kinds, key=lambda kind: (kind not in MULTIPLIES, kind == "others", kind))
    grey: dict[str, Any] = {"color": "0.3", "linestyle": "", "markersize": 6}
    handles += [Line2D([], [], marker=kinds[kind], label=kind, **grey) for kind in order]
    where: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
    box = axes.legend(handles=handles, ncols=2, frameon=False, fontsize=8, **where)
    for text in box.get_texts():
        text.set_parse_math(False)


# The distribution of time over throughput (the paper's Figure 4b)


def _draw_throughput(
    axes: "Axes", found: Mapping[str, Roofline], places: Mapping[str, int]
) -> None:
    """The share of time at so many TFLOP/s or less: the farther right a line, the better.

    A line ends below 100 % if the work of some kernels is not known.

    Args:
        places: by name, which gives the line's style.
    """
    rates = [line.tflops for of in found.values() for line in of.throughput]
    axes.set_xscale("log")
    high = 2 * max([10 * _LEAST_TFLOPS, *rates])
    low = max(_LEAST_TFLOPS, min([high / 10, *filter(None, rates)]) / 2)
    for at, (name, of) in enumerate(found.items()):
        shares = [100 * share for share in accumulate(line.share for line in of.throughput)]
        xs = [low / 2, *(max(line.tflops, low) for line in of.throughput), high]
        ys = [0.0, *shares, shares[-1]]
        colour, dash = line_style(places[name])
        axes.step(xs, ys, where="post", color=colour, linestyle=dash, linewidth=1.6)
        if len(found) > 1:  # curves that lie together are found by numbers at different heights
            height = shares[-1] * (at + 0.5) / len(found)
            x = next(x for x, y in zip(xs, ys, strict=True) if y >= height)
            number_line(axes, places[name], x, height)
    axes.set_xlim(low, high)
    axes.set_ylim(0, 101)
    ticks(axes, "x")
    label_axes(axes, "TFLOP/s", "share of time at so many or less, %")
    if len(places) > 1:
        legend(axes, [(places[name], name) for name in found], numbered=len(found) > 1)
    less = any(of.unknown > _LITTLE for of in found.values())
    title = "time by throughput" + "; what is missing to 100 % is not counted" * less
    axes.set_title(title, loc="left", fontsize=12)
