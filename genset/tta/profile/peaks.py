"""What devices could do at most, from their makers' data sheets."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from genset.core.errors import BadInput
from genset.core.files import packaged_rows
from genset.core.safe import clean
from genset.tta.profile.products import Kind, Precision
from genset.tta.profile.trace import Shape

# "float32" on vector units, the others on matrix units; "given" by the user, for all; "mixed" of
# work in several, each compared with its own.
Roof = Literal["float32", "tf32", "float16", "bfloat16", "float8", "int8", "given", "mixed"]


@dataclass(frozen=True, slots=True)
class Peaks:
    """A device's peaks.

    Attributes:
        tflops: dense 10^12 FLOP/s by precision, without the doubling that data sheets give for
            sparse weights; {} if it is not known.
        gbs: 10^9 bytes/s to and from its memory; None if it is not known.
        source: the data sheet, or "as given".
    """

    device: str
    tflops: Mapping[Roof, float]
    gbs: float | None
    source: str


_PRECISIONS: tuple[Roof, ...] = ("float32", "tf32", "float16", "bfloat16", "float8", "int8")


# The rows of peaks.csv. `names` is a pattern of the names that runtimes give, without regard to
# case; the first that is found counts. A100-PG... are boards for one customer, of unknown memory.
_PEAKS = {
    re.compile(rf"(?<![a-z0-9])(?:{row['names']})(?![a-z0-9])", re.IGNORECASE): Peaks(
        row["device"],
        {p: float(row[p]) for p in _PRECISIONS if row[p]},
        float(row["gbs"]) if row["gbs"] else None,
        row["source"],
    )
    for row in packaged_rows(Path(__file__).with_name("peaks.csv"))
}
KNOWN_DEVICES = [*_PEAKS.values()]

_LONGEST = 5000  # characters of a name, which tells a point from others


def find_peaks(device: str) -> Peaks | None:
    """The peaks of the device of this name, as its runtime tells it; None of an unknown one."""
    if "MIG" in device.split():  # a part of a device has a part of its peaks
        return None
    return next((peaks for pattern, peaks in _PEAKS.items() if pattern.search(device)), None)


def named_peaks(device: str) -> Peaks:
    """The peaks of the device that a user names, by its name here or its runtime's.

    Raises:
        BadInput: they are not known, or several devices have the name ("H100" is of three).
    """
    names = [peaks.device for peaks in KNOWN_DEVICES]
    same = (peaks for peaks in KNOWN_DEVICES if peaks.device.lower() == device.lower())
    found = next(same, None) or find_peaks(device)
    if found is None:
        words = set(device.lower().split()) - {"nvidia", "tesla"}
        alike = [name for name in names if words and words <= set(name.lower().split())]
        raise BadInput(
            f"--device {clean(device, 60)}: write one of {', '.join(alike or names)}, or give the "
            "peaks of another with --peak-tflops and --peak-gbs"
        )
    return found


@dataclass(frozen=True, slots=True)
class DeviceOptions:
    """What the user knows of a device that traces do not have.

    Attributes:
        tflops: 10^12 FLOP/s at most.
        gbs: 10^9 bytes/s to and from its memory at most.
        device: whose peaks to take; "" for those of the device that the traces name.
    """

    tflops: float | None = None
    gbs: float | None = None
    device: str = ""

    def peaks(self, device: str) -> Peaks | None:
        """The peaks of a device of this name, with the user's in place of the known ones.

        Raises:
            BadInput: the user's device is not known.
        """
        known = named_peaks(self.device) if self.device else find_peaks(device)
        if self.tflops is None and self.gbs is None:
            return known
        peaks = known or Peaks("", {}, None, "")
        others = f" and {peaks.source}" if peaks.source and None in (self.tflops, self.gbs) else ""
        return Peaks(
            peaks.device,
            peaks.tflops if self.tflops is None else {"given": self.tflops},
            peaks.gbs if self.gbs is None else self.gbs,
            f"as given{others}",
        )


def depends_on_units(peaks: Peaks) -> bool:
    """Whether the peak of float32 depends on which units compute it."""
    return "tf32" in peaks.tflops and peaks.tflops["tf32"] != peaks.tflops.get("float32")


def roof_of(peaks: Peaks | None, precision: str | None, matrix_units: bool | None) -> Roof | None:
    """Which peak a computation is compared with; None if there is none for it.

    Float32 on matrix units is TF32. If no name tells whether matrix units did it, and TF32 is
    faster, there is none: it would rest on a guess.
    """
    if peaks is None:
        return None
    if "given" in peaks.tflops:
        return "given"
    if precision == "float32":
        if matrix_units is None and depends_on_units(peaks):
            return None
        precision = "tf32" if matrix_units and "tf32" in peaks.tflops else "float32"
    return next((roof for roof in peaks.tflops if roof == precision), None)


@dataclass(frozen=True, slots=True)
class Point:
    """Work done in a time: a run, a kind of operators, an operator on certain shapes.

    Attributes:
        kind: of its operators; None of a whole run.
        flops, bytes: of all its calls; see `Work`. `bytes` and `seconds` are above 0.
        seconds: in which they were done, of all ranks added up.
        count: how many calls; of a run, operators.
        shapes: of the tensors that an operator was called on; () of others.
        share: of the time of kernels that do not communicate, 0 to 1; None of a run and of a
            point given by hand.
        roof: which of the device's peaks it is compared with; None without one.
        of_peak: achieved ÷ peak FLOP/s; None without a peak.
        of_bandwidth: achieved ÷ peak bytes/s; None without a peak.
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

    def as_json(self) -> dict[str, Any]:
        """With what follows from it."""
        rates = {"tflops": self.tflops, "gbs": self.gbs, "flops_per_byte": self.flops_per_byte}
        return asdict(self) | rates | {"of_roof": self.of_roof}

    @property
    def tflops(self) -> float:
        """Achieved 10^12 FLOP/s."""
        return self.flops / self.seconds / 1e12

    @property
    def gbs(self) -> float:
        """Achieved 10^9 bytes/s, of the least to move."""
        return self.bytes / self.seconds / 1e9

    @property
    def flops_per_byte(self) -> float:
        """FLOPs a byte."""
        return self.flops / self.bytes

    @property
    def of_roof(self) -> float | None:
        """Achieved ÷ what the roof allows at its intensity; None without both peaks and FLOPs."""
        if self.of_peak is None or self.of_bandwidth is None or not self.flops:
            return None
        return max(self.of_peak, self.of_bandwidth)

    @property
    def above(self) -> float:
        """The larger of its known shares of the peaks: over the roof above 1; 0 without peaks."""
        return max((self.of_peak or 0.0) if self.flops else 0.0, self.of_bandwidth or 0.0)

    def compared_with(self, peaks: Peaks | None, roof: Roof | None) -> "Point":
        """The point with its shares of the peaks."""
        peak = None if peaks is None or roof is None else peaks.tflops.get(roof)
        gbs = None if peaks is None else peaks.gbs
        of_peak = None if peak is None else self.tflops / peak
        of_bandwidth = None if gbs is None else self.gbs / gbs
        return replace(self, roof=roof, of_peak=of_peak, of_bandwidth=of_bandwidth)


def read_point(text: str) -> Point:
    """A run without a trace, from `--point NAME=FLOPS,BYTES,SECONDS`.

    Raises:
        BadInput: it is not that, or a number is not above 0.
    """
    name, _, numbers = text.rpartition("=")
    name, values = clean(name, _LONGEST).strip(), [positive(word) for word in numbers.split(",")]
    if not name or len(values) != 3 or None in values:
        why = "write NAME=FLOPS,BYTES,SECONDS, three numbers above 0, such as TPUv2=3.1e15,4e13,90"
        raise BadInput(f"--point {clean(text, 80)}: {why}")
    flops, moved, seconds = (value for value in values if value is not None)
    return Point(name, None, flops, moved, seconds)


def positive(text: str) -> float | None:
    """A number above 0, of a size that things have; None of any other text."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 1e-12 < value < 1e30 else None
