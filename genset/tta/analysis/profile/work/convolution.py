"""The work of convolutions, forward and backward.

Each element of a convolution's output (of a transposed one: of its input) meets one whole filter.
So the FLOPs are twice the batch, times those positions, times the weights; with groups, the weights
are fewer. Either gradient is as much again. torch.utils.flop_counter counts the weights' gradient
of a convolution with groups as if there were none (pytorch#183405); here it is counted as it is.
"""

from dataclasses import dataclass
from functools import partial
from math import prod

from genset.tta.analysis.profile.work.inputs import Formula, Inputs
from genset.tta.analysis.profile.work.work import CannotTell, Work
from genset.tta.traces.trace import Shape


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
