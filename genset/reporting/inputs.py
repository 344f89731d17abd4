"""What a report is made of, as one hash, so that a report on the same things is not made again.

The hash is over the set, what was asked for, genset's own code, the libraries that draw and
reckon, and the stat (size, times, inode) of every file that a report may read: all that lies among
the runs (runs on other sets, truths and results of fine-tuning too), the photos, and the files that
options name. That is more than a report on one set reads: it is then made once too often, and never
shows what is not so any more.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Set
from contextlib import suppress
from dataclasses import fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

from genset import __version__
from genset.classes import hash_of
from genset.core.errors import BadInput
from genset.core.files import write_text, written_whole
from genset.release.reader import MANIFEST
from genset.reporting.data.options import ReportOptions
from genset.score.locate import HASHES
from genset.score.results.runs import LOGIT_CLASSES, LOGITS
from genset.sets.photos import PhotoSet

KEPT = ".reports"
"""The folder among the runs that printed forms of reports are kept in."""

_CODE = Path(__file__).parent.parent
_LIBRARIES = ("numpy", "scipy", "matplotlib", "jinja2", "pillow")
# Nanoseconds: two changes so near each other may have one time. Some file systems and archives
# know whole seconds alone, and even ones at that; others have fractions, by the system's tick.
_SECOND = 1_000_000_000
_COARSE, _FINE = 2 * _SECOND, _SECOND // 10
_FORM = "genset kept report 1"
_SEAL = re.compile(rb"<!-- genset report of ([0-9a-f]{64}), page ([0-9a-f]{64}) -->\n\Z")
_PAGES = (b"<!doctype html", b"<html")
_HEAD = 1000  # bytes at the start of a page, which say that it is one
_SEALED = 200  # bytes at the end of a page, of which the seal is fewer


def digest_of(photos: PhotoSet, runs: Path, options: ReportOptions) -> str:
    """A hash over all that a report is made of: 64 hexadecimal digits.

    Args:
        photos: the set, as it was opened just now.
        runs: the folder of runs.
        options: what is asked for.

    Returns:
        "" where it cannot be told whether the report would be the same: a file changed only just
        now, or cannot be seen; or a run is so old that it names a file of its own.
    """
    try:
        seen = _Seen()
        seen.add_tree(runs, without={HASHES, KEPT})
        seen.add_tree(_CODE, without={"__pycache__"})
        seen.add(photos.root / MANIFEST)
        if not photos.listed:
            for path in dict.fromkeys(photo.path for photo in photos.photos):
                seen.add(path)
        for path in _files_named(options):
            seen.add_tree(path)
    except OSError:
        return ""
    if seen.is_unsettled:
        return ""
    about: dict[str, object] = {
        "versions": [__version__, python_version(), *map(_version, _LIBRARIES)],
        "set": [photos.name, photos.content_hash, photos.list_hash, photos.listed, photos.notes],
        "truth": [photos.truth.source, photos.truth.sha256] if photos.truth else None,
        "options": repr(options),
    }
    if photos.own_taxonomy is not None:
        about["taxonomy"] = hash_of(photos.own_taxonomy)
    seen.digest.update(json.dumps(about).encode())
    return seen.digest.hexdigest()


def is_page_of(path: Path, digest: str) -> bool:
    """Whether a file is the page that was made of these things, byte by byte."""
    if not path.is_file():
        return False
    try:
        content = path.read_bytes()
    except OSError:
        return False
    start = max(0, len(content) - _SEALED)
    if not digest or (seal := _SEAL.search(content, start)) is None:
        return False
    is_whole = hashlib.sha256(content[: seal.start()]).hexdigest() == seal[2].decode()
    return is_whole and seal[1].decode() == digest


def check_page(path: Path) -> None:
    """Check that a page may be written: in the place of another page, and of no other file.

    Raises:
        BadInput: a file is there that is no page.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        if not file.read(_HEAD).lstrip().lower().startswith(_PAGES):
            raise BadInput(f"{path} is there, and is no HTML page: name another file")


def write_page(path: Path, page: str, digest: str) -> None:
    """Write a page, with a comment at its end that says what it was made of, if that is known.

    A link stays one, and who may read the file stays as it was.

    Raises:
        BadInput: a file is there that is no page.
    """
    check_page(path)
    # A file's name may hold bytes that are no text.
    text = f"{page.rstrip()}\n".encode(errors="replace")
    seal = f"<!-- genset report of {digest}, page {hashlib.sha256(text).hexdigest()} -->\n"
    path = path.resolve()
    mode = path.stat().st_mode if path.is_file() else None
    write_text(path, text.decode() + (seal if digest else ""))
    if mode is not None:
        with suppress(PermissionError):
            path.chmod(mode)


def kept_text(runs: Path, name: str, digest: str) -> str | None:
    """What `keep_text` kept of a report that was made of the same things; None for nothing."""
    try:
        head, _, body = (runs / KEPT / name).read_bytes().partition(b"\n")
        is_same = bool(digest) and head.decode() == _head(digest, body)
        return body.decode() if is_same else None
    except (OSError, ValueError):
        return None


def keep_text(runs: Path, name: str, digest: str, text: str) -> None:
    """Keep a printed form of a report, in the place of the one that had this name before.

    Where the runs are not ours to write to, nothing is kept.
    """
    body = text.encode(errors="replace")
    if digest:
        with suppress(OSError), written_whole(runs / KEPT / name) as file:
            file.write(f"{_head(digest, body)}\n".encode() + body)


def _head(digest: str, body: bytes) -> str:
    return f"{_FORM} {digest} {hashlib.sha256(body).hexdigest()}"


class _Seen:
    """Files as they are now."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.is_unsettled = False
        self._now = time.time_ns()
        self._folders: set[str] = set()

    def add(self, path: Path) -> None:
        """A file, be it there or not."""
        try:
            found = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self.digest.update(os.fsencode(path) + b" is not there\n")
            return
        what = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)
        self.digest.update(os.fsencode(path) + f" {what}\n".encode())
        grain = _FINE if found.st_mtime_ns % _SECOND else _COARSE
        self.is_unsettled |= abs(self._now - found.st_mtime_ns) < grain

    def add_tree(self, root: Path, without: Set[str] = frozenset()) -> None:
        """All files in a folder, or a file. Pages are no input: one may be written there."""
        if not root.is_dir():
            self.add(root)
            return
        for folder, folders, files in os.walk(root, onerror=_refuse, followlinks=True):
            if (place := os.path.realpath(folder)) in self._folders:  # a link leads back
                folders.clear()
                continue
            self._folders.add(place)
            folders[:] = sorted(set(folders) - without)
            self.is_unsettled |= LOGITS in files and LOGIT_CLASSES not in files
            for name in sorted(files):
                if not name.endswith(".html"):
                    self.add(Path(folder, name))


def _refuse(error: OSError) -> None:
    raise error


def _files_named(value: Any) -> Iterator[Path]:
    """The files and folders that options name, and what may lie beside a training log."""
    if is_dataclass(value):
        for field in fields(value):
            yield from _files_named(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from _files_named(each)
    elif isinstance(value, Path):
        yield value
        yield from (value.with_suffix(end) for end in (".json", ".tsv") if value.suffix)
    elif isinstance(value, str) and value.lower().endswith(".csv"):
        yield Path(value)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
