"""Ids in lists short enough for one question to a database."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")


def in_batches(items: Iterable[_Item], size: int = 500) -> Iterator[list[_Item]]:
    """The items in lists of `size`; the last may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
