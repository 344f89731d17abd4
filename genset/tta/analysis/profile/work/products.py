"""The work of matrix products, and of attention that one operator does."""

from functools import partial
from math import prod

from genset.tta.analysis.profile.work.inputs import Formula, Inputs
from genset.tta.analysis.profile.work.work import CannotTell, Work
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
