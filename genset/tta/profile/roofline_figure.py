"""The roofline: what was achieved beside what the device could do (the paper's Figure 3)."""

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, NamedTuple

from genset.core.safe import clean
from genset.tta.figures import Label, label_axes, line_style, ticks
from genset.tta.profile.compared import Compared
from genset.tta.profile.inputs import MULTIPLIES, Kind
from genset.tta.profile.peaks import Peaks, Point, Roof
from genset.tta.profile.run import Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_LINE = 0.045  # of the axis' height that a line of words takes


class Roofs(NamedTuple):
    """A device's peaks, and which of them are drawn."""

    peaks: Peaks
    drawn: dict[Roof, float]

    @property
    def highest(self) -> float | None:
        return max(self.drawn.values(), default=None)

    def ridge(self, tflops: float) -> float | None:
        """From how many FLOPs a byte on the memory allows this."""
        return 1e3 * tflops / self.peaks.gbs if self.peaks.gbs else None


def roofs(found: Compared) -> list[Roofs]:
    """Those of each device that points are held against.

    The highest is among them in any case: it is what lies idle.
    """
    held: list[tuple[Peaks, set[str | None]]] = []
    for run in found.runs:
        line = run.roofline
        if line.peaks and line.busy:
            held.append((line.peaks, {each.roof for each in [*line.kinds, *line.operators]}))
    held += [(point.peaks, {point.point.roof}) for point in found.points if point.peaks]
    together: list[tuple[Peaks, set[str | None]]] = []
    for peaks, used in held:
        same = next((before for before, _ in together if before == peaks), None)
        if same is None:
            together.append((peaks, set(used)))
        else:
            next(known for before, known in together if before == same).update(used)
    return [_drawn(peaks, used) for peaks, used in together]


def _drawn(peaks: Peaks, used: set[str | None]) -> Roofs:
    highest = max(peaks.tflops.values(), default=0.0)
    return Roofs(peaks, {r: t for r, t in peaks.tflops.items() if r in used or t == highest})


def draw_roofs(axes: "Axes", found: Sequence[Roofs]) -> "list[Line2D]":
    """The slope of each device's memory and its ceilings, which have their names at the right.

    Returns the slopes, for a legend.
    """
    low, high = axes.get_xlim()
    top = axes.get_ylim()[1]
    said: list[tuple[float, str]] = []
    memories: list[Line2D] = []
    for at, each in enumerate(found):
        line = {"color": "0.35", "linestyle": line_style(at)[1], "linewidth": 1.1, "zorder": 1}
        gbs = each.peaks.gbs
        device = f"{clean(each.peaks.device, 24) or 'given'} " if len(found) > 1 else ""
        if gbs:
            end = each.ridge(each.highest) if each.highest else 1e3 * top / gbs
            xs = [low, end or high]
            said_gbs = f"{device}{gbs:,.10g} GB/s"
            memories += axes.plot(xs, [x * gbs / 1e3 for x in xs], label=said_gbs, **line)  # type: ignore[arg-type]
        by_height: dict[float, list[str]] = {}
        for roof, tflops in each.drawn.items():
            by_height.setdefault(tflops, []).append(roof)
        for tflops, names in by_height.items():
            axes.plot([each.ridge(tflops) or low, high], [tflops, tflops], **line)  # type: ignore[arg-type]
            which = device if each.peaks.device else ""
            said.append((tflops, f"{which}{', '.join(names)} {tflops:,.10g}"))
    _name(axes, said)
    return memories


def _name(axes: "Axes", said: Sequence[tuple[float, str]]) -> None:
    """Names of ceilings beside the axes, each on a line of its own, with a line to its ceiling."""
    low, high = axes.get_ylim()
    ceilings = sorted(said)
    heights = [log10(tflops / low) / log10(high / low) for tflops, _ in ceilings]
    for (_, words), own, height in zip(ceilings, heights, _apart(heights), strict=True):
        axes.annotate(
            words,
            (1.0, own),
            xycoords="axes fraction",
            xytext=(1.05, height),
            textcoords="axes fraction",
            fontsize=7.5,
            color="0.25",
            va="center",
            arrowprops={"arrowstyle": "-", "color": "0.6", "linewidth": 0.6, "relpos": (0, 0.5)},
            annotation_clip=False,
            parse_math=False,
        )


def _apart(heights: Sequence[float]) -> list[float]:
    """Rising heights, moved as little as is simple so that a line of words is between them."""
    found: list[float] = []
    for height in heights:
        found.append(max([height, *(before + _LINE for before in found[-1:])]))
    over = max(0.0, found[-1] - 1.0) if found else 0.0
    if over:
        top = 1.0
        for at in reversed(range(len(found))):
            found[at] = min(found[at], top)
            top = found[at] - _LINE
    return found


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
