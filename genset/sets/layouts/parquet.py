"""Rows of Parquet files: read a few at a time, since their columns are packed."""

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROWS = 16  # that are unpacked together
_OPEN = 4  # places that a thread reads at


@dataclass(frozen=True, slots=True)
class Row:
    """A photo in a Parquet file: its row group, its row in that, and the column of its bytes."""

    group: int
    row: int
    column: str

    def read(self, path: Path) -> bytes:
        """The photo's bytes.

        Raises:
            OSError: they cannot be read.
            ValueError: the file is damaged.
        """
        cursors = _cursors()
        place = str(path), self.group, self.column
        cursor = cursors.pop(place, None)
        if cursor is None or cursor.passed(self.row):
            cursor = _Cursor(path, self.group, self.column)
        found = cursor.read(self.row)
        cursors[place] = cursor
        while len(cursors) > _OPEN:
            cursors.popitem(last=False)
        if found is None:
            raise OSError("the row has no bytes")
        return found


class _Cursor:
    """Goes through a row group from its first row to its last, as sets are scored."""

    def __init__(self, path: Path, group: int, column: str) -> None:
        self._batches = encoded_rows(path, group, column)
        self._start = 0
        self._rows: list[bytes | None] = []

    def passed(self, row: int) -> bool:
        """Whether the row lies before what is at hand."""
        return row < self._start

    def read(self, row: int) -> bytes | None:
        """The bytes of a row, None if it has none.

        Raises:
            OSError, ValueError: it cannot be read.
        """
        while row >= self._start + len(self._rows):
            start = self._start + len(self._rows)
            try:
                self._rows = next(self._batches)
            except StopIteration:
                raise OSError("the file has fewer rows than before") from None
            self._start = start
        return self._rows[row - self._start]


_of_thread = threading.local()


def _cursors() -> "OrderedDict[tuple[str, int, str], _Cursor]":
    """Those of this thread in this process: a process that is split off opens its own."""
    if getattr(_of_thread, "process", None) != os.getpid():
        _of_thread.process, _of_thread.cursors = os.getpid(), OrderedDict()
    found: OrderedDict[tuple[str, int, str], _Cursor] = _of_thread.cursors
    return found


def encoded_rows(path: Path, group: int, column: str) -> Iterator[list[bytes | None]]:
    """The photos of a row group, a few rows at a time.

    Raises:
        OSError, ValueError: they cannot be read.
    """
    from pyarrow import parquet

    with parquet.ParquetFile(path, pre_buffer=False, buffer_size=2**20) as file:
        batches = file.iter_batches(_ROWS, row_groups=[group], columns=[column], use_threads=False)
        for batch in batches:
            values = batch.column(0)
            for name in column.split(".")[1:]:
                values = values.field(name)
            yield values.to_pylist()


def rows_of(path: Path, column: str) -> list[Row]:
    """Every row of a file."""
    from pyarrow import parquet

    groups = parquet.read_metadata(path)
    return [
        Row(group, row, column)
        for group in range(groups.num_row_groups)
        for row in range(groups.row_group(group).num_rows)
    ]


def hashes_of(path: Path, column: str) -> list[str]:
    """The sha256 of each row's bytes, "" of one that cannot be read."""
    from pyarrow import parquet

    groups = parquet.read_metadata(path)
    found: list[str] = []
    for group in range(groups.num_row_groups):
        end = len(found) + int(groups.row_group(group).num_rows)
        try:
            for batch in encoded_rows(path, group, column):
                found += [hashlib.sha256(row).hexdigest() if row else "" for row in batch]
        except (OSError, ValueError):  # a damaged page costs the rest of its group
            found += [""] * (end - len(found))
    return found


def schema_of(path: Path) -> Any:
    """The file's pyarrow.Schema."""
    from pyarrow import parquet

    return parquet.read_schema(path)


def values_of(path: Path, columns: list[str]) -> list[list[Any]]:
    """The values of columns, which may be fields as in "image.path"."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        table = file.read(columns=columns, use_threads=False)
    found = []
    for column in columns:
        name, *fields = column.split(".")
        values = table.column(name).combine_chunks()
        for field in fields:
            values = values.field(field)
        found.append(values.to_pylist())
    return found
