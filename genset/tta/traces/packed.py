"""The text of a file, gzipped or not, a part of it at a time."""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genset.core.errors import BadInput

_GZIP = b"\x1f\x8b"
_LONGEST_LINE = 2**20


def lines_of(path: Path, longest: int) -> Iterator[str]:
    """Yield the lines of a file, gzipped or not; a very long one in parts.

    Raises:
        BadInput: it is not there, cannot be unpacked, or has more than `longest` characters.
    """
    read = 0
    with opened(path) as file:
        while True:
            with unpacked(path):
                line = file.readline(_LONGEST_LINE)
            if not line:
                return
            read += len(line)
            if read > longest:
                raise BadInput(f"{path} has more than {longest >> 20} MB of text")
            yield line


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
    """The text of a file, gzipped or not, in UTF-8 or UTF-16, told from its first bytes.

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
                packed = gzip.GzipFile(fileobj=raw)
                with unpacked(path):
                    start = packed.peek(len(_GZIP))[: len(_GZIP)]
                raw = packed  # type: ignore[assignment]
            # As PowerShell writes what a program prints.
            wide = start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            encoding = "utf-16" if wide else "utf-8-sig"
            yield io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
