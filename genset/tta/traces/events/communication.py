"""What a collective moved, as the profiler records it."""

from math import prod
from typing import Any

from genset.text.safe import clean
from genset.tta.traces.events import fields
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

# Of these alone an annotation's inputs tell what leaves too: as much as enters.
_IN_PLACE = ("all_reduce", "broadcast", "reduce", "allreduce")


def collective_of(arguments: dict[str, Any]) -> Collective | None:
    """What an event says that it moved, or None if it says nothing."""
    name = arguments.get("Collective name")
    if type(name) is not str or not name:
        return None
    entered = fields.amount(arguments.get("In msg nelems"))
    left = fields.amount(arguments.get("Out msg nelems"))
    if entered is None or left is None:
        return None
    group = fields.amount(arguments.get("Group size"))
    return Collective(clean(name), entered, left, bytes_of(arguments.get("dtype")), group or None)


def moves_in_place(name: str, inputs: fields.Inputs) -> Collective | None:
    """What a call of a process group moved, told from the tensors it was called on."""
    if name not in _IN_PLACE or not inputs.shapes or not inputs.types:
        return None
    elements = sum(_elements(shape) for shape in inputs.shapes)
    each = {bytes_of(kind) for kind in inputs.types}
    return Collective(name, elements, elements, each.pop() if len(each) == 1 else None, None)


def bytes_of(kind: Any) -> int | None:
    """How many bytes an element takes: "Float" 4, "c10::Half" 2; None of other types."""
    if type(kind) is not str:
        return None
    return _BYTES_OF.get(kind[:40].lower().removeprefix("c10::").replace(" ", ""))


def _elements(shape: Shape | tuple[Shape, ...]) -> int:
    if shape and isinstance(shape[0], tuple):
        return sum(prod(inner) for inner in shape if isinstance(inner, tuple))
    return prod(size for size in shape if isinstance(size, int))
