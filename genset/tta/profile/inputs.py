"""An operator's recorded inputs, by their place: shapes, sizes in bytes, and plain values."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Literal

from genset.tta.traces.fields import bytes_of
from genset.tta.traces.trace import Operator, Shape

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


_PRECISIONS: dict[str, Precision] = {
    "double": "float64",
    "float": "float32",
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
}
_FLOAT8 = "c10::Float8_"

# A list of tensors tells no type; parameters and what optimizers keep are float32 in practice.
_LIST_BYTES = 4

# No tensor has more; a stranger's file may say anything.
_MOST_ELEMENTS = 2**62

_WHOLES = re.compile(r"\[?\s*(-?\d{1,12}(?:\s*,\s*-?\d{1,12}){0,7})\s*\]?")


class Inputs:
    """The inputs of one operator; what is not recorded, or makes no sense, is `CannotTell`."""

    def __init__(self, operator: Operator) -> None:
        shapes = operator.shapes
        if shapes is None or len(operator.types) != len(shapes):
            raise CannotTell("shapes")
        self._shapes = shapes
        self._types = operator.types
        self._values = operator.values

    def has(self, place: int) -> bool:
        """Whether the input at that place is a tensor."""
        return place < len(self._types) and bytes_of(self._types[place]) is not None

    def shape(self, place: int, dimensions: int | None = None) -> Shape:
        """The tensor's shape.

        Args:
            dimensions: how many it must have.
        """
        if not self.has(place):
            raise CannotTell("shapes")
        shape = _tensor(self._shapes[place])
        if dimensions is not None and len(shape) != dimensions:
            raise CannotTell("shapes")
        return shape

    def width(self, place: int) -> int:
        """Bytes of one of the tensor's elements."""
        self.shape(place)
        return bytes_of(self._types[place]) or 0

    def bytes(self, place: int) -> int:
        """Of the tensor; 0 where none was given."""
        return prod(self.shape(place)) * self.width(place) if self.has(place) else 0

    def precision(self, place: int) -> Precision:
        """Of the tensor's elements."""
        self.shape(place)
        name = self._types[place]
        return "float8" if name.startswith(_FLOAT8) else _PRECISIONS.get(name, "other")

    def tensors(self) -> Iterator[tuple[int, Shape, int]]:
        """Place, shape and bytes of an element of every tensor, those in lists too."""
        for place, kind in enumerate(self._types):
            if kind == "TensorList":
                for shape in self.list(place):
                    yield place, shape, _LIST_BYTES
            elif self.has(place):
                yield place, self.shape(place), self.width(place)

    def list(self, place: int) -> tuple[Shape, ...]:
        """The shapes of a list of tensors; the profiler writes none of a list longer than 30."""
        shapes = self._shapes[place] if place < len(self._shapes) else ()
        if not shapes:
            raise CannotTell("shapes")
        return tuple(_tensor(shape) for shape in shapes)

    def wholes(
        self, place: int, count: int, otherwise: tuple[int, ...] | None = None
    ) -> tuple[int, ...]:
        """The whole numbers of a value like "[2, 2]"; one number stands for as many as needed.

        Args:
            otherwise: what "[]" stands for.
        """
        text = self._value(place)
        if text == "[]" and otherwise is not None:
            return otherwise
        found = _WHOLES.fullmatch(text)
        numbers = tuple(int(word) for word in found[1].split(",")) if found else ()
        if len(numbers) == 1:
            numbers *= count
        if len(numbers) != count:
            raise CannotTell("values")
        return numbers

    def flags(self, place: int, count: int) -> tuple[bool, ...]:
        """The truths of a value like "[True, True, False]", or "False"."""
        words = [word.strip() for word in self._value(place).strip("[]").split(",")]
        known = {"True": True, "1": True, "False": False, "0": False}
        if len(words) != count or any(word not in known for word in words):
            raise CannotTell("values")
        return tuple(known[word] for word in words)

    def _value(self, place: int) -> str:
        text = self._values[place] if place < len(self._values) else ""
        if not text or len(text) > 200:
            raise CannotTell("values")
        return text


Formula = Callable[[Inputs], Work]


def _tensor(shape: object) -> Shape:
    """The shape, if a tensor can have it."""
    if not isinstance(shape, tuple):
        raise CannotTell("shapes")
    for side in shape:
        if not isinstance(side, int) or not 0 <= side <= _MOST_ELEMENTS:
            raise CannotTell("shapes")
    if prod(shape) > _MOST_ELEMENTS:
        raise CannotTell("shapes")
    return shape
