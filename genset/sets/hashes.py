"""Hashes of files, kept with the files' size, times and inode, so that none is read twice.

A file is read again where its stat is another one. That is enough only for a file that was not
changed just before it was read: a change right after might leave the same times. So such a file's
hash is used once and not kept, which is git's rule for files that are "racily clean".

Source: Documentation/technical/racy-git.txt of git.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from genset.core.files import sealed, sha256_of, unsealed, written_whole
from genset.core.progress import progress

_FORMAT = "genset kept hashes 2"

# Two changes of a file so near each other may have the same time: the coarsest file systems count
# in steps of two seconds.
_GRAIN = 2_000_000_000  # nanoseconds

_Stat = list[int]


class HashStore:
    """What was read of the files of one set. A damaged file of these is as none."""

    def __init__(self, folder: Path | None, root: Path) -> None:
        """Read what is kept.

        Args:
            folder: where all sets' hashes are kept; None: nothing is kept.
            root: the set's folder or file.
        """
        place = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
        self._path = folder / f"{place}.json" if folder else None
        self._prefix = f"{root if root.is_dir() else root.parent}{os.sep}"
        self._kept = _loaded(self._path) if self._path else {}
        self._used: dict[str, list[Any]] = {}
        self._changed = False

    def sha256(self, path: str | Path) -> str:
        """A file's sha256, as 64 hexadecimal digits.

        Raises:
            OSError: it cannot be read.
        """
        found: str = self.read(str(path), lambda path: sha256_of(Path(path)))
        return found

    def all_sha256(self, paths: Sequence[str]) -> list[str]:
        """The sha256 of each file, "" of one that cannot be read; with progress."""
        found = [self._known(path) for path in paths]
        unknown = [place for place, known in enumerate(found) if known is None]
        for place in progress(unknown, total=len(unknown), what="hashing", unit="photo"):
            try:
                found[place] = self.sha256(paths[place])
            except OSError:
                found[place] = ""
        return found

    def read(self, path: str, reader: Callable[[str], Any]) -> Any:
        """What `reader` finds in a file, kept as JSON; the same file always has the same reader.

        Raises:
            OSError: it cannot be read.
        """
        if (known := self._known(path)) is not None:
            return known
        now = time.time_ns()
        before = _stat(path)
        found = reader(path)
        if before == _stat(path) and not _is_racy(before, now):
            self._used[self._name(path)] = [*before, found]
            self._changed = True
        return found

    def save(self) -> None:
        """Keep what was found for the next time; where that is not possible, nothing is."""
        if self._path is None or not (self._changed or len(self._used) < len(self._kept)):
            return
        with suppress(OSError), written_whole(self._path, secured=False) as file:
            file.write(sealed(_FORMAT, self._used))

    def _known(self, path: str) -> Any:
        name = self._name(path)
        record = self._used.get(name) or self._kept.get(name)
        if record is None:
            return None
        try:
            if _stat(path) != record[:-1]:
                return None
        except OSError:
            return None
        self._used[name] = record
        return record[-1]

    def _name(self, path: str) -> str:
        return path.removeprefix(self._prefix)


def _stat(path: str) -> _Stat:
    """Size, times in nanoseconds, inode and device.

    Raises:
        OSError: it is not there, or no regular file.
    """
    found = os.stat(path)  # noqa: PTH116 - pathlib's paths take most of the time of many files
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "it is not a regular file")
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev]


def _is_racy(found: _Stat, now: int) -> bool:
    """Whether the file may change now without another stat. A time set by hand lies elsewhere."""
    _, modified, changed, *_ = found
    return changed > now - _GRAIN or abs(modified - now) < _GRAIN


def _loaded(path: Path) -> dict[str, list[Any]]:
    try:
        found: dict[str, list[Any]] = unsealed(path.read_bytes(), _FORMAT)
        return found
    except (OSError, ValueError):
        return {}
