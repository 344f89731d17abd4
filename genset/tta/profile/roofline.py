"""A run's roofline: what its operators achieved beside what the device could do at most."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import floor, log10

from genset.core.safe import clean
from genset.tta.profile.inputs import MULTIPLIES, Missing
from genset.tta.profile.peaks import Peaks, Point, Roof, held_against, roof_of, tells_by_units
from genset.tta.profile.work import Counted, Done, LeftOut

# What is left out, less than this share of the time, is not worth a sentence.
_LITTLE = 0.005
# More than this, and a run's figures are too low to be read without a warning.
_MUCH = 0.1

_WHY: dict[Missing, str] = {
    "values": "whose strides and the like are not recorded (PyTorch before 2.1 records none)",
    "shapes": "whose shapes are not recorded (record_shapes=True records them, but for lists of "
    "more than 30 tensors)",
    "formula": "that genset has no formula for",
    "steps": "called outside of the marked steps",
    "operator": "that no operator launched (a CUDA graph's, compiled code's)",
}


_BINS = 100  # of each power of ten
_SLOWEST, _FASTEST = 1e-3, 1e6  # TFLOP/s


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
        kinds: a point for each kind, most time first; batch norm and ReLU stand apart.
        operators: a point for each operator on the same shapes, most time first.
        throughput: time by throughput of operators' calls, slowest first; it adds up to 1 less
            `unknown`. Calls whose rates are within 2.4 % stand together, and all up to 0.001.
        unknown: share of the time of kernels that do not communicate whose work is not known.
        left_out: those, longest first.
        remarks: what the numbers need to be read right, a sentence each.
    """

    peaks: Peaks | None
    devices: int
    run: Point | None
    busy: Point | None
    kinds: list[Point] = field(default_factory=list)
    operators: list[Point] = field(default_factory=list)
    throughput: list[Throughput] = field(default_factory=list)
    unknown: float = 0.0
    left_out: list[LeftOut] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def roofline(ranks: Sequence[Counted], peaks: Peaks | None) -> Roofline:
    """The roofline of a run's ranks together."""
    whole = sum(rank.seconds for rank in ranks)
    worked = [each for rank in ranks for each in rank.done]
    done = [each for each in worked if each.work.bytes > 0]
    groups: dict[tuple[object, ...], list[Done]] = {}
    for each in done:
        key = each.name, each.shapes, each.work, _roof(each, peaks)
        groups.setdefault(key, []).append(each)
    points = sorted(
        (held_against(_together(of, whole), peaks, _roof(of[0], peaks)) for of in groups.values()),
        key=lambda point: -point.seconds,
    )
    kinds: dict[str, list[Done]] = {}
    for each in done:
        kinds.setdefault(each.work.kind, []).append(each)
    left = _left_out(ranks)
    run = _run(done, sum(rank.span for rank in ranks), peaks)
    busy = _run(done, sum(rank.busy for rank in ranks), peaks)
    stars = [star for star in (busy, run) if star]
    together = sorted(
        (_kind(of, whole, peaks) for of in kinds.values()), key=lambda point: -point.seconds
    )
    above = _together_above(stars, together, points)
    return Roofline(
        peaks=peaks,
        devices=sum(rank.devices for rank in ranks),
        run=run,
        busy=busy,
        kinds=together,
        operators=points,
        throughput=_throughput(worked, whole),
        unknown=sum(each.seconds for each in left) / whole if whole > 0 else 0.0,
        left_out=left,
        remarks=[*_remarks(ranks, points, left, peaks), *above],
    )


def _throughput(worked: Sequence[Done], whole: float) -> list[Throughput]:
    """By call: those on the same shapes may be fast once and slow once.

    On tensors without an element they take time, too, and do nothing.
    """
    bins: dict[int, list[Done]] = {}
    for each in worked:
        bins.setdefault(_bin(each.work.flops / each.seconds / 1e12), []).append(each)
    return [_at_about_one_rate(bins[at], whole) for at in sorted(bins)]


def _bin(tflops: float) -> int:
    """Of a hundred a power of ten; what is slower or faster than any that matters in one each."""
    return floor(_BINS * log10(min(max(tflops, _SLOWEST), _FASTEST)))


def _at_about_one_rate(of: Sequence[Done], whole: float) -> Throughput:
    seconds = sum(each.seconds for each in of)
    flops = sum(each.work.flops for each in of)
    return Throughput(flops / seconds / 1e12, len(of), seconds / whole)


def _roof(done: Done, peaks: Peaks | None) -> Roof | None:
    """Norms and activations are done on vector units, in float32 whatever they are kept in."""
    if done.work.kind in MULTIPLIES:
        return roof_of(peaks, done.work.precision, done.matrix_units)
    return roof_of(peaks, "float32", False)


def _together(of: Sequence[Done], whole: float) -> Point:
    """A point of the same operator on the same shapes."""
    seconds = sum(each.seconds for each in of)
    return Point(
        name=of[0].name,
        kind=of[0].work.kind,
        flops=sum(each.work.flops for each in of),
        bytes=sum(each.work.bytes for each in of),
        seconds=seconds,
        count=len(of),
        shapes=of[0].shapes,
        share=seconds / whole,
        precision=of[0].work.precision,
    )


def _kind(of: Sequence[Done], whole: float, peaks: Peaks | None) -> Point:
    point = replace(_together(of, whole), name=of[0].work.kind, shapes=(), precision=None)
    return held_against(point, peaks, _roof_of_most(of, peaks))


def _run(done: Iterable[Done], seconds: float, peaks: Peaks | None) -> Point | None:
    done = list(done)
    multiplied = [each for each in done if each.work.kind in MULTIPLIES]
    flops = sum(each.work.flops for each in multiplied)
    if flops == 0 or seconds <= 0:
        return None
    moved = sum(each.work.bytes for each in done)
    point = Point("run", None, flops, moved, seconds, len(done))
    return held_against(point, peaks, _roof_of_most(multiplied, peaks))


def _roof_of_most(done: Iterable[Done], peaks: Peaks | None) -> Roof | None:
    """The roof under which most of the FLOPs were done; None if it is not known of most."""
    flops: dict[Roof | None, int] = {}
    for each in done:
        roof = _roof(each, peaks)
        flops[roof] = flops.get(roof, 0) + each.work.flops
    return max(flops, key=lambda roof: flops[roof], default=None)


def _left_out(ranks: Sequence[Counted]) -> list[LeftOut]:
    together: dict[tuple[object, ...], LeftOut] = {}
    for each in (each for rank in ranks for each in rank.left_out):
        before = together.get((each.name, each.missing))
        together[each.name, each.missing] = (
            each
            if before is None
            else replace(
                each, count=each.count + before.count, seconds=each.seconds + before.seconds
            )
        )
    return sorted(together.values(), key=lambda each: (-each.seconds, each.name))


def _remarks(
    ranks: Sequence[Counted], points: Sequence[Point], left: Sequence[LeftOut], peaks: Peaks | None
) -> list[str]:
    """A sentence each.

    Args:
        points: the operators'.
        left: what is left out, longest first.
    """
    whole = sum(rank.seconds for rank in ranks)
    on = "operators" if any(rank.on == "host" for rank in ranks) else "kernels"
    said = _left_out_remarks(left, whole, on)
    unknown = sum(each.seconds for each in left) / whole if whole > 0 else 0.0
    if points and unknown > _MUCH:
        said.append(
            f"the work of {100 * unknown:.0f} % of the time of {on} is not known: the run's "
            "achieved FLOP/s and bytes/s are at least what is printed"
        )
    said += _of_unknown_units(points, peaks)
    said += _above(points)
    if any(rank.causal for rank in ranks):
        said.append(
            "attention is masked (is_causal), and counted whole, as torch.utils.flop_counter "
            "does: its kernels may do half of that"
        )
    if points and on == "kernels" and (peaks is None or not peaks.tflops):
        said.append("the device's peaks are not known: give them, --peak-tflops and --peak-gbs")
    elif points and on == "kernels" and peaks is not None and peaks.gbs is None:
        said.append("the device's name does not tell its memory: give its rate, --peak-gbs")
    return said


def _left_out_remarks(left: Sequence[LeftOut], whole: float, on: str) -> list[str]:
    said = []
    for missing, why in _WHY.items():
        of = [each for each in left if each.missing == missing]
        share = sum(each.seconds for each in of) / whole if whole > 0 else 0.0
        if share < _LITTLE:
            continue
        most = f", most in {clean(of[0].name, 60)}" if of[0].name else ""
        thing = on if missing == "operator" else "operators"
        said.append(f"left out: {100 * share:.1f} % of the time of {on}, in {thing} {why}{most}")
    return said


def _of_unknown_units(points: Sequence[Point], peaks: Peaks | None) -> list[str]:
    """Products of float32 that matrix units may have done, as TF32, or not."""
    if peaks is None or not tells_by_units(peaks):
        return []
    of = [
        point
        for point in points
        if point.kind in MULTIPLIES and point.precision == "float32" and point.roof is None
    ]
    if not of:
        return []
    share = sum(point.share or 0.0 for point in of)
    vector, tf32 = (peaks.tflops.get(roof) for roof in ("float32", "tf32"))
    return [
        f"{100 * share:.1f} % of the time is products of float32 by kernels whose names do not "
        f"tell whether they used matrix units (TF32), most in {clean(of[0].name, 60)}: they are "
        f"held against no peak, since it is {vector or 0:,.4g} TFLOP/s without and "
        f"{tf32 or 0:,.4g} with them"
    ]


def _above(points: Sequence[Point]) -> list[str]:
    above = [point for point in points if point.above > 1.0]
    if not above:
        return []
    highest = max(above, key=lambda point: point.above)
    share = sum(point.share or 0.0 for point in above)
    return [
        f"{len(above)} of {len(points)} points, {100 * share:.1f} % of the time, are above the "
        f"roof ({clean(highest.name, 60)} {highest.above:,.1f} times): what they read was in a "
        "cache, or a peak is wrong"
    ]


def _together_above(
    stars: Sequence[Point], kinds: Sequence[Point], points: Sequence[Point]
) -> list[str]:
    """What is said of a whole run, and of kinds of operators, that lie above the roof.

    Args:
        points: the operators'; where one is above, its kind need not be named.
    """
    precision = "a part was done in a faster precision than it is held against, or a peak is wrong"
    whole = sorted(stars, key=lambda star: -star.above)[:1]
    said = [each for star in whole for each in _star_above(star, "the run as a whole", precision)]
    named = {point.kind for point in points if point.above > 1.0}
    for kind in kinds:
        if kind.kind not in named:
            said += _star_above(kind, f"{clean(kind.name, 60)} as a whole", precision)
    return said


def point_above(point: Point) -> list[str]:
    """What is said of a point given by hand that lies above the roof."""
    return _star_above(point, "the point", "its FLOPs, its seconds or a peak is wrong")


def _star_above(star: Point, what: str, flops: str) -> list[str]:
    """No cache makes FLOPs: where those are above the roof, something else is the reason."""
    if star.above <= 1.0:
        return []
    over = (star.of_peak or 0.0) > 1.0
    why = flops if over else "what it read was in a cache, or a peak or a number is wrong"
    return [f"{what} is above the roof, {star.above:,.2f} times: {why}"]
