"""The work of operators that go over their elements: norms, activations, sums, pooling, optimizers.

What they move is what counts; their FLOPs are estimates of so many an element, as one would write
the formula down, to place them in the figure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Literal, cast

from genset.tta.profile.inputs import CannotTell, Formula, Inputs, Kind, Work

Writes = Literal["broadcast", "first", "sum", "fill"]


@dataclass(frozen=True, slots=True)
class _Rule:
    """How an operator goes over its tensors, all of which it reads.

    Attributes:
        flops: for each element it writes ("broadcast", "first") or reads ("sum").
        writes: "broadcast": one tensor, as large as all its inputs are together by broadcasting;
            "first": one as large as the first; "sum": one that is small compared with what it
            reads; "fill": the first, which it does not read.
    """

    kind: Kind
    flops: int
    writes: Writes


def _over(rule: _Rule, inputs: Inputs) -> Work:
    tensors = list(inputs.tensors())
    if not tensors:
        raise CannotTell("shapes")
    place, first, width = tensors[0]
    read = sum(prod(shape) * size for _, shape, size in tensors[rule.writes == "fill" :])
    if rule.writes == "broadcast":
        elements = _broadcast([shape for _, shape, _ in tensors])
    else:
        elements = prod(first)
    written = 0 if rule.writes == "sum" else elements * width
    return Work(rule.kind, rule.flops * elements, read + written, inputs.precision(place))


def _broadcast(shapes: list[tuple[int, ...]]) -> int:
    """How many elements come of shapes that are stretched to fit each other."""
    sides = [1] * max(len(shape) for shape in shapes)
    for shape in shapes:
        for place, side in enumerate(reversed(shape)):
            if side not in (1, sides[place]) and sides[place] != 1:
                raise CannotTell("shapes")
            sides[place] = side if sides[place] == 1 else sides[place]
    return prod(sides)


def _dropout(inputs: Inputs) -> Work:
    """Writes the elements, and which were zeroed: a byte each."""
    elements = prod(inputs.shape(0))
    moved = 2 * inputs.bytes(0) + elements
    return Work("elementwise", elements, moved, inputs.precision(0))


def _lists(flops: int, writes: Literal["first", "none", "state"], inputs: Inputs) -> Work:
    """Of lists of tensors.

    Args:
        writes: the first list; none; or, as a fused optimizer, all but the second, the gradients.
    """
    first = inputs.list(0)
    sizes: dict[int, int] = {}
    for place, shape, width in inputs.tensors():
        sizes[place] = sizes.get(place, 0) + prod(shape) * width
    read = sum(sizes.values())
    written = {"first": sizes[0], "none": 0, "state": read - sizes.get(1, 0)}[writes]
    return Work("optimizer", flops * sum(map(prod, first)), read + written, "float32")


def _pool(dilation: int | None, ceil: int, index: int, inputs: Inputs) -> Work:
    """Reads the image, writes a smaller one.

    Args:
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
        _windows(side, (k - 1) * d + 1, s, p, up)
        for side, k, d, s, p in zip(x[-2:], window, apart, stride, padding, strict=True)
    ]
    out = prod(x[:-2]) * prod(sides)
    moved = inputs.bytes(0) + out * (inputs.width(0) + index)
    return Work("pooling", out * prod(window), moved, inputs.precision(0))


def _windows(side: int, reach: int, stride: int, padding: int, up: bool) -> int:
    """How many windows fit; the last may hang over if `up`, but starts in the image."""
    rest = side + 2 * padding - reach
    if rest < 0:
        raise CannotTell("values")
    count = -(-rest // stride) + 1 if up else rest // stride + 1
    return count - 1 if up and (count - 1) * stride >= side + padding else count


def _adaptive_pool(inputs: Inputs) -> Work:
    x, sides = inputs.shape(0), inputs.wholes(1, 2)
    if min(sides) < 0:
        raise CannotTell("values")
    out = prod(x[:-2]) * prod(sides) * inputs.width(0)
    return Work("pooling", prod(x), inputs.bytes(0) + out, inputs.precision(0))


def _pool_backward(index: int | None, inputs: Inputs) -> Work:
    """Reads the gradient, and at `index` the places of the maxima; writes the image's."""
    moved = inputs.bytes(0) + inputs.bytes(1) + (0 if index is None else inputs.bytes(index))
    return Work("pooling", prod(inputs.shape(1)), moved, inputs.precision(0))


# Kind, FLOPs an element, what is written, names of operators; "_" behind the FLOPs: in place, too.
# A norm in training has forward a sum, a square and its sum, a factor and a summand, backward two
# sums with their factors, and three terms; the parts of SyncBatchNorm are batch_norm_stats, etc.
_TABLE = """
batch norm        5   first      native_batch_norm cudnn_batch_norm miopen_batch_norm
batch norm        5   first      _batch_norm_with_update _batch_norm_no_update
batch norm        5   first      _native_batch_norm_legit _native_batch_norm_legit_no_training
batch norm        8   first      native_batch_norm_backward cudnn_batch_norm_backward
batch norm        8   first      miopen_batch_norm_backward batch_norm_backward
batch norm        3   sum        batch_norm_stats
batch norm        2   first      batch_norm_elemt
batch norm        4   sum        batch_norm_backward_reduce
batch norm        4   first      batch_norm_backward_elemt
other norm        5   first      native_layer_norm native_group_norm _fused_rms_norm
other norm        8   first      native_layer_norm_backward native_group_norm_backward
other norm        8   first      _fused_rms_norm_backward
ReLU              1_  broadcast  relu
ReLU              1   broadcast  threshold_backward
other activation  1_  broadcast  hardtanh leaky_relu relu6 clamp_min threshold
other activation  1   broadcast  hardtanh_backward leaky_relu_backward
other activation  4_  broadcast  gelu silu sigmoid tanh elu celu hardswish hardsigmoid mish
other activation  6   broadcast  gelu_backward silu_backward sigmoid_backward tanh_backward
other activation  6   broadcast  elu_backward hardswish_backward hardsigmoid_backward mish_backward
elementwise       1_  broadcast  add sub rsub mul div neg abs exp log sqrt rsqrt reciprocal pow sign
elementwise       1_  broadcast  clamp clamp_max maximum minimum where masked_fill eq ne lt le gt ge
elementwise       1_  broadcast  logical_and logical_or logical_not bitwise_and bitwise_or
elementwise       1_  broadcast  bitwise_not isfinite isnan isinf nan_to_num floor ceil round
elementwise       3_  broadcast  addcmul addcdiv lerp
elementwise       1   first      native_dropout_backward
reduction         1   sum        sum mean amax amin max min argmax norm any all linalg_vector_norm
reduction         1   sum        mse_loss nll_loss_forward
reduction         5   first      _softmax _log_softmax
reduction         4   first      _softmax_backward_data _log_softmax_backward_data
copy              0   fill       copy_ fill_ zero_
copy              0   first      clone contiguous
"""


def _read_table() -> Iterator[tuple[str, Formula]]:
    for line in _TABLE.strip().splitlines():
        kind, flops, writes, names = re.split(r"\s{2,}", line)
        rule = _Rule(cast("Kind", kind), int(flops[0]), cast("Writes", writes))
        for name in names.split():
            for suffix in ("", "_") if "_" in flops else ("",):
                yield f"aten::{name}{suffix}", partial(_over, rule)


_LISTS = {
    1: "add add_ sub_ mul mul_ div div_ neg neg_ sqrt sqrt_ copy_ zero_ reciprocal_",
    3: "lerp_ addcmul_ addcdiv_ addcmul addcdiv",
}

ELEMENTS: dict[str, Formula] = {
    **dict(_read_table()),
    "aten::native_dropout": _dropout,
    **{
        f"aten::_foreach_{name}": partial(_lists, flops, "first")
        for flops, names in _LISTS.items()
        for name in names.split()
    },
    "aten::_foreach_norm": partial(_lists, 2, "none"),
    "aten::_fused_sgd_": partial(_lists, 4, "state"),
    "aten::_fused_adam_": partial(_lists, 12, "state"),
    "aten::_fused_adamw_": partial(_lists, 12, "state"),
    "aten::max_pool2d_with_indices": partial(_pool, 4, 5, 8),
    "aten::avg_pool2d": partial(_pool, None, 4, 0),
    "aten::_adaptive_avg_pool2d": _adaptive_pool,
    "aten::max_pool2d_with_indices_backward": partial(_pool_backward, 7),
    "aten::avg_pool2d_backward": partial(_pool_backward, None),
    "aten::_adaptive_avg_pool2d_backward": partial(_pool_backward, None),
}
