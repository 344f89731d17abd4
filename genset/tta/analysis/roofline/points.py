"""Points of a roofline: work done in a time, beside what the device could do at most."""

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.analysis.profile.work.work import Kind, Precision
from genset.tta.analysis.roofline.peaks import Peaks, Roof
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
