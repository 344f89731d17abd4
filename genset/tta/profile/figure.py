"""The figure of `genset tta profile`: all runs side by side."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.figures import check_few, label_point, line_style, logarithmic, new_figure
from genset.tta.profile.matrix_units import draw_matrix_units
from genset.tta.profile.peaks import Peaks, Point, Roof
from genset.tta.profile.profile import Comparison
from genset.tta.profile.roofline import Roofline
from genset.tta.profile.shares import draw_shares
from genset.tta.words import exact, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE = 0.09  # inches that the roofline is higher for each name below it

_MARKERS: Mapping[str | None, str] = {"convolution": "o", "matrix product": "s", "attention": "p"}
# Runs differ by how their points are filled, too: in print there is no colour.
_FILLS = ("full", "none", "left", "right", "bottom", "top")


def draw_profile(found: Comparison, path: Path) -> None:
    """Draw what is known: bars of time, and below them the roofline.

    Raises:
        BadInput: there is nothing to draw, or there are more runs than a figure holds.
    """
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
    with new_figure(path, 6.4 * columns, sum(heights)) as figure:
        grid = figure.add_gridspec(len(heights), columns, height_ratios=heights)
        if shares:
            draw_shares(figure.add_subplot(grid[0, 0]), shares)
        if units:
            draw_matrix_units(figure.add_subplot(grid[0, columns - 1]), units)
        if has_roofline:
            axes = figure.add_subplot(grid[-1, :])
            points = [(point.point, point.peaks) for point in found.points]
            _draw_roofline(axes, rooflines, points, places)


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
    kinds = [(name, p) for name, of in found.items() for p in of.kinds if p.flops]
    stars = [(name, of.run) for name, of in found.items() if of.run]
    stars += [(point.name, point) for point, _ in points]
    for at, (name, point) in enumerate(stars):
        _draw_star(axes, name, point, places[name], at, len(stars))
    roofs = list(_roofs(found, points))
    _set_limits(axes, [point for _, point in [*stars, *kinds]], roofs)
    for at, roof in enumerate(roofs):
        _draw_roof(axes, at, *roof)
    for name, point in kinds:
        place = places[name]
        style: dict[str, Any] = {"fillstyle": _FILLS[place % len(_FILLS)], "markersize": 7}
        style |= {"color": line_style(place)[0], "markerfacecoloralt": "white", "zorder": 3}
        axes.plot([point.flops_per_byte], [point.tflops], _MARKERS[point.kind], **style)
    for kind in sorted({str(point.kind) for _, point in kinds}):
        axes.plot([], [], _MARKERS[kind], color="0.3", markersize=10, label=kind)
    axes.set(xlabel="FLOPs a byte", ylabel="TFLOP/s")
    axes.set_title("roofline: achieved and peak TFLOP/s")
    # Below the axes, where it hides nothing.
    where: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
    axes.legend(ncols=2, fontsize=8, markerscale=0.6, **where)


def _draw_star(axes: "Axes", name: str, point: Point, place: int, at: int, of: int) -> None:
    """A whole run; of several with its number."""
    colour, number = line_style(place)[0], str(place + 1)
    label = f" {number}: {short_name(name, 24)}" if of > 1 else f" {short_name(name, 24)}"
    style: dict[str, Any] = {"markersize": 17, "markeredgecolor": "black", "zorder": 5}
    axes.plot([point.flops_per_byte], [point.tflops], "*", color=colour, label=label, **style)
    if of > 1:
        label_point(axes, number, (point.flops_per_byte, point.tflops), colour, at, of)


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
    for at, (peaks, _) in enumerate(used):
        if all(peaks != other for other, _ in used[:at]):
            roofs = {roof for other, several in used if other == peaks for roof in several}
            highest = max(peaks.tflops.values(), default=0.0)
            yield peaks, {r: t for r, t in peaks.tflops.items() if r in roofs or t == highest}


def _draw_roof(axes: "Axes", at: int, peaks: Peaks, drawn: Mapping[Roof, float]) -> None:
    """The slope of a device's memory and its ceilings."""
    low, high = axes.get_xlim()
    style: dict[str, Any] = {"color": "0.35", "linestyle": line_style(at)[1], "linewidth": 1.1}
    words = [f"{roof} {exact(tflops)}" for roof, tflops in drawn.items()]
    label = f"{clean(peaks.device, 24) or 'given'}: {', '.join(words)} TFLOP/s" * bool(words)
    if peaks.gbs:
        label = ", ".join(filter(None, [label, f"{exact(peaks.gbs)} GB/s"]))
    axes.plot([], [], label=label, **style)
    top = max(drawn.values(), default=axes.get_ylim()[1])
    if peaks.gbs:
        axes.plot([low, 1e3 * top / peaks.gbs], [low * peaks.gbs / 1e3, top], zorder=1, **style)
    for tflops in set(drawn.values()):
        start = 1e3 * tflops / peaks.gbs if peaks.gbs else low
        axes.plot([start, high], [tflops, tflops], zorder=1, **style)


def _set_limits(
    axes: "Axes", shown: Sequence[Point], roofs: Sequence[tuple[Peaks, dict[Roof, float]]]
) -> None:
    """Room for points and the highest roofs."""
    xs, ys = [point.flops_per_byte for point in shown], [point.tflops for point in shown]
    for peaks, drawn in roofs:
        ys += [max(drawn.values())] if drawn else []
        xs += [1e3 * ys[-1] / peaks.gbs] if drawn and peaks.gbs else []
    axes.set_xlim(min(xs) / 3, max(xs) * 4)
    axes.set_ylim(min(ys) / 3, max(ys) * 3)
    logarithmic(axes, "x")
    logarithmic(axes, "y")
