"""The photos of the sandbox: their image files and records, and which ones a search finds.

One photo may stand in several lines of a records file, as one that searches for two classes both
returned: the first line describes it, the others add words that find it.

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
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from PIL import Image, ImageOps

from genset.classes import Taxonomy, imagenet1k
from genset.classes.query import Phrase, Terms, parse, words
from genset.core.errors import BadInput
from genset.core.pixels import eight_bit
from genset.core.validation import Meta, Record, parse_json, read_text

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


_FIRST_POST = datetime(2014, 2, 1, tzinfo=UTC)
_POSTING_SECONDS = 5 * 365 * 86_400
_LARGEST_RECORDS = 2**31  # bytes


@dataclass(frozen=True)
class _Line:
    """One line of the records: a photo, the texts that find it and the planned queries that do."""

    photo: Photo
    texts: tuple[Phrase, ...]
    queries: frozenset[tuple[str, ...]]


class Collection:
    """The photos of a folder under the records of a file, or under records made up for them.

    `taxonomy` has the classes (ImageNet's where there is none). A folder that is named by none is
    found by the words of its name. A search lists the photos whose ids `is_gone` tells of, but
    they are not to be found any more.
    """

    def __init__(
        self,
        folder: Path,
        records: Path | None,
        taxonomy: Taxonomy | None,
        is_gone: Callable[[str], bool],
    ) -> None:
        self._lines: list[_Line] = []
        self._photos: dict[str, Photo] = {}
        self._taxonomy = imagenet1k() if taxonomy is None else taxonomy
        self._is_gone = is_gone
        self._planned_queries = cache(self._planned)
        files = _Files(folder)
        for where, row in _read(records) if records else _made_up(files, self._taxonomy):
            self._add(row, files.picture_for(row, where))
        if not self._lines:
            raise BadInput(f"{records} has no records: write one JSON object on each line")

    def find(self, photo_id: str) -> Photo | None:
        """The photo with this id, unless there is none or it was removed."""
        photo = self._photos.get(photo_id)
        return None if photo is None or photo.is_removed or self._is_gone(photo_id) else photo

    def search(self, text: str, fits: Callable[[Photo], bool]) -> list[Photo]:
        """The photos that a search for `text` returns and that fit, in the order of the records.

        All that fit where there is no text. A query that genset plans for a class finds all photos
        of that class, whatever they say, but for those that say what it excludes.
        """
        terms = parse(text)
        query, included = _sorted_words(terms), Terms(terms.included, ())
        found = dict.fromkeys(
            line.photo
            for line in self._lines
            if not text or query in line.queries or included.fit(line.texts)
        )
        return [
            photo
            for photo in found
            if fits(photo) and not terms.exclude(photo.texts) and not photo.is_removed
        ]

    def _add(self, row: PhotoRecord, picture: Picture) -> None:
        known = self._taxonomy.get(row.wnid)
        photo = Photo(row, picture, (known.taxon if known else None) or "")
        photo = self._photos.setdefault(photo.id, photo)
        texts = row.words, words(photo.title)
        photo.texts.extend(texts)
        self._lines.append(_Line(photo, texts, self._planned_queries(row.wnid)))

    def _planned(self, wnid: str) -> frozenset[tuple[str, ...]]:
        """The words of genset's queries for a class; nothing for names that are no class's."""
        known = self._taxonomy.get(wnid)
        queries = known.queries if known else ()
        return frozenset(_sorted_words(parse(query.text)) for query in queries)


class _Files:
    """The folder's image files by class, and which of them a record shows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = (path for path in folder.glob("[!.]*/[!.]*") if path.suffix.lower() in SUFFIXES)
        self.paths = sorted(path for path in found if path.is_file())
        if not self.paths:
            raise BadInput(f"{folder} has no photos: put them there as <wnid>/<name>.jpg or .png")
        self.classes: dict[str, list[Path]] = {}
        for path in self.paths:
            self.classes.setdefault(path.parent.name, []).append(path)
        self._known = set(self.paths)
        self._counts: Counter[str] = Counter()
        self._look = cache(Picture.look)

    def picture_for(self, row: PhotoRecord, where: str) -> Picture:
        """The file a record names, else the next one of its class, or of all without a class."""
        if row.file is not None:
            if self.folder / row.file in self._known:
                return self._look(self.folder / row.file)
            raise BadInput(
                f'{where}: file "{row.file}" is not a photo of {self.folder}: name one there'
            )
        paths = self.classes.get(row.wnid, self.paths)
        path = paths[self._counts[row.wnid] % len(paths)]
        self._counts[row.wnid] += 1
        return self._look(path)


def _read(records: Path) -> Iterator[tuple[str, PhotoRecord]]:
    """The records of a file, and where they stand in it."""
    lines = read_text(records, _LARGEST_RECORDS).split("\n")
    for count, line in enumerate(lines, start=1):
        where = f"{records}:{count}"
        if line.strip():
            yield where, parse_json(line.encode(), PhotoRecord, where)


def _made_up(files: _Files, taxonomy: Taxonomy) -> Iterator[tuple[str, PhotoRecord]]:
    """A record for each file, the same on every machine: all that varies is its path's hash."""
    for path in files.paths:
        wnid, name = path.parent.name, f"{path.parent.name}/{path.name}"
        known = taxonomy.get(wnid)
        posted = _FIRST_POST + timedelta(seconds=number(f"posted {name}") % _POSTING_SECONDS)
        row = PhotoRecord(
            # An id of Flickr's since 2014.
            id_search_engine=str(15_000_000_000 + number(name) % 35_000_000_000),
            wnid=wnid,
            search_key=known.name if known else wnid.replace("_", " "),
            date_upload_search_engine=posted,
            date_taken=posted - timedelta(days=1),
            file=name,
        )
        yield name, row


def _sorted_words(terms: Terms) -> tuple[str, ...]:
    """What a search is for, whichever way its words are quoted and ordered."""
    return tuple(sorted(word for phrase in terms.included for word in phrase))
