"""Files that are either whole or not there, and their hashes."""

import codecs
import csv
import ctypes
import errno
import fcntl
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from genset.core.errors import BadInput, GensetError, first_line

_MANY = 8  # files to secure at once

# What file systems say that take no more, or nothing from us.
_UNWRITABLE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM),
    errno.ENOENT,  # of a folder such as /proc, which takes no files
)

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .ods, .xls

# What file systems say that have no locks.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


@contextmanager
def written_whole(path: Path, *, secured: bool = True) -> Iterator[BinaryIO]:
    """Yield a binary file that appears at `path` only when the block ends without an exception.

    The bytes go to a temporary name in the same folder, are fsynced, then renamed over `path`, so
    a kill at any moment leaves the old file or the new one, never a part of it. Where not
    `secured`, nothing is fsynced: that holds for a power cut only once `secure` was called.

    A device or a pipe (``/dev/null``, ``/dev/stdout``) is written into: a file in its place would
    take it away from everybody else.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        with _blamed_on(path), path.open("wb") as file:
            yield file
        return
    temporary = path.with_name(f".partial-{uuid4().hex}")
    try:
        with _blamed_on(path, temporary), _opened_new(temporary) as file:
            yield file
            file.flush()
            if secured:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):  # a disk that cannot be written to refuses this too
            temporary.unlink()
        raise
    if secured:
        sync_folder(path.parent)


@contextmanager
def _blamed_on(path: Path, temporary: Path | None = None) -> Iterator[None]:
    """Where there is no room or no right to write, name the file that was meant."""
    try:
        yield
    except OSError as error:
        if error.filename in (str(temporary), None) and error.errno in _UNWRITABLE:
            error.filename = str(path)
        raise


def _opened_new(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except FileNotFoundError:  # the first file of its folder
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")


def secure(paths: Collection[Path]) -> None:
    """Make files of one file system, and their names, survive a power cut.

    Each needs a flush of its own, and one of all that their file system holds back (Linux's
    syncfs, which Python does not offer) takes about as long; so that is asked for where they are
    many. Where they are few, what other programs write is left alone.

    Raises:
        OSError: some bytes did not reach the disk.
    """
    folders = {path.parent for path in paths}
    flush = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if flush is not None and len(paths) >= _MANY:
        with _opened(min(folders)) as handle:
            if flush(handle) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return
    for path in (*paths, *folders, *{folder.parent for folder in folders}):
        with _opened(path) as handle:
            os.fsync(handle)


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, whole or not at all."""
    with written_whole(path) as file:
        file.write(text.encode())


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut."""
    with _opened(folder) as handle:
        os.fsync(handle)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A handle of a file or folder, to read."""
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def one_at_a_time(folder: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Wait while another process is at work in `folder`; a kill gives up the turn.

    A network's file system may have no locks, or know only those of this machine. Nobody waits
    there, so what is done in the block must bear that another process does the same.

    Args:
        folder: made if it is not there. Whoever has the turn may take it away.
        waiting: called once if another process has the turn.
    """
    with ExitStack() as turn:
        while True:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                handle = turn.enter_context(_opened(folder))
                _lock(handle, waiting)
                if os.path.samestat(os.fstat(handle), folder.stat()):
                    break
            except FileNotFoundError:
                pass
            turn.close()  # it was taken away: what has its name now is another folder
        yield


def _lock(handle: int, waiting: Callable[[], None] | None) -> None:
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting is not None:
                waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


@contextmanager
def locked(path: Path, error: GensetError) -> Iterator[None]:
    """Have the file `path`, which is made for it, locked in the block; a kill gives it up.

    Raises:
        GensetError: `error`, where another process has it locked.
    """

    def refuse() -> None:
        raise error from None

    with path.open("w") as handle:
        _lock(handle.fileno(), refuse)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def decoded(content: bytes) -> str:
    """The text of a file in UTF-8, with or without its mark, UTF-16 with it, or Windows-1252.

    Raises:
        BadInput: it is a workbook.
        UnicodeDecodeError: it is no text.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")
    if content.startswith(_WORKBOOKS):
        raise BadInput("a workbook, as Excel and LibreOffice store it: save it as CSV")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def table_rows(content: bytes) -> list[tuple[int, list[str]]]:
    """The rows of a table as programs and people write it, with the lines that they end in.

    Cells are parted by the one of comma, semicolon and tab that the first line has most of, by what
    Excel's ``sep=`` above it says, or else by spaces. They are without blanks around them, and rows
    of empty cells are passed over.

    Raises:
        BadInput: it is no table.
    """
    try:
        text = decoded(content)
        first = text.partition("\n")[0].rstrip("\r")
        named = re.fullmatch(r"sep=(.)", first)
        mark = named[1] if named else max(",;\t", key=first.count)
        rows = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=mark if mark in first else " ",
            skipinitialspace=True,
            strict=True,
        )
        found = [(rows.line_num, [cell.strip() for cell in row]) for row in rows]
    except (ValueError, csv.Error) as error:
        raise BadInput(first_line(error)) from None
    return [(number, cells) for number, cells in found[bool(named) :] if any(cells)]


def packaged_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table that lies beside the code, by column; lines from a # on are comments."""
    lines = path.read_text("utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def csv_text(names: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table in CSV: the names of its columns, then its rows."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(chain([names], rows))
    return text.getvalue()


def sha256_of(path: Path) -> str:
    """The file's sha256 as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def image_file(sha256: str, image_format: str) -> str:
    """Where an original lies under ``images/``: named by its hash alone.

    `image_format` is Pillow's name of it, as in "JPEG".
    """
    suffix = ".jpg" if image_format == "JPEG" else f".{image_format.lower()}"
    return f"{sha256[:2]}/{sha256}{suffix}"


def sealed(format: str, document: Any) -> bytes:
    """A JSON document behind a line with its format and a hash, by which damage shows."""
    body = json.dumps(document).encode()
    return f"{format} {hashlib.sha256(body).hexdigest()}\n".encode() + body


def unsealed(content: bytes, format: str) -> Any:
    """The document that `sealed` wrote.

    Raises:
        ValueError: it is of another format, or not as it was written.
    """
    head, _, body = content.partition(b"\n")
    if head != f"{format} {hashlib.sha256(body).hexdigest()}".encode():
        raise ValueError("it is not as it was written")
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
