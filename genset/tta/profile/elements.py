"""The work of operators that go over their elements: norms, activations, sums, optimizers.

What they move is what counts; their FLOPs are estimates of so many an element, as one would write
the formula down, to place them in the figure.
"""

from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Literal

from genset.tta.profile.inputs import CannotTell, Formula, Inputs, Kind, Work


@dataclass(frozen=True, slots=True)
class _Rule:
    """How an operator goes over its tensors, all of which it reads.

    Attributes:
        flops: for each element it writes ("broadcast", "first") or reads ("sum").
        writes: "broadcast": one tensor, as large as all its inputs are together by broadcasting;
            "first": one as large as the first; "sum": one that is small beside what it reads.
        fills: whether it does not read the first, only writes it.
    """

    kind: Kind
    flops: int
    writes: Literal["broadcast", "first", "sum"] = "broadcast"
    fills: bool = False


def _over(rule: _Rule, inputs: Inputs) -> Work:
    tensors = list(inputs.tensors())
    if not tensors:
        raise CannotTell("shapes")
    place, first, width = tensors[0]
    read = sum(prod(shape) * each for _, shape, each in tensors[rule.fills :])
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
    """What is kept, and which elements were: a byte each."""
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


def _of(rule: _Rule, names: str) -> dict[str, partial[Work]]:
    return {f"aten::{name}": partial(_over, rule) for name in names.split()}


def _with_in_place(rule: _Rule, names: str) -> dict[str, partial[Work]]:
    return _of(rule, names) | _of(rule, " ".join(f"{name}_" for name in names.split()))


# Training forward: a sum, a square and its sum, a factor and a summand; backward: two sums with
# their factors, and three terms.
_NORM, _NORM_BACKWARD = 5, 8

ELEMENTS: dict[str, Formula] = {
    **_of(
        _Rule("batch norm", _NORM, "first"),
        "native_batch_norm cudnn_batch_norm miopen_batch_norm _batch_norm_with_update "
        "_native_batch_norm_legit _native_batch_norm_legit_no_training _batch_norm_no_update",
    ),
    **_of(
        _Rule("batch norm", _NORM_BACKWARD, "first"),
        "native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward "
        "batch_norm_backward",
    ),
    # The parts of SyncBatchNorm.
    **_of(_Rule("batch norm", 3, "sum"), "batch_norm_stats"),
    **_of(_Rule("batch norm", 2, "first"), "batch_norm_elemt"),
    **_of(_Rule("batch norm", 4, "sum"), "batch_norm_backward_reduce"),
    **_of(_Rule("batch norm", 4, "first"), "batch_norm_backward_elemt"),
    **_of(
        _Rule("other norm", _NORM, "first"), "native_layer_norm native_group_norm _fused_rms_norm"
    ),
    **_of(
        _Rule("other norm", _NORM_BACKWARD, "first"),
        "native_layer_norm_backward native_group_norm_backward _fused_rms_norm_backward",
    ),
    **_with_in_place(_Rule("ReLU", 1), "relu"),
    **_of(_Rule("ReLU", 1), "threshold_backward"),
    **_with_in_place(_Rule("other activation", 1), "hardtanh leaky_relu relu6 clamp_min threshold"),
    **_of(_Rule("other activation", 1), "hardtanh_backward leaky_relu_backward"),
    **_with_in_place(
        _Rule("other activation", 4), "gelu silu sigmoid tanh elu celu hardswish hardsigmoid mish"
    ),
    **_of(
        _Rule("other activation", 6),
        "gelu_backward silu_backward sigmoid_backward tanh_backward elu_backward "
        "hardswish_backward hardsigmoid_backward mish_backward",
    ),
    **_with_in_place(
        _Rule("elementwise", 1),
        "add sub rsub mul div neg abs exp log sqrt rsqrt reciprocal pow sign clamp clamp_max "
        "maximum minimum where masked_fill eq ne lt le gt ge logical_and logical_or logical_not "
        "bitwise_and bitwise_or bitwise_not isfinite isnan isinf nan_to_num floor ceil round",
    ),
    **_with_in_place(_Rule("elementwise", 3), "addcmul addcdiv lerp"),
    **_of(_Rule("elementwise", 1, "first"), "native_dropout_backward"),
    "aten::native_dropout": _dropout,
    **_of(_Rule("reduction", 1, "sum"), "sum mean amax amin max min argmax norm any all"),
    **_of(_Rule("reduction", 1, "sum"), "linalg_vector_norm mse_loss nll_loss_forward"),
    **_of(_Rule("reduction", 5, "first"), "_softmax _log_softmax"),
    **_of(_Rule("reduction", 4, "first"), "_softmax_backward_data _log_softmax_backward_data"),
    **_of(_Rule("copy", 0, "first", fills=True), "copy_ fill_ zero_"),
    **_of(_Rule("copy", 0, "first"), "clone contiguous"),
    **{
        f"aten::_foreach_{name}": partial(_lists, flops, "first")
        for names, flops in (
            ("add add_ sub_ mul mul_ div div_ neg neg_ sqrt sqrt_ copy_ zero_ reciprocal_", 1),
            ("lerp_ addcmul_ addcdiv_ addcmul addcdiv", 3),
        )
        for name in names.split()
    },
    "aten::_foreach_norm": partial(_lists, 2, "none"),
    "aten::_fused_sgd_": partial(_lists, 4, "state"),
    "aten::_fused_adam_": partial(_lists, 12, "state"),
    "aten::_fused_adamw_": partial(_lists, 12, "state"),
}


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
