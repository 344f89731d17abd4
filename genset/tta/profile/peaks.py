"""What devices could do at most, from their makers' data sheets."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.profile.inputs import Kind, Precision
from genset.tta.traces.trace import Shape

# "float32" on vector units, the others on matrix units; "given" by the user, for all.
Roof = Literal["float32", "tf32", "float16", "bfloat16", "given"]


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


def _volta(vector: float, matrix: float) -> dict[Roof, float]:
    return {"float32": vector, "float16": matrix}


def _since_ampere(vector: float, tf32: float, half: float) -> dict[Roof, float]:
    return {"float32": vector, "tf32": tf32, "float16": half, "bfloat16": half}


_A100 = _since_ampere(19.5, 156, 312)
_H100_SXM = _since_ampere(67, 494.7, 989.4)
_A100_SHEET = "NVIDIA A100 Tensor Core GPU datasheet"
_H100_PAPER = "NVIDIA H100 Tensor Core GPU Architecture whitepaper"
_SXM_SHEET = f"{_H100_PAPER} (matrix units, dense), NVIDIA H100 datasheet (float32, memory)"
_H200_SXM_SHEET = (
    f"{_H100_PAPER} (matrix units, dense: the same chip), NVIDIA H200 datasheet (float32, memory)"
)
_H100_SHEET = "NVIDIA H100 Tensor Core GPU datasheet, its sparse figures halved"
_V100_SHEET = "NVIDIA V100 Tensor Core GPU datasheet"
_TPU_SHEET = (
    "Jouppi et al., A Domain-Specific Supercomputer for Training Deep Neural Networks "
    "(CACM 2020), of one chip"
)

# A pattern of the names that runtimes give, without regard to case; the first found counts.
_TABLE: tuple[tuple[str, Peaks], ...] = (
    (r"V100S-PCIE", Peaks("V100S PCIe", _volta(16.4, 130), 1134, _V100_SHEET)),
    (r"V100-SXM2", Peaks("V100 SXM2", _volta(15.7, 125), 900, _V100_SHEET)),
    (r"V100-PCIE", Peaks("V100 PCIe", _volta(14, 112), 900, _V100_SHEET)),
    (r"A100-SXM4-80GB", Peaks("A100 SXM 80 GB", _A100, 2039, _A100_SHEET)),
    (r"A100-SXM4-40GB|A100-SXM-40GB", Peaks("A100 SXM 40 GB", _A100, 1555, _A100_SHEET)),
    (r"A100 80GB PCIe|A100-PCIE-80GB", Peaks("A100 PCIe 80 GB", _A100, 1935, _A100_SHEET)),
    (r"A100-PCIE-40GB", Peaks("A100 PCIe 40 GB", _A100, 1555, _A100_SHEET)),
    # Boards made for one customer: the same chip, and a memory that the name does not tell.
    (r"A100-PG\d+", Peaks("A100", _A100, None, _A100_SHEET)),
    (r"H100 NVL", Peaks("H100 NVL", _since_ampere(60, 417.5, 835.5), 3900, _H100_SHEET)),
    (r"H100 PCIe", Peaks("H100 PCIe", _since_ampere(51, 378, 756.5), 2000, _H100_SHEET)),
    (r"H100 80GB HBM3|H100 SXM", Peaks("H100 SXM", _H100_SXM, 3350, _SXM_SHEET)),
    (
        r"H200 NVL",
        Peaks(
            "H200 NVL",
            _since_ampere(60, 417.5, 835.5),
            4800,
            "NVIDIA H200 Tensor Core GPU datasheet, its sparse figures halved",
        ),
    ),
    (
        r"H200(?! NVL)",
        Peaks("H200 SXM", _H100_SXM, 4800, _H200_SXM_SHEET),
    ),
    (r"Tesla T4|NVIDIA T4", Peaks("T4", _volta(8.1, 65), 320, "NVIDIA T4 datasheet")),
    (
        r"RTX 4090(?! Laptop| D)",
        Peaks(
            "RTX 4090",
            _since_ampere(82.6, 82.6, 165.2),
            1008,
            "NVIDIA Ada GPU Architecture whitepaper, sums in float32 as PyTorch has them",
        ),
    ),
    (r"TPU ?v2", Peaks("TPUv2", {"bfloat16": 46}, 700, _TPU_SHEET)),
    (r"TPU ?v3", Peaks("TPUv3", {"bfloat16": 123}, 900, _TPU_SHEET)),
)
_PEAKS = tuple(
    (re.compile(rf"(?<![a-z0-9])(?:{p})(?![a-z0-9])", re.IGNORECASE), peaks) for p, peaks in _TABLE
)

# A part of a device has a part of its peaks.
_PART = re.compile(r"\bMIG\b")


def find_peaks(device: str) -> Peaks | None:
    """The peaks of the device of this name, as its runtime tells it; None of an unknown one."""
    if _PART.search(device):
        return None
    return next((peaks for pattern, peaks in _PEAKS if pattern.search(device)), None)


def named_peaks(device: str) -> Peaks:
    """The peaks of the device that somebody names, by its name here or its runtime's.

    Raises:
        BadInput: they are not known.
    """
    same = (peaks for peaks in known_devices() if peaks.device.lower() == device.lower())
    found = next(same, None) or find_peaks(device)
    if found is None:
        if alike := _of_family(device):
            raise BadInput(
                f"--device {clean(device, 60)}: there are several, whose peaks differ: say "
                f"{', '.join(alike[:-1])} or {alike[-1]}"
            )
        names = ", ".join(peaks.device for peaks in known_devices())
        raise BadInput(
            f"--device {clean(device, 60)}: its peaks are not known (known are {names}): give "
            "them, --peak-tflops and --peak-gbs"
        )
    return found


def _of_family(device: str) -> list[str]:
    """Known devices whose names have all the words of this one: "H100" is of three."""
    words = set(device.lower().split()) - {"nvidia", "tesla"}
    names = [peaks.device for peaks in known_devices()]
    return [name for name in names if words and words <= set(name.lower().split())]


def known_devices() -> list[Peaks]:
    """All devices whose peaks are known."""
    return [peaks for _, peaks in _TABLE]


def own_peaks(known: Peaks | None, tflops: float | None, gbs: float | None) -> Peaks | None:
    """The peaks with the user's own in place of the known ones; None where there are neither.

    Raises:
        BadInput: a peak is not above 0.
    """
    for option, value in (("--peak-tflops", tflops), ("--peak-gbs", gbs)):
        if value is not None and not 0 < value < 1e12:
            raise BadInput(f"{option} {value:g}: a peak is above 0 (and below 1e12)")
    if tflops is None and gbs is None:
        return known
    peaks = known or Peaks("", {}, None, "")
    sources = [peaks.source] if peaks.source and (tflops is None or gbs is None) else []
    return replace(
        peaks,
        tflops=peaks.tflops if tflops is None else {"given": tflops},
        gbs=peaks.gbs if gbs is None else gbs,
        source=" and ".join(["as given", *sources]),
    )


def tells_by_units(peaks: Peaks) -> bool:
    """Whether the peak of float32 depends on which units compute it."""
    vector = peaks.tflops.get("float32")
    return "tf32" in peaks.tflops and peaks.tflops["tf32"] != vector


def roof_of(peaks: Peaks | None, precision: str | None, matrix_units: bool | None) -> Roof | None:
    """Which peak a computation is held against; None if there is none for it.

    Float32 on matrix units is TF32. Where no name tells whether matrix units did it, and TF32 is
    faster, there is none: it would rest on a guess.
    """
    if peaks is None:
        return None
    if "given" in peaks.tflops:
        return "given"
    if precision == "float32":
        if matrix_units is None and tells_by_units(peaks):
            return None
        found: Roof = "tf32" if matrix_units and "tf32" in peaks.tflops else "float32"
        return found if found in peaks.tflops else None
    for roof in peaks.tflops:
        if roof == precision:
            return roof
    return None


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
