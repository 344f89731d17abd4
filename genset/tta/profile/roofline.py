"""A run's roofline: what its operators achieved beside what the device could do at most."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from math import floor, log10
from typing import Any

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.profile.inputs import MULTIPLIES, Kind, Precision
from genset.tta.profile.peaks import Peaks, Roof, roof_of
from genset.tta.profile.remarks import remarks, together_above
from genset.tta.profile.work import Counted, Done, LeftOut
from genset.tta.traces.trace import Shape

_LONGEST = 5000  # characters of a name, which tells a point from others


@dataclass(frozen=True, slots=True)
class Point:
    """A run, a kind of operators, an operator on certain shapes, or what was measured elsewhere.

    Attributes:
        kind: of its operators; None of a whole run.
        flops, bytes: of all its calls; see `Work`. `bytes` and `seconds` are above 0.
        seconds: in which they were done, of all ranks added up.
        count: how many calls; of a run, operators.
        shapes: of the tensors that an operator was called on; () of others.
        share: of the time of kernels that do not communicate, 0 to 1; None of a run and of a
            point given by hand.
        roof: which of the device's peaks it is held against; None without one.
        of_peak: achieved ÷ peak FLOP/s; None without a peak.
        of_bandwidth: achieved ÷ peak bytes/s; None without a peak.
        of_roof: achieved ÷ what the roof allows at its intensity; above 1 the bytes came from a
            cache, or a peak is wrong. None without both peaks, and without FLOPs.
    """

    name: str
    kind: Kind | None
    flops: float
    bytes: float
    seconds: float
    count: int = 1
    shapes: tuple[Shape, ...] = ()
    share: float | None = None
    precision: Precision | None = None
    roof: Roof | None = None
    of_peak: float | None = None
    of_bandwidth: float | None = None
    of_roof: float | None = None

    def as_json(self) -> dict[str, Any]:
        """With what follows from it."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        rates = {"tflops": self.tflops, "gbs": self.gbs, "flops_per_byte": self.intensity}
        return known | rates

    @property
    def tflops(self) -> float:
        """Achieved 10^12 FLOP/s."""
        return self.flops / self.seconds / 1e12

    @property
    def gbs(self) -> float:
        """Achieved 10^9 bytes/s, of the least to move."""
        return self.bytes / self.seconds / 1e9

    @property
    def above(self) -> float:
        """The larger of its known shares of the peaks: over the roof above 1; 0 without peaks."""
        return max((self.of_peak or 0.0) if self.flops > 0 else 0.0, self.of_bandwidth or 0.0)

    @property
    def intensity(self) -> float:
        """FLOPs a byte; 0 of what only moves bytes, which no logarithmic axis shows."""
        return self.flops / self.bytes


def held_against(point: Point, peaks: Peaks | None, roof: Roof | None) -> Point:
    """The point with its shares of the peaks."""
    peak = None if peaks is None or roof is None else peaks.tflops.get(roof)
    gbs = None if peaks is None else peaks.gbs
    of_peak = None if peak is None else point.tflops / peak
    of_bandwidth = None if gbs is None else point.gbs / gbs
    of_roof = None
    if of_peak is not None and of_bandwidth is not None and point.flops > 0:
        of_roof = max(of_peak, of_bandwidth)
    return replace(point, roof=roof, of_peak=of_peak, of_bandwidth=of_bandwidth, of_roof=of_roof)


def read_point(text: str) -> Point:
    """A run without a trace, as `--point NAME=FLOPS,BYTES,SECONDS` tells it.

    Raises:
        BadInput: it is not that, or a number is not above 0.
    """
    said = f"--point {clean(text, 80)}"
    name, equals, numbers = text.rpartition("=")
    name = clean(name, _LONGEST).strip()
    if not equals or not name:
        raise BadInput(f"{said}: write NAME=FLOPS,BYTES,SECONDS, such as 'TPUv2=3.1e15,4e13,90'")
    words = numbers.split(",")
    if len(words) != 3:
        raise BadInput(f"{said}: after the = stand three numbers, FLOPS,BYTES,SECONDS")
    values: list[float] = []
    for what, word in zip(("FLOPS", "BYTES", "SECONDS"), words, strict=True):
        try:
            value = float(word)
        except ValueError:
            raise BadInput(f"{said}: {what} is not a number") from None
        if not (math.isfinite(value) and 1e-12 < value < 1e30):
            raise BadInput(f"{said}: {what} is a number above 0 (and below 1e30)")
        values.append(value)
    flops, moved, seconds = values
    return Point(name, None, flops, moved, seconds)


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
    above = together_above(stars, together, points)
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
        remarks=[*remarks(ranks, points, left, peaks), *above],
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
