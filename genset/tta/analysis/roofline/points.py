"""Points of a roofline: work done in a time."""

from dataclasses import dataclass

from genset.tta.analysis.profile.work.work import Kind, Precision


@dataclass(frozen=True, slots=True)
class Point:
    """A run, a kind of operators, an operator on certain shapes, or what was measured elsewhere.

    Attributes:
        kind: of its operators; None of a whole run.
        flops, bytes: of all its calls; see `Work`.
        seconds: in which they were done, of all ranks added up.
        count: how many calls.
        share: of the time of kernels that do not communicate, 0 to 1; None of a run and of a
            point given by hand.
        roof: which of the device's peaks it is held against, "tf32"; None without one.
        of_peak: achieved ÷ peak FLOP/s; None without a peak.
        of_bandwidth: achieved ÷ peak bytes/s; None without a peak.
        of_roof: achieved ÷ what the roof allows at its intensity; above 1 the bytes came from a
            cache, or a peak is wrong. None without both peaks.
    """

    name: str
    kind: Kind | None
    flops: float
    bytes: float
    seconds: float
    count: int = 1
    share: float | None = None
    precision: Precision | None = None
    roof: str | None = None
    of_peak: float | None = None
    of_bandwidth: float | None = None
    of_roof: float | None = None

    @property
    def tflops(self) -> float:
        """Achieved 10^12 FLOP/s."""
        return self.flops / self.seconds / 1e12

    @property
    def gbs(self) -> float:
        """Achieved 10^9 bytes/s, of the least to move."""
        return self.bytes / self.seconds / 1e9

    @property
    def intensity(self) -> float:
        """FLOPs a byte."""
        return self.flops / self.bytes
