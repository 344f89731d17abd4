"""Which photos the sandbox has, and by which words a search finds them.

A records file is JSON lines, one line for each photo that a search for a class returned; for its
keys see `photos.py`. One photo may stand in several lines, as one that searches for two classes
both returned: the first line describes it, the others add words that find it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from genset.classes import Taxonomy, imagenet1k
from genset.classes.query import Phrase, Terms, parse, words
from genset.core.errors import BadInput
from genset.core.validation import parse_json, read_text
from genset.sandbox.photos import SUFFIXES, Photo, PhotoRecord, Picture, number

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
