"""Opens a table by what its file is."""

from pathlib import Path

from genset.tta.logs.entries import MalformedLog
from genset.tta.logs.tables.sheets.delimited import Delimited, names_in
from genset.tta.logs.tables.sheets.parquet import Parquet
from genset.tta.logs.tables.sheets.sheet import Sheet

_PARQUET = b"PAR1"
_TEXTS = (".csv", ".tsv")
_PARQUETS = (".parquet", ".pq")


def open_sheet(path: Path) -> Sheet:
    """Open a table.

    Raises:
        MalformedLog: it has no right reading.
    """
    try:
        with path.open("rb") as file:
            parquet = file.read(len(_PARQUET)) == _PARQUET
    except OSError as error:
        raise MalformedLog(path, f"it cannot be read: {error.strerror}") from None
    return Parquet(path) if parquet or path.suffix.lower() in _PARQUETS else Delimited(path)


def is_table(path: Path, start: bytes) -> bool:
    """Whether a file is meant to be a table, by its name or how it begins."""
    return path.suffix.lower() in (*_TEXTS, *_PARQUETS) or start.startswith(_PARQUET)


def names_of(path: Path, start: bytes) -> list[str]:
    """The names of a table's columns; empty where the file is no table.

    Raises:
        MalformedLog: it is a Parquet file that has no right reading.
    """
    if not is_table(path, start):
        return []
    return Parquet(path).names if start.startswith(_PARQUET) else names_in(start)
