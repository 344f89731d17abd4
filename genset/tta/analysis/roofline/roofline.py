"""A run's roofline: what its operators achieved beside what the device could do at most."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from genset.tta.analysis.profile.work.count import Counted, LeftOut
from genset.tta.analysis.roofline.peaks import Peaks
from genset.tta.analysis.roofline.points import Point


@dataclass(frozen=True, slots=True)
class Throughput:
    """Time at one throughput.

    Attributes:
        tflops: achieved 10^12 FLOP/s.
        share: of the time of kernels that do not communicate, 0 to 1.
    """

    tflops: float
    share: float


@dataclass(frozen=True, slots=True)
class Roofline:
    """A run's points, of all its ranks together.

    Attributes:
        run: all convolutions', products' and attentions' FLOPs, all known bytes, over the whole
            window, idle time and communication included; None if nothing is known.
        busy: the same work over the time of the kernels whose work is known.
        kinds: a point for each kind, most time first; batch norm and activations stand apart.
        operators: a point for each operator on the same shapes, most time first.
        throughput: time by throughput, slowest first; it adds up to 1 less `unknown`.
        unknown: share of the time of kernels that do not communicate whose work is not known.
        left_out: those, longest first.
        remarks: a sentence each.
    """

    peaks: Peaks | None
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
