"""The files in a tar, and where in it they are. Listed and hashed once, and kept by its stat."""

import hashlib
import posixpath
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from genset.core.errors import BadInput, first_line
from genset.core.progress import progress
from genset.sets.formats import HEAD, has_no_ending, is_photo_name, looks_like_photo
from genset.sets.hashes import HashStore
from genset.sets.photos import Part, Slice, Unreadable

_LINKS = 40  # that lead to each other: as many as Linux follows
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZ": "bzip2", b"\xfd7": "xz", b"\x28\xb5": "zstd"}


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a tar.

    Attributes:
        name: its path in the tar.
        offset, size: where its bytes are.
        sha256: of a photo's bytes; "" for other files.
        why: why it cannot be read; "" where it can.
    """

    name: str
    offset: int
    size: int
    sha256: str
    why: str

    @property
    def is_photo(self) -> bool:
        """Whether it is one, by its name or, without an ending, by its content."""
        return is_photo_name(self.name.rpartition("/")[2]) or bool(self.sha256)

    @property
    def part(self) -> Part:
        """Where its bytes are."""
        return Unreadable(self.why) if self.why else Slice(self.offset, self.size)


def members_of(path: Path, store: HashStore) -> list[Member]:
    """The files of a tar in its order; of two with one name, the last.

    Raises:
        BadInput: it is no tar, or a packed one, or is cut off.
    """
    try:
        return [Member(*fields) for fields in store.read(str(path), _listed)]
    except tarfile.TarError as error:
        with path.open("rb") as file:
            packed = _COMPRESSIONS.get(file.read(2))
        if packed:
            raise BadInput(f"{path} is packed with {packed}: unpack it to a plain .tar") from None
        raise BadInput(f"{path} is no tar, or cut off: {first_line(error)}") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None


def _listed(path: str) -> list[Any]:
    with tarfile.open(path, "r:") as tar:
        infos = {_plain(info.name): info for info in tar if not info.isdir()}
    with Path(path).open("rb") as file:
        end = file.seek(0, 2)
        items = progress(infos, total=len(infos), what=f"hashing {Path(path).name}", unit="photo")
        # As apple's tar does, metadata is beside each file under this prefix.
        return [
            _described(name, infos, file, end)
            for name in items
            if not name.rpartition("/")[2].startswith("._")
        ]


def _described(
    name: str, infos: dict[str, tarfile.TarInfo], file: BinaryIO, end: int
) -> tuple[str, int, int, str, str]:
    info = _followed(name, infos)
    if info is None:
        return name, 0, 0, "", "the link leads nowhere"
    if not info.isreg() or info.issparse():
        return name, 0, 0, "", "it is no regular file"
    if info.offset_data + info.size > end:
        return name, 0, 0, "", "the tar is cut off"
    base = name.rpartition("/")[2]
    sha256 = ""
    if is_photo_name(base) or has_no_ending(base):
        file.seek(info.offset_data)
        content = file.read(info.size)
        if is_photo_name(base) or looks_like_photo(content[:HEAD]):
            sha256 = hashlib.sha256(content).hexdigest()
    return name, info.offset_data, info.size, sha256, ""


def _followed(name: str, infos: dict[str, tarfile.TarInfo]) -> tarfile.TarInfo | None:
    """The member that a link leads to."""
    for _ in range(_LINKS):
        info = infos.get(name)
        if info is None or not (info.islnk() or info.issym()):
            return info
        base = posixpath.dirname(name) if info.issym() else ""
        name = _plain(posixpath.join(base, info.linkname))
    return None


def _plain(name: str) -> str:
    return posixpath.normpath(name).lstrip("/")
