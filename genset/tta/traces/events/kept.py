"""What is kept of a trace while it is read: bare columns, and equal words once."""

import sys
from pathlib import Path
from typing import Any, TypeVar

from genset.core.safe import clean
from genset.tta.traces.refused import refused

_LONGEST_NAME = 10_000  # characters: kernels made of templates come near it
_LONGEST_VALUE = 1000
# Bytes that a trace may take once it is read. One of 1 GB takes half of it.
_LIMIT = 1_250_000_000
OPERATOR, DEVICE_EVENT, LAUNCH = 400, 300, 120  # bytes of each, the most of two seen

_T = TypeVar("_T")


class Kept:
    """Words and tuples, each kept once, and how much memory the trace takes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.bytes = 0
        self._names: dict[str, str] = {}
        self._values: dict[Any, Any] = {}

    def name(self, raw: Any) -> str:
        """A stranger's name, on one line and of characters that print."""
        if type(raw) is not str:
            return "(no name)"
        found = self._names.get(raw)
        if found is None:
            found = sys.intern(clean(raw, _LONGEST_NAME)) or "(no name)"
            self._names[raw] = found
            self.add(300 + 4 * (len(raw) + len(found)))
        return found

    def words(self, raw: Any, count: int) -> tuple[str, ...] | None:
        """A list of `count` short words, or None; what is no word is ""."""
        if type(raw) is not list or len(raw) != count:
            return None
        return self.once(
            tuple(clean(word, _LONGEST_VALUE) if type(word) is str and word else "" for word in raw)
        )

    def once(self, value: _T) -> _T:
        """The first of all tuples that are equal to this one."""
        found: _T = self._values.setdefault(value, value)
        if found is value:
            self.add(300 + _size(value))
        return found

    def add(self, size: int) -> None:
        """Count what is kept.

        Raises:
            BadInput: it is more than memory should hold.
        """
        self.bytes += size
        if self.bytes > _LIMIT:
            raise refused(self._path, "it holds more than fits into memory: record fewer steps")


def _size(value: Any) -> int:
    """About how many bytes a tuple of tuples, words and numbers takes."""
    if isinstance(value, tuple):
        return sys.getsizeof(value) + sum(map(_size, value))
    return sys.getsizeof(value)
