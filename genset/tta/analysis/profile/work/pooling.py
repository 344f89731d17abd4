"""The work of pooling: reads the image, writes a smaller one, and back."""

from functools import partial
from math import prod

from genset.tta.analysis.profile.work.inputs import Formula, Inputs
from genset.tta.analysis.profile.work.work import CannotTell, Work

# Bytes of the place of a maximum.
_INDEX = 8


def _pool(dilation: int | None, ceil: int, index: int, inputs: Inputs) -> Work:
    """Args:
    dilation, ceil: their places; a mean has no dilation.
    index: bytes that it writes of each maximum's place.
    """
    x = inputs.shape(0)
    window = inputs.wholes(1, 2)
    stride = inputs.wholes(2, 2, otherwise=window)
    padding = inputs.wholes(3, 2)
    apart = (1, 1) if dilation is None else inputs.wholes(dilation, 2)
    (up,) = inputs.flags(ceil, 1)
    if len(x) not in (3, 4) or min(*window, *stride, *apart) < 1 or min(padding) < 0:
        raise CannotTell("values")
    sides = [
        _side(side, (k - 1) * d + 1, s, p, up)
        for side, k, d, s, p in zip(x[-2:], window, apart, stride, padding, strict=True)
    ]
    out = prod(x[:-2]) * prod(sides)
    moved = inputs.bytes(0) + out * (inputs.width(0) + index)
    return Work("pooling", out * prod(window), moved, inputs.precision(0))


def _side(side: int, reach: int, stride: int, padding: int, up: bool) -> int:
    """How many windows fit; the last may hang over if `up`, but starts in the image."""
    rest = side + 2 * padding - reach
    if rest < 0:
        raise CannotTell("values")
    count = -(-rest // stride) + 1 if up else rest // stride + 1
    return count - 1 if up and (count - 1) * stride >= side + padding else count


def _adaptive(inputs: Inputs) -> Work:
    x, sides = inputs.shape(0), inputs.wholes(1, 2)
    if min(sides) < 0:
        raise CannotTell("values")
    out = prod(x[:-2]) * prod(sides) * inputs.width(0)
    return Work("pooling", prod(x), inputs.bytes(0) + out, inputs.precision(0))


def _backward(index: int | None, inputs: Inputs) -> Work:
    """Reads the gradient, and at `index` the places of the maxima; writes the image's."""
    moved = inputs.bytes(0) + inputs.bytes(1) + (0 if index is None else inputs.bytes(index))
    return Work("pooling", prod(inputs.shape(1)), moved, inputs.precision(0))


POOLING: dict[str, Formula] = {
    "aten::max_pool2d_with_indices": partial(_pool, 4, 5, _INDEX),
    "aten::avg_pool2d": partial(_pool, None, 4, 0),
    "aten::_adaptive_avg_pool2d": _adaptive,
    "aten::max_pool2d_with_indices_backward": partial(_backward, 7),
    "aten::avg_pool2d_backward": partial(_backward, None),
    "aten::_adaptive_avg_pool2d_backward": partial(_backward, None),
}
