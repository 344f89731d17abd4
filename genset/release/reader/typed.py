"""Records whose values have the types that their fields name."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

_T = TypeVar("_T")


def typed(kind: type[_T], values: Mapping[str, Any]) -> _T:
    """Make a record, and check that each value has its field's type."""
    made = kind(**values)
    for name, wanted in _wanted(kind):  # type: ignore[arg-type]
        if not isinstance(value := getattr(made, name), wanted):
            raise TypeError(f"{name} cannot be a {type(value).__name__}")
    return made


@cache
def _wanted(kind: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """The fields of a kind of record, each with the types that its value may have."""
    return [(field.name, tuple(map(_plain, _kinds(field.type)))) for field in fields(kind)]


def _kinds(type_: Any) -> tuple[Any, ...]:
    """The types of a union; the type alone of what is none."""
    return get_args(type_) if get_origin(type_) is UnionType else (type_,)


def _plain(type_: Any) -> Any:
    """A type as `isinstance` takes it: without those of its items."""
    return get_origin(type_) or type_
