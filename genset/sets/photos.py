"""What every layout of a set gives: photos, each with its id, its class and where its bytes lie.

A photo is a few plain values, so that a set is cheap to send to another process or machine. Whoever
has one reads its bytes with `ScoredPhoto.read_bytes`, whatever the layout: from a file of its own,
from a part of a file (a member of a tar), or from a row of a table.
"""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.sets.truths.truth import Truth

_LARGEST = 2**30  # bytes of a photo

Sampling = Literal["sample", "fixed"]
"""What a set's classes are: a sample of classes, or all that there are."""


class HasBytes(Protocol):
    """A photo, or the path of its file."""

    def read_bytes(self) -> bytes:
        """The photo as it is encoded.

        Raises:
            OSError: it cannot be read.
        """


class Part(Protocol):
    """Which part of a file a photo is: a small frozen value that can be pickled."""

    def read(self, path: Path) -> bytes:
        """The photo's bytes, from the file at `path`.

        Raises:
            OSError: they cannot be read.
        """


@dataclass(frozen=True, slots=True)
class Slice:
    """So many bytes of a file, from one of its bytes on."""

    offset: int
    size: int

    def read(self, path: Path) -> bytes:
        """These bytes.

        Raises:
            OSError: they cannot be read, or the file ends before they do.
        """
        with path.open("rb", buffering=0) as file:
            file.seek(self.offset)
            found = file.read(self.size)
        if len(found) != self.size:
            raise OSError(f"{path.name} is cut off")
        return found


@dataclass(frozen=True, slots=True)
class Unreadable:
    """No part of the file: why the photo, which the set names, cannot be read."""

    why: str

    def read(self, path: Path) -> bytes:
        """Say so.

        Raises:
            OSError: always.
        """
        raise OSError(self.why)


@dataclass(frozen=True, slots=True)
class ScoredPhoto:
    """A photo and its true class.

    Attributes:
        id: its path in the set, with forward slashes.
        path: the file that its bytes are in.
        wnid: its class.
        part: which part of the file it is; None: all of it.
        sha256: of its bytes when the set was opened, 64 hexadecimal digits; "" where they could
            not be read, or were not asked for.
    """

    id: str
    path: Path
    wnid: str
    part: Part | None = None
    sha256: str = ""

    def __str__(self) -> str:
        """The path of its file; of a part of one, its id."""
        return str(self.path) if self.part is None else self.id

    def read_bytes(self) -> bytes:
        """The photo as it is encoded.

        Raises:
            OSError: it cannot be read.
        """
        if self.part is not None:
            return self.part.read(self.path)
        found = self.path.stat()
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file"
            raise OSError(f"it is {kind}")  # a pipe would never end
        if found.st_size > _LARGEST:
            raise OSError("it is larger than 1 GiB")
        return self.path.read_bytes()


@dataclass(frozen=True, slots=True)
class PhotoSet:
    """Photos with their classes, in the order of their ids. `content_hash` names these bytes.

    Where `listed`, there are no photos: a table names them (in the order of its rows), and
    predictions alone can be scored. `notes` say what of a folder is left out. `list_hash` is the
    content hash that the set has where its table is all there is; "" for a set without a table.
    `whole` is the content hash of the release that they are, or are a part of; "" for no release's.
    `truth` has all classes that each photo shows, where it is known (`truths.keep.with_truth`).
    `custom_taxonomy` has the classes where they are not ImageNet's; `classes_named` is the file or
    the name that Python was given for them. `transform` is that of a data set in memory.
    `sampling` is what its classes are, where a workspace or a person says it.
    """

    name: str
    root: Path
    content_hash: str
    photos: tuple[ScoredPhoto, ...]
    listed: bool = False
    notes: tuple[str, ...] = ()
    list_hash: str = ""
    whole: str = ""
    truth: Truth | None = field(default=None, repr=False, compare=False)
    custom_taxonomy: Taxonomy | None = field(default=None, repr=False, compare=False)
    classes_named: str = field(default="", repr=False, compare=False)
    transform: Callable[[Any], Any] | None = field(default=None, repr=False, compare=False)
    sampling: Sampling | None = field(default=None, repr=False, compare=False)

    @property
    def taxonomy(self) -> Taxonomy:
        """Whose classes the photos are of: ImageNet's where no other is said."""
        return self.custom_taxonomy or imagenet1k()

    @property
    def fixed_classes(self) -> bool:
        """Whether the classes are all that there are, as one's own, and no sample of classes."""
        return self.custom_taxonomy is not None

    @property
    def ids(self) -> list[str]:
        """The photos' ids, in the order in which answers are given."""
        return [photo.id for photo in self.photos]

    def __len__(self) -> int:
        return len(self.photos)

    def __repr__(self) -> str:
        return f"<{self.name}: {count(len(self), 'photo')}, {self.content_hash[:19]}>"


def readable(name: str) -> str:
    r"""A file's name as text: bytes that are no UTF-8, as in names from old disks, as ``\\xe9``."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def hash_of(photos: Iterable[ScoredPhoto]) -> str:
    """A set's content hash: over ids, classes and bytes, in the set's order, in any layout.

    An id that begins with its class says it; of a photo with another id the class is hashed too.
    """
    digest = hashlib.sha256()
    for photo in photos:
        of_class = "" if photo.id.startswith(f"{photo.wnid}/") else f"{photo.wnid} "
        digest.update(f"{photo.id} {of_class}{photo.sha256 or 'unreadable'}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def sample_by_class(photos: PhotoSet, limit: str) -> PhotoSet:
    """A part of a set, a set of its own: as many photos of each class as is their share of all.

    Args:
        photos: the set.
        limit: how many: "500", or a share of them, "10%".

    Raises:
        BadInput: it is neither.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+(?=%))?)(%?)", limit)
    if not found or not float(found[1]) or (found[2] and float(found[1]) > 100):
        raise BadInput(f"--limit is a number of photos, or a share such as 10%, not {limit}")
    number = float(found[1]) * (len(photos) / 100 if found[2] else 1)
    sizes, seen = Counter(photo.wnid for photo in photos.photos), Counter[str]()
    ranked: list[tuple[float, int, str]] = []
    for photo in sorted(
        photos.photos, key=lambda photo: hashlib.sha256(os.fsencode(photo.id)).digest()
    ):
        ranked.append(((seen[photo.wnid] + 0.5) / sizes[photo.wnid], len(ranked), photo.id))
        seen[photo.wnid] += 1
    ids = {image for _, _, image in sorted(ranked)[: max(1, round(number))]}
    if len(ids) == len(photos):
        return photos
    chosen = tuple(photo for photo in photos.photos if photo.id in ids)
    name = f"{len(ids):,} of {count(len(photos), 'photo')} of {photos.name}"
    notes = (*photos.notes, f"{name}: a sample by class (--limit).")
    part = replace(photos, name=name, photos=chosen, content_hash=hash_of(chosen), notes=notes)
    return replace(part, list_hash="", whole="", truth=None)
