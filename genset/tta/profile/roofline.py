"""A run's roofline: what its operators achieved compared with the device's peaks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import floor, log10

from genset.core.safe import clean
from genset.tta.profile.inputs import MULTIPLIES, Missing
from genset.tta.profile.peaks import Peaks, Point, Roof, depends_on_units, roof_of
from genset.tta.profile.work import Call, TraceWork, UnknownWork

_BINS = 100  # of each power of ten
_SLOWEST, _FASTEST = 1e-3, 1e6  # TFLOP/s

# Unknown work of less than this share of the time is not worth a remark.
_LITTLE = 0.005
# With more than this, a run's figures are too low to be read without a warning.
_MUCH = 0.1

_WHY: dict[Missing, str] = {
    "values": "without recorded strides and the like (PyTorch before 2.1 records none)",
    "shapes": "without recorded shapes (record_shapes=True records them, but for lists of more "
    "than 30 tensors)",
    "formula": "without a formula",
    "steps": "called outside of the marked steps",
    "operator": "that no operator launched (CUDA graphs, compiled code)",
}


@dataclass(frozen=True, slots=True)
class Throughput:
    """Calls of operators at about one throughput.

    Attributes:
        tflops: achieved 10^12 FLOP/s: their FLOPs over the time of their kernels.
        calls: how many they are.
        share: of the time of kernels that do not communicate, 0 to 1.
    """

    tflops: float
    calls: int
    share: float


@dataclass(frozen=True, slots=True)
class Roofline:
    """A run's points, of all its ranks together: rates are those of one device.

    Attributes:
        devices: how many devices' time the points' seconds add up.
        run: all convolutions', products' and attentions' FLOPs, all known bytes, over the whole
            span, idle time and communication included; None if no FLOPs are known.
        busy: the same work over the time in which a kernel ran whose work is known, never longer.
        kinds: a point for each kind, most time first; batch norm and ReLU are separate.
        operators: a point for each operator on the same shapes, most time first.
        throughput: time by throughput of operators' calls, slowest first; it adds up to 1 less
            `unknown`. Calls whose rates are within 2.4 % are together, and all up to 0.001.
        unknown: share of the time of kernels that do not communicate whose work is not known.
        unknown_work: those kernels by operator, longest first.
        remarks: what a reader of the numbers should know, a sentence each.
    """

    peaks: Peaks | None
    devices: int
    run: Point | None
    busy: Point | None
    kinds: list[Point] = field(default_factory=list)
    operators: list[Point] = field(default_factory=list)
    throughput: list[Throughput] = field(default_factory=list)
    unknown: float = 0.0
    unknown_work: list[UnknownWork] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def roofline(ranks: Sequence[TraceWork], peaks: Peaks | None) -> Roofline:
    """The roofline of a run's ranks together."""
    whole = sum(rank.seconds for rank in ranks)
    all_calls = [call for rank in ranks for call in rank.calls]
    calls = [call for call in all_calls if call.work.bytes > 0]
    same: dict[tuple[object, ...], list[Call]] = {}
    kinds: dict[str, list[Call]] = {}
    for call in calls:
        key = call.name, call.shapes, call.work, _roof(call, peaks)
        same.setdefault(key, []).append(call)
        kinds.setdefault(call.work.kind, []).append(call)
    operators = [
        _point(of, whole).compared_with(peaks, _roof(of[0], peaks)) for of in same.values()
    ]
    unknown = _unknown_work(ranks)
    found = Roofline(
        peaks=peaks,
        devices=sum(rank.devices for rank in ranks),
        run=_run(calls, sum(rank.span for rank in ranks), peaks),
        busy=_run(calls, sum(rank.busy for rank in ranks), peaks),
        kinds=sorted((_kind(of, whole, peaks) for of in kinds.values()), key=_longest_first),
        operators=sorted(operators, key=_longest_first),
        throughput=_throughput(all_calls, whole),
        unknown=sum(work.seconds for work in unknown) / whole if whole > 0 else 0.0,
        unknown_work=unknown,
    )
    return replace(found, remarks=[*_remarks(found, ranks), *_above_remarks(found)])


def above_roof(point: Point, what: str, flops: str) -> list[str]:
    """A remark if a point is above the roof.

    Args:
        what: the point is called.
        flops: the reason if its FLOPs are: no cache makes FLOPs.
    """
    if point.above <= 1.0:
        return []
    over = (point.of_peak or 0.0) > 1.0
    why = flops if over else "its data was in a cache, or a peak or a number is wrong"
    return [f"{what} is above the roof, {point.above:,.2f} times: {why}"]


def _longest_first(point: Point) -> float:
    return -point.seconds


def _throughput(calls: Sequence[Call], whole: float) -> list[Throughput]:
    """By call: those on the same shapes may be fast once and slow once.

    Calls on tensors without elements take time, too, and do nothing. What is slower or faster than
    any rate that matters is in one bin each.
    """
    bins: dict[int, list[Call]] = {}
    for call in calls:
        tflops = call.work.flops / call.seconds / 1e12
        place = floor(_BINS * log10(min(max(tflops, _SLOWEST), _FASTEST)))
        bins.setdefault(place, []).append(call)
    found = []
    for place in sorted(bins):
        seconds = sum(call.seconds for call in bins[place])
        flops = sum(call.work.flops for call in bins[place])
        found.append(Throughput(flops / seconds / 1e12, len(bins[place]), seconds / whole))
    return found


def _roof(call: Call, peaks: Peaks | None) -> Roof | None:
    """Norms and activations are done on vector units, in float32 whatever they are stored in."""
    if call.work.kind in MULTIPLIES:
        return roof_of(peaks, call.work.precision, call.matrix_units)
    return roof_of(peaks, "float32", False)


def _point(calls: Sequence[Call], whole: float) -> Point:
    """A point of the same operator on the same shapes."""
    first, seconds = calls[0], sum(call.seconds for call in calls)
    return Point(
        name=first.name,
        kind=first.work.kind,
        flops=sum(call.work.flops for call in calls),
        bytes=sum(call.work.bytes for call in calls),
        seconds=seconds,
        count=len(calls),
        shapes=first.shapes,
        share=seconds / whole,
        precision=first.work.precision,
    )


def _kind(calls: Sequence[Call], whole: float, peaks: Peaks | None) -> Point:
    kind = calls[0].work.kind
    point = replace(_point(calls, whole), name=kind, shapes=(), precision=None)
    return point.compared_with(peaks, _roof_of_most(calls, peaks))


def _run(calls: Sequence[Call], seconds: float, peaks: Peaks | None) -> Point | None:
    multiplied = [call for call in calls if call.work.kind in MULTIPLIES]
    flops = sum(call.work.flops for call in multiplied)
    if flops == 0 or seconds <= 0:
        return None
    moved = sum(call.work.bytes for call in calls)
    point = Point("run", None, flops, moved, seconds, len(calls))
    return point.compared_with(peaks, _roof_of_most(multiplied, peaks))


def _roof_of_most(calls: Iterable[Call], peaks: Peaks | None) -> Roof | None:
    """The roof of most of the FLOPs; None if it is not known of most."""
    flops: dict[Roof | None, int] = {}
    for call in calls:
        roof = _roof(call, peaks)
        flops[roof] = flops.get(roof, 0) + call.work.flops
    return max(flops, key=lambda roof: flops[roof], default=None)


def _unknown_work(ranks: Sequence[TraceWork]) -> list[UnknownWork]:
    """All ranks' together, by operator and reason."""
    found: dict[tuple[str, Missing], UnknownWork] = {}
    for work in (work for rank in ranks for work in rank.unknown):
        before = found.get((work.name, work.missing))
        count, seconds = (before.count, before.seconds) if before else (0, 0.0)
        found[work.name, work.missing] = replace(
            work, count=count + work.count, seconds=seconds + work.seconds
        )
    return sorted(found.values(), key=lambda work: (-work.seconds, work.name))


def _remarks(found: Roofline, ranks: Sequence[TraceWork]) -> Iterator[str]:
    """What is not counted, and what is not known of the device."""
    whole = sum(rank.seconds for rank in ranks)
    peaks, points = found.peaks, found.operators
    what = "operators" if any(rank.on == "host" for rank in ranks) else "kernels"
    for missing, why in _WHY.items():
        works = [work for work in found.unknown_work if work.missing == missing]
        share = sum(work.seconds for work in works) / whole if whole > 0 else 0.0
        if share >= _LITTLE:
            most = f", most in {clean(works[0].name, 60)}" if works[0].name else ""
            thing = what if missing == "operator" else "operators"
            yield f"not counted: {100 * share:.1f} % of the time of {what}, {thing} {why}{most}"
    if points and found.unknown > _MUCH:
        yield (
            f"the work of {100 * found.unknown:.0f} % of the time of {what} is not known: the "
            "run's achieved FLOP/s and bytes/s are lower bounds"
        )
    yield from _unclear_units(points, peaks)
    if any(rank.causal for rank in ranks):
        yield (
            "attention is masked (is_causal), but counted as a whole, as torch.utils.flop_counter "
            "does: its kernels may do half of that"
        )
    if points and what == "kernels" and (peaks is None or not peaks.tflops):
        yield "the device's peaks are not known: give --peak-tflops and --peak-gbs"
    elif points and what == "kernels" and peaks is not None and peaks.gbs is None:
        yield "the device's name does not tell its memory: give --peak-gbs"


def _unclear_units(points: Sequence[Point], peaks: Peaks | None) -> Iterator[str]:
    """Products of float32 that matrix units may have done, as TF32, or not."""
    of = [
        point
        for point in points
        if point.kind in MULTIPLIES and point.precision == "float32" and point.roof is None
    ]
    if of and peaks is not None and depends_on_units(peaks):
        share = sum(point.share or 0.0 for point in of)
        vector, tf32 = (peaks.tflops.get(roof) for roof in ("float32", "tf32"))
        yield (
            f"{100 * share:.1f} % of the time is products of float32 by kernels whose names do "
            f"not tell whether they use matrix units (TF32), most in {clean(of[0].name, 60)}: "
            f"they are compared with no peak, since it is {vector or 0:,.4g} TFLOP/s without and "
            f"{tf32 or 0:,.4g} with them"
        )


def _above_remarks(found: Roofline) -> Iterator[str]:
    """Operators above the roof, and the run and kinds whose operators are not."""
    above = [point for point in found.operators if point.above > 1.0]
    if above:
        highest = max(above, key=lambda point: point.above)
        share = sum(point.share or 0.0 for point in above)
        yield (
            f"{len(above)} of {len(found.operators)} points, {100 * share:.1f} % of the time, are "
            f"above the roof ({clean(highest.name, 60)} {highest.above:,.1f} times): their data "
            "was in a cache, or a peak is wrong"
        )
    why = "a part was done in a faster precision than its peak's, or a peak is wrong"
    stars = sorted(filter(None, (found.busy, found.run)), key=lambda star: -star.above)
    for star in stars[:1]:
        yield from above_roof(star, "the run as a whole", why)
    for kind in found.kinds:
        if kind.kind not in {point.kind for point in above}:
            yield from above_roof(kind, f"{clean(kind.name, 60)} as a whole", why)
