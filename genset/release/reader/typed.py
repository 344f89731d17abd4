"""Records whose values have the types that their fields name."""

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

_T = TypeVar("_T")


def typed(kind: type[_T], values: Mapping[str, Any]) -> _T:
    """Make a record, and check that each value has its field's type."""
    made = kind(**values)
    for field in fields(made):  # type: ignore[arg-type]
        wanted = tuple(_plain(kind) for kind in _kinds(field.type))
        if not isinstance(value := getattr(made, field.name), wanted):
            raise TypeError(f"{field.name} cannot be a {type(value).__name__}")
    return made


def _kinds(type_: Any) -> tuple[Any, ...]:
    """The types of a union; the type alone of what is none."""
    return get_args(type_) if get_origin(type_) is UnionType else (type_,)


def _plain(type_: Any) -> Any:
    """A type as `isinstance` takes it: without those of its items."""
    return get_origin(type_) or type_
