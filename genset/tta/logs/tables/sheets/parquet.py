"""Reads Parquet by columns, a batch of rows at a time."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from genset.tta.logs.entries import MalformedLog
from genset.tta.logs.tables.sheets.cells import shortest

_BATCH = 10_000


class Parquet:
    """A Parquet file as a table: see `Sheet`."""

    def __init__(self, path: Path) -> None:
        """Read the names.

        Raises:
            MalformedLog: it is no Parquet file, or pyarrow is not installed.
        """
        self.path = path
        self.remarks: list[str] = []
        if find_spec("pyarrow") is None:
            self.refuse("Parquet needs pyarrow: pip install 'genset[export]'")
        from pyarrow import parquet

        try:
            self._file = parquet.ParquetFile(path)
            self._schema = self._file.schema_arrow
        except Exception as error:  # noqa: BLE001 - pyarrow raises what it likes on a bad file
            self.refuse(f"it is no Parquet file: {_first_line(error)}")
        self.names = [name.strip() for name in self._schema.names]

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """See `Sheet.rows`."""
        names = [self._schema.names[column] for column in columns]
        at = 0
        try:
            for batch in self._file.iter_batches(_BATCH, columns=names):
                lists = [_texts(batch.column(name)) for name in names]
                for cells in zip(*lists, strict=True):
                    at += 1
                    yield at, list(cells)
        except MalformedLog:
            raise
        except Exception as error:  # noqa: BLE001 - a damaged page
            self.refuse(f"it cannot be read: {_first_line(error)}", at + 1)

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """See `Sheet.refuse`."""
        raise MalformedLog(self.path, f"row {at}: {reason}" if at else reason)


def _texts(column: Any) -> list[str]:
    import pyarrow as pa

    if pa.types.is_float32(column.type) or pa.types.is_float16(column.type):
        return ["" if v is None else repr(shortest(float(v))) for v in column.to_pylist()]
    return ["" if value is None else str(value).strip() for value in column.to_pylist()]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
