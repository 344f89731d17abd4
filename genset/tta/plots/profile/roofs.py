"""The roofs of a roofline: what devices could do at most."""

from collections.abc import Sequence
from math import log10
from typing import TYPE_CHECKING, NamedTuple

from genset.core.safe import clean
from genset.tta.analysis.profile.compared import Compared
from genset.tta.analysis.roofline.peaks import Peaks, Roof
from genset.tta.plots.style import line_style

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
