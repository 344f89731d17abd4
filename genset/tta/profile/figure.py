"""The figure of `genset tta profile`: all runs side by side."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.figures import (
    Label,
    check_few,
    label_axes,
    line_style,
    place_labels,
    ticks,
    write_figure,
)
from genset.tta.profile.inputs import Kind
from genset.tta.profile.matrix_units import draw_matrix_units
from genset.tta.profile.peaks import Peaks, Point, Roof
from genset.tta.profile.profile import Comparison
from genset.tta.profile.roofline import Roofline
from genset.tta.profile.shares import draw_shares
from genset.tta.words import exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_LINE = 0.09  # inches that the roofline is higher for each name below it
_LONGEST = 24  # characters of a name

_MARKERS: Mapping[Kind | None, str] = {
    "convolution": "o",
    "matrix product": "s",
    "attention": "p",
}
# Runs differ by how their points are filled, too: in print there is no colour.
_FILLS = ("full", "none", "left", "right", "bottom", "top")


def draw_profile(found: Comparison, path: Path) -> None:
    """Draw what is known: bars of time, and below them the roofline.

    Raises:
        BadInput: there is nothing to draw, or there are more runs than a figure holds.
    """
    from matplotlib.figure import Figure

    found = found.shown(_LONGEST)
    names = [run.name for run in found.runs] + [point.point.name for point in found.points]
    places = {name: at for at, name in enumerate(names)}
    check_few(len(places), "runs")
    shares = {run.name: run.shares for run in found.runs if run.shares}
    units = {run.name: run.matrix_units for run in found.runs if run.matrix_units}
    rooflines = {run.name: run.roofline for run in found.runs}
    has_roofline = bool(found.points) or any(of.run for of in rooflines.values())
    if not (shares or units or has_roofline):
        raise BadInput("nothing to draw: no kernel is recorded, and no operator's work is known")
    bars = max(sum(map(len, shares.values())), len(units))
    heights = [1.9 + 0.3 * bars] * bool(bars) + [4.6 + _LINE * len(places)] * has_roofline
    columns = max(1, bool(shares) + bool(units))
    figure = Figure(figsize=(6.4 * columns, sum(heights)), layout="constrained")
    grid = figure.add_gridspec(len(heights), columns, height_ratios=heights)
    if shares:
        draw_shares(figure.add_subplot(grid[0, 0]), shares)
    if units:
        draw_matrix_units(figure.add_subplot(grid[0, columns - 1]), units)
    if has_roofline:
        axes = figure.add_subplot(grid[-1, :])
        points = [(point.point, point.peaks) for point in found.points]
        _draw_roofline(axes, rooflines, points, places)
    write_figure(figure, path)


def _draw_roofline(
    axes: "Axes",
    found: Mapping[str, Roofline],
    points: Sequence[tuple[Point, Peaks | None]],
    places: Mapping[str, int],
) -> None:
    """Points of kinds of products, a star for each run and point by hand.

    The paper's Figure 3.
    Stars that lie close differ by numbers, which the legend below has names to.

    Args:
        places: by name, which gives the colour.
    """
    axes.set_xscale("log")
    axes.set_yscale("log")
    kinds: dict[str, str] = {}
    for name, of in found.items():
        _draw_points(axes, of, places[name])
        for point in filter(_is_shown, of.kinds):
            kinds[str(point.kind)] = _MARKERS[point.kind]
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
    if len(places) > 1:
        place_labels(axes, labels)


def _draw_points(axes: "Axes", found: Roofline, place: int) -> None:
    colour = line_style(place)[0]
    style: dict[str, Any] = {"fillstyle": _FILLS[place % len(_FILLS)], "markersize": 7}
    style |= {"color": colour, "markerfacecoloralt": "white", "zorder": 3}
    for point in filter(_is_shown, found.kinds):
        axes.plot([point.intensity], [point.tflops], _MARKERS[point.kind], **style)


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
    """Room for stars, kinds and the highest roofs."""
    shown = [*stars, *(point for of in found.values() for point in filter(_is_shown, of.kinds))]
    xs, ys = [point.intensity for point in shown], [point.tflops for point in shown]
    low = min(ys)
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
    grey: dict[str, Any] = {"color": "0.3", "linestyle": "", "markersize": 6}
    handles += [Line2D([], [], marker=kinds[kind], label=kind, **grey) for kind in sorted(kinds)]
    where: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
    box = axes.legend(handles=handles, ncols=2, frameon=False, fontsize=8, **where)
    for text in box.get_texts():
        text.set_parse_math(False)
