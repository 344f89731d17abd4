"""Files that are either whole or not there, and their hashes."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary file that appears at `path` only when the block ends without an exception.

    The bytes go to a temporary name in the same folder, are fsynced, then renamed over `path`, so
    a kill at any moment leaves the old file or the new one, never a part of it.
    """
    temporary = path.with_name(f".partial-{uuid4().hex}")
    try:
        with _opened_new(temporary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _opened_new(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except FileNotFoundError:  # the first file of its folder
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, whole or not at all."""
    with written_whole(path) as file:
        file.write(text.encode())


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait while another process is at work in `folder`; a kill gives up the turn."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


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
