"""What devices could do at most, from their makers' data sheets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

# "float32" on vector units, the others on matrix units; "given" by the user, for all.
Roof = Literal["float64", "float32", "tf32", "float16", "bfloat16", "float8", "given"]


@dataclass(frozen=True, slots=True)
class Peaks:
    """A device's peaks.

    Attributes:
        tflops: dense 10^12 FLOP/s by precision.
        gbs: 10^9 bytes/s to and from its memory; None if it is not known.
        source: the data sheet.
    """

    device: str
    tflops: Mapping[Roof, float]
    gbs: float | None
    source: str


def find_peaks(device: str) -> Peaks | None:
    """The peaks of the device of this name, as its runtime tells it; None of an unknown one."""


def own_peaks(known: Peaks | None, tflops: float | None, gbs: float | None) -> Peaks | None:
    """The peaks with the user's own in place of the known ones."""
