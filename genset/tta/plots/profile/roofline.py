"""The roofline: what was achieved beside what the device could do (the paper's Figure 3)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from genset.text.safe import clean
from genset.tta.analysis.profile.run import Profile
from genset.tta.analysis.profile.work.work import MULTIPLIES, Kind
from genset.tta.analysis.roofline.peaks import Peaks
from genset.tta.analysis.roofline.points import Point
from genset.tta.plots.profile.labels import Label
from genset.tta.plots.style import name, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Batch norm and ReLU stand apart: they move bytes and multiply little.
_MARKERS: Mapping[Kind, str] = {
    "convolution": "o",
    "matrix product": "s",
    "attention": "p",
    "batch norm": "v",
    "other norm": "<",
    "activation": "^",
    "pooling": "h",
}
_OTHER = "D"
# Runs are told apart by how their points are filled, too: in print there is no colour.
_FILLS = ("full", "none", "left", "right", "bottom", "top")
_LEAST = 0.002  # share of time from which on an operator has a point


def draw_roofline(
    axes: "Axes", runs: Sequence[Profile], points: Sequence[Point], places: Mapping[str, int]
) -> list[Label]:
    """Points of operators and kinds, a star for each run; returns the stars' names.

    The area of an operator's faint point is its share of the time. What was given by hand is a
    star too.

    Args:
        places: of each run and point given by its name, by which it has its colour.
    """
    axes.set_xscale("log")
    axes.set_yscale("log")
    labels = []
    kinds: dict[str, str] = {}
    for run in runs:
        colour, place = style(places[run.name])[0], places[run.name]
        for point in run.roofline.operators:
            if _shown(point) and (point.share or 0) >= _LEAST:
                size = (3 + 30 * (point.share or 0) ** 0.5) ** 2
                marker = _MARKERS.get(point.kind, _OTHER) if point.kind else _OTHER
                axes.scatter(
                    [point.intensity], [point.tflops], s=size, marker=marker, color=colour,
                    alpha=0.25, linewidths=0, zorder=2,
                )  # fmt: skip
        for point in filter(_shown, run.roofline.kinds):
            marker = _MARKERS.get(point.kind, _OTHER) if point.kind else _OTHER
            kinds[str(point.kind) if marker != _OTHER else "others"] = marker
            axes.plot(
                [point.intensity], [point.tflops], marker, color=colour, markersize=7, zorder=3,
                fillstyle=_FILLS[place % len(_FILLS)], markerfacecoloralt="white",
            )  # fmt: skip
    for who, point in _stars(runs, points):
        colour = style(places[who])[0]
        axes.plot(
            [point.intensity], [point.tflops], "*", color=colour, markersize=17,
            markeredgecolor="black", zorder=5,
        )  # fmt: skip
        labels.append(Label(clean(who, 24), point.intensity, point.tflops, colour))
    _limits(axes, runs, points)
    _roofs(axes, runs)
    _legend(axes, kinds)
    name(axes, "FLOPs a byte", "TFLOP/s")
    axes.set_title("roofline", loc="left", fontsize=12)
    return labels


def _stars(runs: Sequence[Profile], points: Sequence[Point]) -> Iterator[tuple[str, Point]]:
    for run in runs:
        if run.roofline.run and _shown(run.roofline.run):
            yield run.name, run.roofline.run
    for point in filter(_shown, points):
        yield point.name, point


def _shown(point: Point) -> bool:
    """A logarithmic axis has no place for nothing."""
    return point.flops > 0 and point.bytes > 0 and point.seconds > 0


def _limits(axes: "Axes", runs: Sequence[Profile], points: Sequence[Point]) -> None:
    shown = [point for _, point in _stars(runs, points)]
    for run in runs:
        shown += filter(_shown, run.roofline.kinds)
        shown += [p for p in run.roofline.operators if _shown(p) and (p.share or 0) >= _LEAST]
    xs = [point.intensity for point in shown]
    ys = [point.tflops for point in shown]
    for peaks in _peaks(runs):
        highest = max(peaks.tflops.values())
        ys.append(highest)
        if peaks.gbs:
            xs.append(1e3 * highest / peaks.gbs)
    axes.set_xlim(min(xs) / 3, max(xs) * 4)
    axes.set_ylim(min(ys) / 3, max(ys) * 3)


def _peaks(runs: Sequence[Profile]) -> list[Peaks]:
    """Those of the devices, each once."""
    found: list[Peaks] = []
    for run in runs:
        peaks = run.roofline.peaks
        if peaks and peaks.tflops and peaks not in found:
            found.append(peaks)
    return found


def _roofs(axes: "Axes", runs: Sequence[Profile]) -> None:
    """The slope of the memory, and a ceiling for each peak that the runs' points are held to.

    The highest is drawn in any case: it is what lies idle.
    """
    found = _peaks(runs)
    low, high = axes.get_xlim()
    for at, peaks in enumerate(found):
        used = {
            point.roof
            for run in runs
            if run.roofline.peaks == peaks
            for point in [*run.roofline.kinds, *run.roofline.operators]
        }
        highest = max(peaks.tflops.values())
        ceilings = {r: t for r, t in peaks.tflops.items() if r in used or t == highest}
        line = {"color": "0.35", "linestyle": style(at)[1], "linewidth": 1.1, "zorder": 1}
        ridge = 1e3 * highest / peaks.gbs if peaks.gbs else low
        if peaks.gbs:
            axes.plot([low, ridge], [low * peaks.gbs / 1e3, highest], **line)  # type: ignore[arg-type]
        for tflops, roofs in _merged(ceilings):
            begin = 1e3 * tflops / peaks.gbs if peaks.gbs else low
            axes.plot([begin, high], [tflops, tflops], **line)  # type: ignore[arg-type]
            said = f"{', '.join(roofs)}: {tflops:.4g}"
            if len(found) > 1:
                said = f"{clean(peaks.device, 24)}, {said}"
            text = axes.text(high, tflops, f"{said} ", fontsize=7.5, color="0.25", va="bottom")
            text.set_ha("right")
            text.set_parse_math(False)


def _merged(ceilings: Mapping[str, float]) -> list[tuple[float, list[str]]]:
    """Ceilings by height; those that are equal are one."""
    found: dict[float, list[str]] = {}
    for roof, tflops in ceilings.items():
        found.setdefault(tflops, []).append(roof)
    return sorted(found.items())


def _legend(axes: "Axes", kinds: Mapping[str, str]) -> None:
    """What each marker is: multiply-adds first."""
    from matplotlib.lines import Line2D

    order = sorted(kinds, key=lambda kind: (kind not in MULTIPLIES, kind == "others", kind))
    style = {"color": "0.3", "linestyle": "", "markersize": 6}
    handles = [Line2D([], [], marker=kinds[kind], label=kind, **style) for kind in order]  # type: ignore[arg-type]
    handles.append(Line2D([], [], marker="*", label="the whole run", **{**style, "markersize": 11}))  # type: ignore[arg-type]
    axes.legend(handles=handles, loc="lower right", frameon=False, fontsize=8)
