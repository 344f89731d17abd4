"""The text of a file, gzipped or not, a part of it at a time."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genset.core.errors import BadInput

_GZIP = b"\x1f\x8b"


@contextmanager
def unpacked(path: Path) -> Iterator[None]:
    """Tell what is wrong with a gzip that is read in the block."""
    try:
        yield
    except EOFError:
        raise BadInput(f"{path} cannot be read: it is cut off, its gzip has no end") from None
    except (gzip.BadGzipFile, zlib.error):
        raise BadInput(f"{path} cannot be read: its gzip is damaged") from None


@contextmanager
def opened(path: Path) -> Iterator[io.TextIOBase]:
    """The text of a file in UTF-8, gzipped or not, as its first bytes say.

    Names of functions may have bytes that are no UTF-8; they cost themselves only.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file in it")
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    try:
        with path.open("rb") as raw:
            start = raw.read(len(_GZIP))
            raw.seek(0)
            if start == _GZIP:
                raw = gzip.GzipFile(fileobj=raw)  # type: ignore[assignment]
            yield io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
