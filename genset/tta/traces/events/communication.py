"""What a collective moved, as the profiler records it."""

from math import prod
from typing import Any

from genset.core.safe import clean
from genset.tta.traces.events.fields import Inputs, amount
from genset.tta.traces.trace import Collective, Shape

# As c10::ScalarType, torch.dtype and C++ name them.
_BYTES = {
    1: "byte char bool uint8 int8 unsignedchar signedchar float8_e4m3fn float8_e5m2 "
    "float8_e4m3fnuz float8_e5m2fnuz qint8 quint8",
    2: "half bfloat16 float16 short int16 uint16 shortint",
    4: "float float32 int int32 uint32 complexhalf",
    8: "double float64 long int64 uint64 longint longlong complexfloat complex64",
    16: "complexdouble complex128",
}
_BYTES_OF = {name: size for size, names in _BYTES.items() for name in names.split()}

# Of these a call's inputs are all that enters; of the first, as much leaves.
_AS_MUCH_LEAVES = ("allreduce", "broadcast", "broadcastoop", "reduce", "reduceoop", "send", "recv")
_IN_ALONE = ("reducescatter", "allgather", "gather", "alltoall")


def collective_of(arguments: dict[str, Any]) -> Collective | None:
    """What an event says that it moved, or None if it says nothing."""
    name = arguments.get("Collective name")
    if type(name) is not str or not name:
        return None
    entered = amount(arguments.get("In msg nelems"))
    left = amount(arguments.get("Out msg nelems"))
    if entered is None or left is None:
        return None
    group = amount(arguments.get("Group size"))
    kind = arguments.get("dtype")
    each = bytes_of(kind)
    unknown = "" if each or type(kind) is not str else clean(kind, 40)
    return Collective(clean(name), entered, left, each, group or None, unknown)


def moved_by(call: str, inputs: Inputs) -> Collective | None:
    """What a call of a process group moved, told from the tensors it was called on.

    Args:
        call: "all_to_all", "_reduce_scatter_base", "send 0->1"; of others nothing is told.
    """
    if not inputs.shapes or not inputs.types:
        return None
    name = call.split(" ")[0]
    kind = "".join(letter for letter in name if letter.isalpha())
    kind = kind.removesuffix("coalesced").removesuffix("intotensor").removesuffix("tensor")
    kind = kind.removesuffix("base")
    as_much = kind in _AS_MUCH_LEAVES
    if not as_much and kind not in _IN_ALONE:
        return None
    elements = sum(_elements(shape) for shape in inputs.shapes)
    types = sorted(set(inputs.types))
    sizes = {bytes_of(kind) for kind in types}
    each = sizes.pop() if len(sizes) == 1 else None
    unknown = "" if each else clean(", ".join(types), 40)
    return Collective(name, elements, elements if as_much else None, each, None, unknown)


def bytes_of(kind: Any) -> int | None:
    """How many bytes an element takes: "Float" 4, "c10::Half" 2; None of other types."""
    if type(kind) is not str:
        return None
    return _BYTES_OF.get(kind[:40].lower().removeprefix("c10::").replace(" ", ""))


def _elements(shape: Shape | tuple[Shape, ...]) -> int:
    if shape and isinstance(shape[0], tuple):
        return sum(prod(inner) for inner in shape if isinstance(inner, tuple))
    return prod(size for size in shape if isinstance(size, int))
