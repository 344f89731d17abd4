"""One photo of the sandbox: its image file, and the line of the records that describes it.

A line of a records file has the keys of ImageNetV2's search logs, and some of ours:

    {"id_search_engine": "7605486142", "wnid": "n01440764", "search_key": "tench",
     "date_upload_search_engine": "2012-07-19 13:25:02",              (UTC)
     "date_taken": "2012-07-18 13:07:32",                             (may be null or missing)
     "file": "n01440764/1.jpg", "owner": "78733179@N04", "owner_name": "ann", "title": "A tench",
     "license": 4, "content_type": 0,                                 (each may be missing)
     "commons_license": "cc-by-sa-3.0-de", "first_upload": "2012-01-02 03:04:05",
     "depicts": ["Q188845"], "taxon": "Tinca tinca"}                  (each may be missing)

`license` is Flickr's number. `content_type` is 0 for a photo, 1 for a screenshot, 2 for something
else. On Commons a photo has the licence `commons_license`, or what fits Flickr's number; an earlier
version, of `first_upload`; and it shows what `depicts` says. On iNaturalist it shows the `taxon`,
by default its class's. Other keys are allowed and not read.
"""

import io
import struct
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from PIL import Image, ImageOps

from genset.classes.query import Phrase, parse
from genset.core.pixels import eight_bit
from genset.core.validation import Meta, Record

MIME = {"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif"}
SUFFIXES = {".jpg": "jpg", ".jpeg": "jpg", ".png": "png", ".gif": "gif"}

_UNREADABLE = (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError)


class PhotoRecord(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A line of a records file."""

    id_search_engine: Annotated[str, Meta(pattern="^[0-9]{1,15}$", title="a photo id in digits")]
    wnid: Annotated[str, Meta(min_length=1)]
    search_key: Annotated[str, Meta(pattern=r"\S", title="a text that is not empty")]
    date_upload_search_engine: datetime
    date_taken: datetime | None = None
    file: str | None = None
    owner: str | None = None
    owner_name: str | None = None
    title: str | None = None
    license: Annotated[int, Meta(ge=0, le=16)] = 4
    content_type: Annotated[int, Meta(ge=0, le=2)] = 0
    commons_license: str | None = None
    first_upload: datetime | None = None
    depicts: tuple[str, ...] = ()
    taxon: str | None = None

    @property
    def words(self) -> Phrase:
        """The words that found the photo, without those that the search excluded."""
        return tuple(word for phrase in parse(self.search_key).included for word in phrase)


@dataclass(frozen=True)
class Picture:
    """An image file; `pixels` (width, height) are nought when Pillow cannot read it."""

    path: Path
    extension: str
    pixels: tuple[int, int]

    @classmethod
    def look(cls, path: Path) -> "Picture":
        """Read the header of a file."""
        extension = SUFFIXES[path.suffix.lower()]
        try:
            with Image.open(path) as image:
                return cls(path, extension, image.size)
        except _UNREADABLE:
            return cls(path, extension, (0, 0))

    def shown(self, side: int | None) -> tuple[str, bytes]:
        """The type and the bytes of the file, or of a smaller JPEG with this longer side."""
        if side is None:
            return MIME[self.extension], self.path.read_bytes()
        return MIME["jpg"], _shrink(self.path, side)


@lru_cache(maxsize=128)
def _shrink(path: Path, side: int) -> bytes:
    """The picture upright, its longer side so many pixels; a damaged file's bytes as they are."""
    try:
        with Image.open(path) as opened:
            image = eight_bit(ImageOps.exif_transpose(opened)).convert("RGB")
    except _UNREADABLE:
        return path.read_bytes()
    out = io.BytesIO()
    ImageOps.contain(image, (side, side)).save(out, "JPEG", quality=85)
    return out.getvalue()


class Photo:
    """One photo, of a class of this taxon; what its record does not say is made up.

    `posted` is in Unix seconds; `taxon` is "" where it shows no organism; `texts` are what it says:
    the words of all its lines in the records.
    """

    def __init__(self, record: PhotoRecord, picture: Picture, taxon: str) -> None:
        mark = number(record.id_search_engine)
        self.id = record.id_search_engine
        self.record = record
        self.picture = picture
        self.posted = unix(record.date_upload_search_engine)
        self.owner = record.owner or f"{10_000_000 + mark % 90_000_000}@N0{mark % 8}"
        self.owner_name = record.owner_name or f"user{self.owner.partition('@')[0]}"
        self.title = f"IMG_{mark % 10_000:04}" if record.title is None else record.title
        self.taxon = taxon if record.taxon is None else record.taxon
        self.texts: list[Phrase] = []

    @property
    def is_removed(self) -> bool:
        """Whoever deletes the file takes the photo down."""
        return not self.picture.path.is_file()


def unix(when: datetime) -> int:
    """A time in Unix seconds; one without a zone is in UTC."""
    return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def number(text: str) -> int:
    """A large number that is always the same for the same text."""
    return int.from_bytes(sha256(text.encode()).digest()[:8])
