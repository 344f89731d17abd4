"""The FLOPs and bytes of convolutions, matrix products, and attention that one operator does.

Each element of a convolution's output (of a transposed one: of its input) meets one whole filter.
So the FLOPs are twice the batch, times those positions, times the weights; with groups, the weights
are fewer. Either gradient is as much again. torch.utils.flop_counter counts the weights' gradient
of a convolution with groups as if there were none (pytorch#183405); here it is counted as it is.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Literal

from genset.tta.profile.trace import Operator, Shape

Kind = Literal["convolution", "matrix product", "attention"]
Precision = Literal["float64", "float32", "float16", "bfloat16", "float8", "int8", "other"]


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
    "signed char": "int8",
}
_FLOAT8 = "c10::Float8_"

# No tensor has more; a stranger's file may say anything.
_MOST_ELEMENTS = 2**62

_WHOLES = re.compile(r"\[?\s*(-?\d{1,12}(?:\s*,\s*-?\d{1,12}){0,7})\s*\]?")
_FLAGS = {"True": True, "1": True, "False": False, "0": False}

# As c10::ScalarType, torch.dtype and C++ name them.
_BYTES = {
    1: "byte char bool uint8 int8 unsignedchar signedchar float8_e4m3fn float8_e5m2 "
    "float8_e4m3fnuz float8_e5m2fnuz qint8 quint8",
    2: "half bfloat16 float16 short int16 uint16 shortint",
    4: "float float32 int int32 uint32 complexhalf",
    8: "double float64 long int64 uint64 longint longlong __int64 complexfloat complex64 "
    "complex<float>",
    16: "complexdouble complex128 complex<double>",
}
_BYTES_OF = {name: size for size, names in _BYTES.items() for name in names.split()}


def bytes_of(kind: str) -> int | None:
    """How many bytes an element takes: "Float" 4, "c10::Half" 2; None of other types."""
    return _BYTES_OF.get(kind[:40].lower().removeprefix("c10::").replace(" ", ""))


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
        if not self.has(place) or dimensions not in (None, len(self._shapes[place])):
            raise CannotTell
        shape = self._shapes[place]
        if not all(0 <= size <= _MOST_ELEMENTS for size in (*shape, prod(shape))):
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
        numbers *= count if len(numbers) == 1 else 1
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


def _convolution(inputs: Inputs) -> Work:
    x, weights = _image_and_weights(inputs, 0, 1)
    count = len(x) - 2
    stride, padding, dilation = (inputs.wholes(place, count) for place in (3, 4, 5))
    if min(*stride, *dilation) < 1 or min(padding) < 0:
        raise CannotTell
    (transposed,) = inputs.flags(6, 1)
    windows = list(zip(x[2:], weights[2:], stride, padding, dilation, strict=True))
    if transposed:
        channels = weights[1] * inputs.wholes(8, 1)[0]
        sides = [(side - 1) * s - 2 * p + d * (k - 1) + 1 for side, k, s, p, d in windows]
        sides = [sum(pair) for pair in zip(sides, inputs.wholes(7, count), strict=True)]
    else:
        channels = weights[0]
        sides = [(side + 2 * p - d * (k - 1) - 1) // s + 1 for side, k, s, p, d in windows]
    if min(sides) < 0:
        raise CannotTell
    read = inputs.bytes(0) + inputs.bytes(1) + inputs.bytes(2)
    return Work(
        "convolution",
        2 * x[0] * prod(x[2:] if transposed else sides) * prod(weights),
        read + x[0] * channels * prod(sides) * inputs.width(0),
        inputs.precision(0),
    )


def _convolution_backward(inputs: Inputs) -> Work:
    """The gradients that `output_mask` asks for: of the input, the weights, the bias."""
    x, weights = _image_and_weights(inputs, 1, 2)
    gradient = inputs.shape(0, len(x))
    (transposed,) = inputs.flags(7, 1)
    of_input, of_weights, of_bias = inputs.flags(10, 3)
    flops = 2 * x[0] * prod(x[2:] if transposed else gradient[2:]) * prod(weights)
    # To get the input's gradient the weights are read, and the other way round.
    moved = (of_input + of_weights) * (inputs.bytes(1) + inputs.bytes(2))
    return Work(
        "convolution",
        flops * (of_input + of_weights),
        inputs.bytes(0) + moved + of_bias * gradient[1] * inputs.width(0),
        inputs.precision(0),
    )


def _image_and_weights(inputs: Inputs, image: int, weights: int) -> tuple[Shape, Shape]:
    x = inputs.shape(image)
    if not 3 <= len(x) <= 5:
        raise CannotTell
    return x, inputs.shape(weights, len(x))


def _product(first: int, added: int | None, inputs: Inputs) -> Work:
    """Of the matrices, or batches of them, at `first` and after it; `added` is a bias's place."""
    one, other = inputs.shape(first), inputs.shape(first + 1)
    if not (len(one) == len(other) in (2, 3) and one[-1] == other[-2] and one[:-2] == other[:-2]):
        raise CannotTell
    out = prod(one[:-1]) * other[-1]
    read = inputs.bytes(first) + inputs.bytes(first + 1)
    bias = 0 if added is None else inputs.bytes(added)
    return Work(
        "matrix product",
        2 * out * one[-1],
        read + bias + out * inputs.width(first),
        inputs.precision(first),
    )


def _attention(first: int, inputs: Inputs) -> Work:
    """Scores, and their sum of values: two products; backward, which has a gradient first, five.

    Backward they are the scores again, then the gradients of scores, values, queries and keys.

    Args:
        first: the place of the query; key and value follow.
    """
    places = range(first, first + 3)
    query, key, value = (inputs.shape(place, 4) for place in places)
    shared = key[1] > 0 and query[1] % key[1] == 0 and key[1:3] == value[1:3]
    if not (shared and query[0] == key[0] == value[0] and query[3] == key[3]):
        raise CannotTell
    width, out = query[3], value[3]
    read = sum(map(inputs.bytes, places))
    # The output is as large as its gradient.
    written = inputs.bytes(0) if first else prod(query[:3]) * out * inputs.width(0)
    moved = 2 * (written + read) if first else read + written
    products = 3 * width + 2 * out if first else width + out
    flops = 2 * prod(query[:3]) * key[2] * products
    return Work("attention", flops, moved, inputs.precision(first))


_ATTENTIONS = [
    f"aten::_scaled_dot_product_{kind}_attention{suffix}"
    for kind, suffix in (("flash", ""), ("flash", "_for_cpu"), ("efficient", ""), ("cudnn", ""))
]

PRODUCTS: dict[str, Formula] = {
    "aten::convolution": _convolution,
    "aten::_convolution": _convolution,
    "aten::convolution_backward": _convolution_backward,
    **{f"aten::{name}": partial(_product, 0, None) for name in ("mm", "bmm", "_int_mm")},
    "aten::_scaled_mm": partial(_product, 0, 4),
    "aten::_addmm_activation": partial(_product, 1, 0),
    **{f"aten::{n}": partial(_product, 1, 0) for n in ("addmm", "addmm_", "baddbmm", "baddbmm_")},
    **{name: partial(_attention, 0) for name in _ATTENTIONS},
    **{f"{name}_backward": partial(_attention, 1) for name in _ATTENTIONS},
}
