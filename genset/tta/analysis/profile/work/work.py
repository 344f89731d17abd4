"""An operator's work, and why some cannot be told."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "convolution",
    "matrix product",
    "attention",
    "batch norm",
    "other norm",
    "ReLU",
    "other activation",
    "pooling",
    "elementwise",
    "reduction",
    "copy",
    "optimizer",
]

# Multiply-adds, whose FLOPs follow from the shapes; a run's FLOPs are theirs.
MULTIPLIES: tuple[Kind, ...] = ("convolution", "matrix product", "attention")

Precision = Literal["float64", "float32", "float16", "bfloat16", "float8", "other"]

Missing = Literal["shapes", "values", "formula", "operator", "steps"]


@dataclass(frozen=True, slots=True)
class Work:
    """What an operator had to do.

    Attributes:
        flops: floating-point operations, a multiply-add is two. Of `MULTIPLIES` as
            torch.utils.flop_counter counts those that it has a formula for (causal attention as if
            nothing were masked), but for grouped convolutions; docs/profiling.md has the rest. Of
            other kinds an estimate of so many an element, which places a point in the figure and
            is in no run's FLOPs.
        bytes: the least to move: each input read once, each output written once.
        precision: of its first tensor.
    """

    kind: Kind
    flops: int
    bytes: int
    precision: Precision


class CannotTell(Exception):
    """An operator's work does not follow from what the trace holds.

    Attributes:
        missing: what of it is missing, or not as the operator's shapes and values should be.
    """

    def __init__(self, missing: Literal["shapes", "values"]) -> None:
        super().__init__(missing)
        self.missing: Literal["shapes", "values"] = missing
