"""An operator's recorded inputs, by their place: shapes, sizes in bytes, and plain values."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Literal

from genset.tta.traces.fields import bytes_of
from genset.tta.traces.trace import Operator, Shape

Kind = Literal["convolution", "matrix product", "attention"]
Precision = Literal["float64", "float32", "float16", "bfloat16", "float8", "other"]


@dataclass(frozen=True, slots=True)
class Work:
    """What an operator had to do.

    Attributes:
        flops: floating-point operations, a multiply-add is two, as torch.utils.flop_counter counts
            those that it has a formula for (causal attention as if nothing were masked), but for
            grouped convolutions; docs/profiling.md has the rest.
        bytes: the least to move: each input read once, each output written once.
        precision: of its first tensor.
    """

    kind: Kind
    flops: int
    bytes: int
    precision: Precision


class CannotTell(Exception):
    """An operator's shapes or values are not recorded, or make no sense."""


_PRECISIONS: dict[str, Precision] = {
    "double": "float64",
    "float": "float32",
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
}
_FLOAT8 = "c10::Float8_"

# No tensor has more; a stranger's file may say anything.
_MOST_ELEMENTS = 2**62

_WHOLES = re.compile(r"\[?\s*(-?\d{1,12}(?:\s*,\s*-?\d{1,12}){0,7})\s*\]?")
_FLAGS = {"True": True, "1": True, "False": False, "0": False}


class Inputs:
    """The inputs of one operator; what is not recorded, or makes no sense, is `CannotTell`."""

    def __init__(self, operator: Operator) -> None:
        shapes = operator.shapes
        if shapes is None or len(operator.types) != len(shapes):
            raise CannotTell
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
            raise CannotTell
        shape = self._shapes[place]
        if dimensions not in (None, len(shape)):
            raise CannotTell
        if min(shape, default=0) < 0 or max(shape, default=0) > _MOST_ELEMENTS:
            raise CannotTell
        if prod(shape) > _MOST_ELEMENTS:
            raise CannotTell
        return shape

    def width(self, place: int) -> int:
        """Bytes of one of the tensor's elements."""
        self.shape(place)
        return bytes_of(self._types[place]) or 0

    def bytes(self, place: int) -> int:
        """Of the tensor; 0 where there is none."""
        return prod(self.shape(place)) * self.width(place) if self.has(place) else 0

    def precision(self, place: int) -> Precision:
        """Of the tensor's elements."""
        self.shape(place)
        name = self._types[place]
        return "float8" if name.startswith(_FLOAT8) else _PRECISIONS.get(name, "other")

    def wholes(self, place: int, count: int) -> tuple[int, ...]:
        """The whole numbers of a value like "[2, 2]"; one number stands for as many as needed."""
        found = _WHOLES.fullmatch(self._value(place))
        numbers = tuple(int(word) for word in found[1].split(",")) if found else ()
        if len(numbers) == 1:
            numbers *= count
        if len(numbers) != count:
            raise CannotTell
        return numbers

    def flags(self, place: int, count: int) -> tuple[bool, ...]:
        """The truths of a value like "[True, True, False]", or "False"."""
        words = [word.strip() for word in self._value(place).strip("[]").split(",")]
        if len(words) != count or any(word not in _FLAGS for word in words):
            raise CannotTell
        return tuple(_FLAGS[word] for word in words)

    def _value(self, place: int) -> str:
        text = self._values[place] if place < len(self._values) else ""
        if not text or len(text) > 200:
            raise CannotTell
        return text


Formula = Callable[[Inputs], Work]
