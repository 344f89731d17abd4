"""Rows of Arrow files, as save_to_disk writes them: not packed, so a photo is a part of the file.

Source: https://arrow.apache.org/docs/format/Columnar.html, the layout of binary columns.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput

Span = tuple[int, int, str]  # offset, bytes and sha256; 0, 0 and "" of a row without bytes


def spans_of(path: Path, column: str) -> list[Span]:
    """Where in the file the bytes of each row are.

    Raises:
        BadInput: the file is packed.
        OSError, ValueError: it cannot be read.
    """
    found: list[Span] = []
    with _batches(path) as (content, batches):
        for batch in batches:
            name, *fields = column.split(".")
            values = batch.column(name)
            for field in fields:
                values = values.field(field)
            found += _spans(path, content, values)
    return found


def _spans(path: Path, content: Any, values: Any) -> Iterator[Span]:
    import numpy as np
    import pyarrow as pa

    kind = np.int64 if pa.types.is_large_binary(values.type) else np.int32
    _, ends, data = values.buffers()
    count = len(values)
    if not count or data is None:
        yield from [(0, 0, "")] * count
        return
    places = np.frombuffer(ends, kind)[values.offset : values.offset + count + 1].tolist()
    first = data.address - content.address
    if not 0 <= first <= content.size - places[-1]:
        raise BadInput(f"{path} is packed: write it without compression, or as Parquet")
    whole = memoryview(content)
    there = values.is_valid().to_pylist()
    for number, start, end in zip(range(count), places[:-1], places[1:], strict=True):
        if there[number] and end > start:
            sha256 = hashlib.sha256(whole[first + start : first + end]).hexdigest()
            yield first + start, end - start, sha256
        else:
            yield 0, 0, ""


def schema_of(path: Path) -> Any:
    """The file's pyarrow.Schema."""
    with _batches(path) as (_, batches):
        return batches.schema


def values_of(path: Path, columns: list[str]) -> list[list[Any]]:
    """The values of columns, which may be fields as in "image.path"."""
    found: list[list[Any]] = [[] for _ in columns]
    with _batches(path) as (_, batches):
        for batch in batches:
            for number, column in enumerate(columns):
                name, *fields = column.split(".")
                values = batch.column(name)
                for field in fields:
                    values = values.field(field)
                found[number] += values.to_pylist()
    return found


@contextmanager
def _batches(path: Path) -> Iterator[tuple[Any, Any]]:
    """The file in memory, as a pyarrow.Buffer, and a reader of its record batches."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        content = source.read_buffer()
        yield content, pa.ipc.open_stream(content)
