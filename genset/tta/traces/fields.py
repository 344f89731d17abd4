"""What stands in an event, as it should be: anything else is told as None."""

from typing import Any

from genset.tta.traces.trace import Shape

_FURTHEST = 1e17  # microseconds: thousands of years, and still exact to some
_LARGEST = 2**62
_LONGEST = 86_400e6  # microseconds: no profiler records a day
_DIMENSIONS = 32
_TENSORS = 1000  # of one operator


def moment(value: Any) -> float | None:
    """A time on the trace's clock in microseconds, an int where it is recorded as one."""
    kind = type(value)
    if (kind is float or kind is int) and -_FURTHEST < value < _FURTHEST:
        return value  # type: ignore[no-any-return]
    return None


def length(value: Any) -> float | None:
    """How long something took in microseconds: not negative, less than a day."""
    kind = type(value)
    if (kind is float or kind is int) and 0 <= value < _LONGEST:
        return float(value)
    return None


def amount(value: Any) -> int | None:
    """A whole number that is not negative; not true or false."""
    return value if type(value) is int and 0 <= value < _LARGEST else None


def shapes(value: Any) -> tuple[Shape, ...] | None:
    """The shapes of an operator's inputs, () of a list of tensors; None if they are none."""
    if type(value) is not list or len(value) > _TENSORS:
        return None
    found = [
        () if item and type(item) is list and type(item[0]) is list else _shape(item)
        for item in value
    ]
    return None if None in found else tuple(found)  # type: ignore[arg-type]


def _shape(value: Any) -> Shape | None:
    if type(value) is not list or len(value) > _DIMENSIONS:
        return None
    for size in value:
        if type(size) is not int or not 0 <= size < _LARGEST:
            return None
    return tuple(value)


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


def bytes_of(kind: Any) -> int | None:
    """How many bytes an element takes: "Float" 4, "c10::Half" 2; None of other types."""
    if type(kind) is not str:
        return None
    return _BYTES_OF.get(kind[:40].lower().removeprefix("c10::").replace(" ", ""))
