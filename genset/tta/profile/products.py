"""The work of matrix products, and of attention that one operator does."""

from dataclasses import dataclass
from functools import partial
from math import prod

from genset.tta.profile.inputs import CannotTell, Formula, Inputs, Work
from genset.tta.traces.trace import Shape


def _product(first: int, added: int | None, inputs: Inputs) -> Work:
    """Of the matrices, or batches of them, at `first` and after it; `added` is a bias's place."""
    one, other = inputs.shape(first), inputs.shape(first + 1)
    if not (len(one) == len(other) in (2, 3) and one[-1] == other[-2] and one[:-2] == other[:-2]):
        raise CannotTell("shapes")
    out = prod(one[:-1]) * other[-1]
    read = inputs.bytes(first) + inputs.bytes(first + 1)
    bias = 0 if added is None else inputs.bytes(added)
    return Work(
        "matrix product",
        2 * out * one[-1],
        read + bias + out * inputs.width(first),
        inputs.precision(first),
    )


def _with_vector(first: int, inputs: Inputs) -> Work:
    """Of a matrix and a vector, or of two vectors."""
    one, other = inputs.shape(first), inputs.shape(first + 1, 1)
    if len(one) not in (1, 2) or one[-1] != other[0]:
        raise CannotTell("shapes")
    moved = sum(inputs.bytes(place) for place in range(first + 2))
    out = prod(one[:-1]) * inputs.width(first)
    return Work("matrix product", 2 * prod(one), moved + out, inputs.precision(first))


def _attention(heads: int, lengths: int | None, inputs: Inputs) -> Work:
    """Scores, and their sum of values: two products.

    Args:
        heads: at which place of the shape they are; the sequence is at the other of 1 and 2.
        lengths: where the lengths of sequences laid end to end are, which no trace holds.
    """
    if lengths is not None and inputs.has(lengths):
        raise CannotTell("values")
    query, key, value = (_by_head(inputs.shape(place, 4), heads) for place in range(3))
    batch, length, others, width, out = _sizes(query, key, value)
    written = prod(query[:3]) * out * inputs.width(0)
    return Work(
        "attention",
        2 * batch * length * others * (width + out),
        sum(inputs.bytes(place) for place in range(3)) + written,
        inputs.precision(0),
    )


def _attention_backward(heads: int, lengths: int | None, inputs: Inputs) -> Work:
    """The scores again, then the gradients of scores, values, queries and keys: five products."""
    if lengths is not None and inputs.has(lengths):
        raise CannotTell("values")
    query, key, value = (_by_head(inputs.shape(place, 4), heads) for place in (1, 2, 3))
    batch, length, others, width, out = _sizes(query, key, value)
    each = sum(inputs.bytes(place) for place in (1, 2, 3))
    return Work(
        "attention",
        2 * batch * length * others * (3 * width + 2 * out),
        2 * inputs.bytes(0) + 2 * each,  # the output is as large as its gradient
        inputs.precision(1),
    )


def _by_head(shape: Shape, heads: int) -> Shape:
    return shape if heads == 1 else (shape[0], shape[2], shape[1], shape[3])


def _sizes(query: Shape, key: Shape, value: Shape) -> tuple[int, int, int, int, int]:
    """Batch times heads, queries, keys, width of a query, width of a value."""
    shared = key[1] > 0 and query[1] % key[1] == 0 and key[1] == value[1]
    if not (shared and query[0] == key[0] == value[0] and query[3] == key[3]):
        raise CannotTell("shapes")
    if key[2] != value[2]:
        raise CannotTell("shapes")
    return query[0] * query[1], query[2], key[2], query[3], value[3]


_DENSE = [
    f"aten::_scaled_dot_product_{kind}"
    for kind in (
        "flash_attention",
        "flash_attention_for_cpu",
        "efficient_attention",
        "cudnn_attention",
    )
]

PRODUCTS: dict[str, Formula] = {
    "aten::mm": partial(_product, 0, None),
    "aten::bmm": partial(_product, 0, None),
    "aten::_int_mm": partial(_product, 0, None),
    "aten::_scaled_mm": partial(_product, 0, 4),
    "aten::addmm": partial(_product, 1, 0),
    "aten::addmm_": partial(_product, 1, 0),
    "aten::_addmm_activation": partial(_product, 1, 0),
    "aten::baddbmm": partial(_product, 1, 0),
    "aten::baddbmm_": partial(_product, 1, 0),
    "aten::mv": partial(_with_vector, 0),
    "aten::dot": partial(_with_vector, 0),
    "aten::vdot": partial(_with_vector, 0),
    "aten::addmv": partial(_with_vector, 1),
    "aten::addmv_": partial(_with_vector, 1),
    **{name: partial(_attention, 1, None) for name in _DENSE},
    **{f"{name}_backward": partial(_attention_backward, 1, None) for name in _DENSE},
    "aten::_flash_attention_forward": partial(_attention, 2, 3),
    "aten::_flash_attention_backward": partial(_attention_backward, 2, 6),
    "aten::_efficient_attention_forward": partial(_attention, 2, 4),
    "aten::_efficient_attention_backward": partial(_attention_backward, 2, 6),
    "flash_attn::_flash_attn_forward": partial(_attention, 2, None),
    "flash_attn::_flash_attn_backward": partial(_attention_backward, 2, None),
}

# Where an attention is told whether it is causal.
CAUSAL = {
    "aten::_scaled_dot_product_flash_attention": 4,
    "aten::_scaled_dot_product_flash_attention_for_cpu": 4,
    "aten::_scaled_dot_product_efficient_attention": 6,
    "aten::_scaled_dot_product_cudnn_attention": 6,
    "aten::_flash_attention_forward": 8,
    "flash_attn::_flash_attn_forward": 5,
}


@dataclass(frozen=True, slots=True)
class _Places:
    """At which place an operator takes what; `transposed` is a truth where it takes none."""

    stride: int
    padding: int
    dilation: int
    bias: int | None = 2
    transposed: int | bool = False
    output_padding: int | None = None
    groups: int | None = None


_FORWARD = {
    "aten::convolution": _Places(3, 4, 5, transposed=6, output_padding=7, groups=8),
    "aten::_convolution": _Places(3, 4, 5, transposed=6, output_padding=7, groups=8),
    "aten::cudnn_convolution": _Places(3, 2, 4, bias=None),
    "aten::cudnn_convolution_relu": _Places(3, 4, 5),
    "aten::cudnn_convolution_add_relu": _Places(5, 6, 7, bias=4),
    "aten::cudnn_convolution_transpose": _Places(
        4, 2, 5, bias=None, transposed=True, output_padding=3, groups=6
    ),
    "aten::miopen_convolution": _Places(4, 3, 5),
    "aten::mkldnn_convolution": _Places(4, 3, 5),
}


def _forward(at: _Places, inputs: Inputs) -> Work:
    x, weights = _image_and_weights(inputs, 0, 1)
    transposed = at.transposed
    if not isinstance(transposed, bool):
        (transposed,) = inputs.flags(transposed, 1)
    channels, *sides = _grown(at, inputs) if transposed else _shrunk(at, inputs)
    if min(sides) < 0:
        raise CannotTell("values")
    bias = 0 if at.bias is None else inputs.bytes(at.bias)
    written = x[0] * channels * prod(sides) * inputs.width(0)
    return Work(
        "convolution",
        _flops(x[0], x[2:] if transposed else tuple(sides), weights),
        inputs.bytes(0) + inputs.bytes(1) + bias + written,
        inputs.precision(0),
    )


def _shrunk(at: _Places, inputs: Inputs) -> list[int]:
    """The channels and sides of what a convolution gives."""
    x, weights = inputs.shape(0), inputs.shape(1)
    sides = [
        (side + 2 * padding - dilation * (filter_side - 1) - 1) // stride + 1
        for side, filter_side, (stride, padding, dilation) in zip(
            x[2:], weights[2:], _steps(at, inputs), strict=True
        )
    ]
    return [weights[0], *sides]


def _grown(at: _Places, inputs: Inputs) -> list[int]:
    """The channels and sides of what a transposed convolution gives."""
    x, weights = inputs.shape(0), inputs.shape(1)
    more: tuple[int, ...] = (0,) * (len(x) - 2)
    if at.output_padding is not None:
        more = inputs.wholes(at.output_padding, len(x) - 2)
    sides = [
        (side - 1) * stride - 2 * padding + dilation * (filter_side - 1) + 1 + extra
        for side, filter_side, extra, (stride, padding, dilation) in zip(
            x[2:], weights[2:], more, _steps(at, inputs), strict=True
        )
    ]
    groups = 1 if at.groups is None else inputs.wholes(at.groups, 1)[0]
    return [weights[1] * groups, *sides]


def _steps(at: _Places, inputs: Inputs) -> list[tuple[int, int, int]]:
    """Stride, padding and dilation of each side."""
    count = len(inputs.shape(0)) - 2
    stride, padding, dilation = (
        inputs.wholes(place, count) for place in (at.stride, at.padding, at.dilation)
    )
    if min(*stride, *dilation) < 1 or min(padding) < 0:
        raise CannotTell("values")
    return list(zip(stride, padding, dilation, strict=True))


def _backward(inputs: Inputs) -> Work:
    """Of the gradients that `output_mask` asks for: of the input, the weights, the bias."""
    x, weights = _image_and_weights(inputs, 1, 2)
    gradient = inputs.shape(0, len(x))
    (transposed,) = inputs.flags(7, 1)
    of_input, of_weights, of_bias = inputs.flags(10, 3)
    flops = _flops(x[0], x[2:] if transposed else gradient[2:], weights)
    read = inputs.bytes(0) + of_input * inputs.bytes(2) + of_weights * inputs.bytes(1)
    written = of_input * inputs.bytes(1) + of_weights * inputs.bytes(2)
    return Work(
        "convolution",
        flops * (of_input + of_weights),
        read + written + of_bias * gradient[1] * inputs.width(0),
        inputs.precision(0),
    )


def _image_and_weights(inputs: Inputs, image: int, weights: int) -> tuple[Shape, Shape]:
    x = inputs.shape(image)
    if not 3 <= len(x) <= 5:
        raise CannotTell("shapes")
    return x, inputs.shape(weights, len(x))


def _flops(batch: int, positions: Shape, weights: Shape) -> int:
    return 2 * batch * prod(positions) * prod(weights)


CONVOLUTIONS: dict[str, Formula] = {
    **{name: partial(_forward, places) for name, places in _FORWARD.items()},
    "aten::convolution_backward": _backward,
}
