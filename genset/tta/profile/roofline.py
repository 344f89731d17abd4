"""A run's roofline: what convolutions and products achieved compared with the device's peaks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.tta.figures import label_point, line_style, logarithmic
from genset.tta.profile.peaks import Peaks, Point, Roof, depends_on_units, roof_of
from genset.tta.profile.products import Kind
from genset.tta.profile.work import Call, OtherWork, TraceWork
from genset.tta.words import name_column, quantity, rate, share, short_name, short_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Products that are not recorded of less than this share of the time are not worth a remark.
_LITTLE = 0.005
_MOST_OPERATORS, _MOST_OTHERS = 10, 5


@dataclass(frozen=True, slots=True)
class Roofline:
    """A run's points, of all its ranks together: rates are those of one device.

    Attributes:
        devices: how many devices' time the points' seconds add up.
        run: all work over the whole span, idle time and communication included; None if no work is
            known.
        busy: the same work over the time in which its kernels ran, never longer.
        kinds: a point for each kind, most time first.
        operators: a point for each operator on the same shapes, most time first.
        other: share of the time of kernels that do not communicate in other operators.
        other_work: those by operator, longest first.
        remarks: what a reader of the numbers should know, a sentence each.
    """

    peaks: Peaks | None
    devices: int
    run: Point | None
    busy: Point | None
    kinds: list[Point] = field(default_factory=list)
    operators: list[Point] = field(default_factory=list)
    other: float = 0.0
    other_work: list[OtherWork] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def roofline(ranks: Sequence[TraceWork], peaks: Peaks | None) -> Roofline:
    """The roofline of a run's ranks together."""
    whole = sum(rank.seconds for rank in ranks)
    calls = [call for rank in ranks for call in rank.calls if call.work.bytes > 0]
    same: dict[tuple[object, ...], list[Call]] = {}
    kinds: dict[Kind, list[Call]] = {}
    for call in calls:
        key = call.name, call.shapes, call.work, _roof(call, peaks)
        same.setdefault(key, []).append(call)
        kinds.setdefault(call.work.kind, []).append(call)
    others = _other_work(ranks)

    def point(name: str, of: Sequence[Call], **about: Any) -> Point:
        seconds = sum(call.seconds for call in of)
        found = _point(name, of[0].work.kind, of, seconds, peaks)
        return replace(found, share=seconds / whole, **about)

    found = Roofline(
        peaks=peaks,
        devices=sum(rank.devices for rank in ranks),
        run=_run(calls, sum(rank.span for rank in ranks), peaks),
        busy=_run(calls, sum(rank.busy for rank in ranks), peaks),
        kinds=_longest_first(point(kind, of) for kind, of in kinds.items()),
        operators=_longest_first(
            point(of[0].name, of, shapes=of[0].shapes, precision=of[0].work.precision)
            for of in same.values()
        ),
        other=sum(work.seconds for work in others) / whole if whole > 0 else 0.0,
        other_work=others,
    )
    on_host = any(rank.on == "host" for rank in ranks)
    return replace(found, remarks=list(_remarks(found, whole, on_host)))


def roofline_tables(
    found: Mapping[str, Roofline], points: Sequence[tuple[Point, Peaks | None]]
) -> list[Table]:
    """A line for each run, kind of operator and point by hand; then the longest operators."""
    rows: list[list[Any]] = []
    for name, of in found.items():
        kinds = [(str(point.kind), point) for point in of.kinds]
        parts = [("whole", of.run), ("busy", of.busy), *kinds]
        rows += [[name, what, *_cells(point, of.devices)] for what, point in parts if point]
    rows += [[point.name, "by hand", *_cells(point)] for point, _ in points]
    peaks = [(name, of.peaks) for name, of in found.items() if of.kinds]
    peaks += [(point.name, of) for point, of in points]
    notes = [f"{short_name(name)}: {_peak_words(of)}" for name, of in peaks if of]
    for name, of in found.items():
        notes += [f"{short_name(name)}: {line}" for line in _other_lines(of)]
    tables = []
    if rows or notes:
        columns = [name_column("run"), Column("what"), *_COLUMNS]
        title = "Achieved: FLOPs and bytes of products"
        tables.append(Table(columns, rows, title, notes))
    return [*tables, *(_operator_table(name, of) for name, of in found.items() if of.operators)]


def above_roof(point: Point, what: str) -> list[str]:
    """A remark if a point is above the roof."""
    if point.above <= 1.0:
        return []
    why = "a part was done in a faster precision than its peak's, or a peak or a number is wrong"
    if (point.of_peak or 0.0) <= 1.0:
        why = "its data was in a cache, or a peak or a number is wrong"
    return [f"{what} is above the roof, {point.above:,.2f} times: {why}"]


# Numbers


def _roof(call: Call, peaks: Peaks | None) -> Roof | None:
    return roof_of(peaks, call.work.precision, call.matrix_units)


def _longest_first(points: Iterable[Point]) -> list[Point]:
    return sorted(points, key=lambda point: -point.seconds)


def _run(calls: Sequence[Call], seconds: float, peaks: Peaks | None) -> Point | None:
    if seconds <= 0 or not any(call.work.flops for call in calls):
        return None
    return _point("run", None, calls, seconds, peaks)


def _point(
    name: str, kind: Kind | None, calls: Sequence[Call], seconds: float, peaks: Peaks | None
) -> Point:
    """Compared with the peak of each call's own precision: the time at peak rates over its time."""
    flops = Counter[Roof | None]()
    for call in calls:
        flops[_roof(call, peaks)] += call.work.flops
    most = max(flops, key=lambda roof: flops[roof], default=None)  # None if not known of most
    moved = sum(call.work.bytes for call in calls)
    point = Point(name, kind, flops.total(), moved, seconds, len(calls))
    point = point.compared_with(peaks, most)
    if peaks is None or most is None or len(flops) == 1:
        return point
    rates = {roof: 1e12 * peaks.tflops[roof or most] for roof in flops}
    least = sum(flops[roof] / rate for roof, rate in rates.items())
    return replace(point, roof="mixed", of_peak=least / point.seconds)


def _other_work(ranks: Sequence[TraceWork]) -> list[OtherWork]:
    """All ranks' together, by operator."""
    same: dict[tuple[str, bool], list[OtherWork]] = {}
    for work in (work for rank in ranks for work in rank.others):
        same.setdefault((work.name, work.recorded), []).append(work)
    found = [
        OtherWork(*key, sum(work.count for work in of), sum(work.seconds for work in of))
        for key, of in same.items()
    ]
    return sorted(found, key=lambda work: (-work.seconds, work.name))


def _remarks(found: Roofline, whole: float, on_host: bool) -> Iterator[str]:
    """What is not counted, and what is not known of the device."""
    points, peaks = found.operators, found.peaks
    known = bool(points) and not on_host
    lost = [work for work in found.other_work if not work.recorded]
    of_time = sum(work.seconds for work in lost) / whole if whole > 0 else 0.0
    if of_time >= _LITTLE:
        yield (
            f"not counted: {100 * of_time:.1f} % of the time, products without recorded shapes or "
            f"strides, most in {clean(lost[0].name, 60)}: the achieved rates of the whole run are "
            "lower bounds"
        )
    # Products of float32 that matrix units may have done, as TF32, or not.
    of = [point for point in points if point.precision == "float32" and point.roof is None]
    if of and peaks is not None and depends_on_units(peaks):
        part = sum(point.share or 0.0 for point in of)
        vector, tf32 = (peaks.tflops.get(roof) for roof in ("float32", "tf32"))
        yield (
            f"{100 * part:.1f} % of the time is products of float32 by kernels whose names do "
            f"not tell whether they use matrix units (TF32), most in {clean(of[0].name, 60)}: "
            f"they are compared with no peak, since it is {vector or 0:,.4g} TFLOP/s without and "
            f"{tf32 or 0:,.4g} with them"
        )
    if above := [point for point in points if point.above > 1.0]:
        highest = max(above, key=lambda point: point.above)
        part = 100 * sum(point.share or 0.0 for point in above)
        name = clean(highest.name, 60)
        yield from above_roof(highest, f"{name} (with others {part:.1f} % of the time)")
    elif found.busy:
        yield from above_roof(found.busy, "the run as a whole")
    if known and not (peaks and peaks.tflops):
        yield "the device's peaks are not known: give --peak-tflops and --peak-gbs"
    elif known and peaks and peaks.gbs is None:
        yield "the device's name does not tell its memory: give --peak-gbs"


# Tables

_COLUMNS = (
    Column("seconds", "time", format=short_time),
    Column("share", format=share),
    Column("flops", "FLOPs", format=lambda flops: quantity(flops, "FLOP")),
    Column("bytes", format=lambda moved: quantity(moved, "B")),
    Column("flops_per_byte", "FLOPs a byte", format=rate),
    Column("tflops", "TFLOP/s", format=rate),
    Column("gbs", "GB/s", format=rate),
    Column("of_peak", "achieved ÷ peak TFLOP/s", format=share),
    Column("of_bandwidth", "achieved ÷ peak GB/s", format=share),
    Column("roof", "compared with"),
)


def _cells(point: Point, devices: int = 1) -> list[Any]:
    others = (getattr(point, column.name) for column in _COLUMNS[1:])
    return [point.seconds / devices, *others]


def _peak_words(peaks: Peaks) -> str:
    """The peaks and where they come from."""
    rates = [f"{roof} {rate(tflops, 10)} TFLOP/s" for roof, tflops in peaks.tflops.items()]
    if peaks.gbs is not None:
        rates.append(f"memory {rate(peaks.gbs, 10)} GB/s")
    of = f"peaks of {clean(peaks.device, 40)}" if peaks.device else "peaks"
    return f"{of}: {', '.join(rates)} ({clean(peaks.source, 240)})"


def _other_lines(found: Roofline) -> Iterator[str]:
    """What takes the rest of the time: "20.1 % of the time in other operators: ..."."""
    works = [work for work in found.other_work if work.recorded]
    if not works or not found.other:
        return
    whole = sum(work.seconds for work in found.other_work) / found.other
    longest = ", ".join(
        f"{clean(work.name, 60) or 'launched by no operator'} {share(work.seconds / whole)}"
        for work in works[:_MOST_OTHERS]
    )
    time = sum(work.seconds for work in works) / whole
    yield f"{share(time)} of the time in other operators: {longest}"


def _operator_table(name: str, found: Roofline) -> Table:
    columns = [
        Column("operator", format=lambda text: clean(text, 40)),
        Column("shapes", "on"),
        Column("calls", format=lambda calls: f"{calls:,}"),
        *_COLUMNS,
    ]
    rows = [
        [point.name, _shapes(point), point.count, *_cells(point, found.devices)]
        for point in found.operators[:_MOST_OPERATORS]
    ]
    title = f"{short_name(name)}: the products that take longest, by shapes"
    return Table(columns, rows, title)


def _shapes(point: Point) -> str | None:
    """The shapes of its tensors: "64×3×224×224, 64×3×7×7"."""
    shapes = ["×".join(map(str, shape)) or "1" for shape in point.shapes]
    return clean(", ".join(shapes), 48) or None


# Figure

_MARKERS: Mapping[str | None, str] = {"convolution": "o", "matrix product": "s", "attention": "p"}
# Runs differ by how their points are filled, too: in print there is no colour.
_FILLS = ("full", "none", "left", "right", "bottom", "top")


def draw_roofline(
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
    several = len(stars) > 1
    for at, (name, point) in enumerate(stars):
        colour, number = line_style(places[name])[0], str(places[name] + 1)
        where = point.flops_per_byte, point.tflops
        label = f" {number}: " * several + f"{' ' * (not several)}{short_name(name, 24)}"
        style: dict[str, Any] = {"markersize": 17, "markeredgecolor": "black", "zorder": 5}
        axes.plot(*where, "*", color=colour, label=label, **style)
        if several:
            label_point(axes, number, where, colour, at, len(stars))
    roofs = list(_roofs(found, points))
    _set_limits(axes, [point for _, point in [*stars, *kinds]], roofs)
    for at, roof in enumerate(roofs):
        _draw_roof(axes, at, *roof)
    for name, point in kinds:
        place = places[name]
        style = {"fillstyle": _FILLS[place % len(_FILLS)], "markersize": 7}
        style |= {"color": line_style(place)[0], "markerfacecoloralt": "white", "zorder": 3}
        axes.plot([point.flops_per_byte], [point.tflops], _MARKERS[point.kind], **style)
    for kind in sorted({str(point.kind) for _, point in kinds}):
        axes.plot([], [], _MARKERS[kind], color="0.3", markersize=10, label=kind)
    axes.set(xlabel="FLOPs a byte", ylabel="TFLOP/s")
    axes.set_title("roofline: achieved and peak TFLOP/s")
    # Below the axes, where it hides nothing.
    below = (0.5, -0.14)
    axes.legend(ncols=2, fontsize=8, markerscale=0.6, loc="upper center", bbox_to_anchor=below)


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
    words = [f"{roof} {rate(tflops, 10)}" for roof, tflops in drawn.items()]
    label = f"{clean(peaks.device, 24) or 'given'}: {', '.join(words)} TFLOP/s" * bool(words)
    if peaks.gbs:
        label = ", ".join(filter(None, [label, f"{rate(peaks.gbs, 10)} GB/s"]))
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
