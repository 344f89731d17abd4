"""The roofline: what was achieved beside what the device could do (the paper's Figure 3)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from genset.tta.analysis.profile.compared import Compared
from genset.tta.analysis.profile.run import Profile
from genset.tta.analysis.profile.work.work import MULTIPLIES, Kind
from genset.tta.analysis.roofline.points import Point
from genset.tta.plots.profile.axes import ticks
from genset.tta.plots.profile.labels import Label
from genset.tta.plots.profile.roofs import Roofs, draw_roofs, roofs
from genset.tta.plots.style import label_axes, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Batch norm and ReLU stand apart: they move bytes and multiply little.
_MARKERS: Mapping[Kind, str] = {
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
# Runs are told apart by how their points are filled, too: in print there is no colour.
_FILLS = ("full", "none", "left", "right", "bottom", "top")
_FAR = 10.0  # so many times slower than the slowest kind, an operator is left out of the picture
_LEAST = 0.002  # share of time from which on an operator has a point


def draw_roofline(axes: "Axes", found: Compared, places: Mapping[str, int]) -> list[Label]:
    """Points of operators and kinds, a star for each run; returns the numbers of the stars.

    Stars that lie close are told apart by numbers, which the legend below has names to.

    The area of an operator's faint point is its share of the time. What was given by hand is a
    star too.

    Args:
        places: of each run and point given by its name, by which it has its colour.
    """
    axes.set_xscale("log")
    axes.set_yscale("log")
    kinds: dict[str, str] = {}
    for run in found.runs:
        _draw_run(axes, run, places[run.name])
        for point in filter(_shown, run.roofline.kinds):
            kinds[str(point.kind) if point.kind in _MARKERS else "others"] = _marker(point)
    labels = []
    for who, point in _stars(found):
        colour = line_style(places[who])[0]
        star = {"markersize": 17, "markeredgecolor": "black", "zorder": 5}
        axes.plot([point.intensity], [point.tflops], "*", color=colour, **star)  # type: ignore[arg-type]
        labels.append(Label(str(places[who] + 1), point.intensity, point.tflops, colour))
    above = roofs(found)
    _limits(axes, found, above)
    memories = draw_roofs(axes, above)
    _legend(axes, kinds, memories, [(places[who], who) for who, _ in _stars(found)])
    label_axes(axes, "FLOPs a byte", "TFLOP/s")
    axes.set_title("roofline: achieved beside the peaks, TFLOP/s", loc="left", fontsize=12)
    return labels if len(places) > 1 else []


def _draw_run(axes: "Axes", run: Profile, place: int) -> None:
    colour = line_style(place)[0]
    for point in _operators(run):
        size = (3 + 30 * (point.share or 0) ** 0.5) ** 2
        faint = {"color": colour, "alpha": 0.25, "linewidths": 0, "zorder": 2}
        axes.scatter([point.intensity], [point.tflops], s=size, marker=_marker(point), **faint)  # type: ignore[arg-type]
    filled = {"fillstyle": _FILLS[place % len(_FILLS)], "markerfacecoloralt": "white"}
    for point in filter(_shown, run.roofline.kinds):
        at = [point.intensity], [point.tflops]
        axes.plot(*at, _marker(point), color=colour, markersize=7, zorder=3, **filled)  # type: ignore[arg-type]


def _marker(point: Point) -> str:
    return _MARKERS.get(point.kind, _OTHER) if point.kind else _OTHER


def _operators(run: Profile) -> list[Point]:
    """Those that take long enough for a point."""
    return [p for p in run.roofline.operators if _shown(p) and (p.share or 0) >= _LEAST]


def _stars(found: Compared) -> Iterator[tuple[str, Point]]:
    for run in found.runs:
        if run.roofline.run and _shown(run.roofline.run):
            yield run.name, run.roofline.run
    for point in found.points:
        if _shown(point.point):
            yield point.point.name, point.point


def _shown(point: Point) -> bool:
    """A logarithmic axis has no place for nothing."""
    return point.flops > 0 and point.bytes > 0 and point.seconds > 0


def _limits(axes: "Axes", found: Compared, above: Sequence[Roofs]) -> None:
    """Room for stars, kinds and the highest roofs, and for operators that lie near those."""
    shown = [point for _, point in _stars(found)]
    shown += [point for run in found.runs for point in run.roofline.kinds if _shown(point)]
    operators = [point for run in found.runs for point in _operators(run)]
    xs = [point.intensity for point in [*shown, *operators]]
    ys = [point.tflops for point in shown]
    low = max(min(ys) / _FAR, min([*ys, *(point.tflops for point in operators)]))
    for each in above:
        if each.highest:
            ys.append(each.highest)
            xs.append(each.ridge(each.highest) or xs[0])
    axes.set_xlim(min(xs) / 3, max(xs) * 4)
    axes.set_ylim(low / 3, max(ys) * 3)
    ticks(axes, "x")
    ticks(axes, "y")


def _legend(
    axes: "Axes",
    kinds: Mapping[str, str],
    memories: "Sequence[Line2D]",
    stars: Sequence[tuple[int, str]],
) -> None:
    """Below the axes, where it hides nothing: runs, slopes, and what each marker is."""
    from matplotlib.lines import Line2D

    handles: list[Line2D] = []
    star = {"linestyle": "", "marker": "*", "markeredgecolor": "black", "markersize": 10}
    for at, who in stars:
        number = f"{at + 1}: " if len(stars) > 1 else ""
        handles.append(Line2D([], [], color=line_style(at)[0], label=f" {number}{who}", **star))  # type: ignore[arg-type]
    handles += memories
    # Multiply-adds first.
    order = sorted(kinds, key=lambda kind: (kind not in MULTIPLIES, kind == "others", kind))
    grey = {"color": "0.3", "linestyle": "", "markersize": 6}
    handles += [Line2D([], [], marker=kinds[kind], label=kind, **grey) for kind in order]  # type: ignore[arg-type]
    legend = axes.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=3,
        frameon=False,
        fontsize=8,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
