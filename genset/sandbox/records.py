"""Which photos the sandbox has, and by which words a search finds them.

A records file is JSON lines, one line for each photo that a search for a class returned, as
ImageNetV2's search logs have them:

    {"id_search_engine": "7605486142", "wnid": "n01440764", "search_key": "tench",
     "date_upload_search_engine": "2012-07-19 13:25:02",              (UTC)
     "date_taken": "2012-07-18 13:07:32", "url_type": "url_o",        (may be null or missing)
     "file": "n01440764/1.jpg", "owner": "78733179@N04", "owner_name": "ann", "title": "A tench",
     "tags": "fish tench", "license": 4, "content_type": 0}           (ours; each may be missing)

These are what one source alone knows, and each may be missing:

    {"commons_license": "cc-by-sa-3.0-de", "first_upload": "2012-01-02 03:04:05",
     "depicts": ["Q188845"], "extmetadata": {"Artist": "<b>Ann</b>", "UsageTerms": null},
     "taxon": "Tinca tinca", "observation": "123456", "observation_license": "cc-by-nc",
     "quality_grade": "needs_id", "captive": true,
     "photo_url": "https://live.staticflickr.com/1/2_3_s.jpg"}

On Commons a photo has the licence `commons_license`, or what fits Flickr's number; an earlier
version, of `first_upload`; and its page says what `extmetadata` has, but not what is null there. On
iNaturalist it shows the `taxon`, by default its class's; photos of one `observation` stand
together, which has the licence, grade and state that its first photo's record says.

`content_type` is 0 for a photo, 1 for a screenshot, 2 for something else. Other keys are allowed
and not read. One photo may stand in several lines, as one that searches for two classes both
returned: the first line describes it, the others add words that find it. What any of its lines says
is what a search with a minus sign looks at.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.core.query import Phrase, Terms, parse, words
from genset.sandbox.photos import (
    SUFFIXES,
    Listing,
    Photo,
    Picture,
    Row,
    id_of,
    mysql,
    normal,
    number,
    photo_of,
    text_of,
)

_FIRST_POST = datetime(2014, 2, 1, tzinfo=UTC)
_POSTING_SECONDS = 5 * 365 * 86_400


class Collection:
    """The photos of a folder under the records of a file, or under records made up for them.

    `taxonomy` has the classes (ImageNet's where it is not given). A folder that is named by none is
    found by the words of its name. A search lists the photos whose ids `gone` tells of, but
    they are not to be found any more.
    """

    def __init__(
        self,
        photos: Path,
        records: Path | None = None,
        gone: Callable[[str], bool] | None = None,
        taxonomy: Taxonomy | None = None,
    ) -> None:
        self.photos: dict[str, Photo] = {}
        self.listings: list[Listing] = []
        self._said: dict[str, list[Phrase]] = {}  # by photo id, in all of its lines
        self._taxonomy = imagenet1k() if taxonomy is None else taxonomy
        self._gone = gone or (lambda photo_id: False)
        shelf = _Shelf(photos)
        for where, row in _read(records) if records else _make_up(shelf, self._taxonomy):
            try:
                self._add(row, shelf)
            except ValueError as error:
                raise BadInput(f"{where}: {error}") from None
        if not self.listings:
            raise BadInput(f"{records} has no records: write one JSON object on each line")

    def find(self, photo_id: str) -> Photo | None:
        """The photo with this id, unless there is none or it was removed."""
        photo = self.photos.get(photo_id)
        return None if photo is None or photo.removed or self._gone(photo_id) else photo

    def find_all(self, text: str) -> Iterator[Photo]:
        """The photos that a search for `text` returns, a photo once for each line that finds it.

        All photos where nothing is searched for.
        """
        terms = parse(text)
        return self.select(lambda listing: not text or listing.found_by(text, terms), terms)

    def select(self, is_found: Callable[[Listing], bool], terms: Terms) -> Iterator[Photo]:
        """The photos of the lines that are found, without those that say what is not `terms`."""
        for listing in self.listings:
            if is_found(listing) and not terms.exclude(self._said[listing.photo.id]):
                yield listing.photo

    def _add(self, row: Row, shelf: "_Shelf") -> None:
        wnid, search_key = text_of(row, "wnid"), text_of(row, "search_key")
        photo = photo_of(row, shelf.picture_for(row), self._taxonomy)
        photo = self.photos.setdefault(photo.id, photo)
        # Each tag is a text of its own: a phrase does not go from one to the next.
        texts = words(search_key), words(photo.title), *map(words, photo.tags.split())
        self._said.setdefault(photo.id, []).extend(texts)
        self.listings.append(Listing(photo, texts, planned_queries(wnid, self._taxonomy)))


class _Shelf:
    """The folder's image files by class, and which of them each record shows."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadInput(f"{folder} is not a folder: name one that holds <wnid>/<name>.jpg")
        self.folder = folder
        found = [path for path in folder.glob("[!.]*/[!.]*") if path.suffix.lower() in SUFFIXES]
        self.paths = sorted(
            (path for path in found if path.is_file()),
            key=lambda path: (path.parent.name, natural(path.name)),
        )
        self.classes: dict[str, list[Path]] = {}
        for path in self.paths:
            self.classes.setdefault(path.parent.name, []).append(path)
        if not self.paths:
            raise BadInput(f"{folder} has no photos: put them there as <wnid>/<name>.jpg or .png")
        self._seen: Counter[str] = Counter()
        self._look = cache(Picture.look)

    def picture_for(self, row: Row) -> Picture:
        """The file a record names, else the class's next one, else one of another class."""
        wnid = text_of(row, "wnid")
        turn = self._seen[wnid]
        self._seen[wnid] += 1
        if row.get("file") is not None:
            return self._look(self._named(text_of(row, "file")))
        of_class = self.classes.get(wnid, [])
        if turn < len(of_class):
            return self._look(of_class[turn])
        start = number(id_of(row)) % len(self.paths)
        onwards = (self.paths[(start + step) % len(self.paths)] for step in range(len(self.paths)))
        other = next((path for path in onwards if path.parent.name != wnid), self.paths[start])
        return self._look(other)

    def _named(self, name: str) -> Path:
        path = Path(name)
        if path.is_absolute() or path.drive or ".." in path.parts:
            raise ValueError(f'file "{name}" leads out of the photos folder: name one inside it')
        if path.suffix.lower() not in SUFFIXES:
            raise ValueError(f'file "{name}" is no .jpg, .png or .gif: name an image')
        if not (self.folder / path).is_file():
            raise ValueError(f'file "{name}" is not in {self.folder}: put it there or drop "file"')
        return self.folder / path


def _read(records: Path) -> Iterator[tuple[str, Row]]:
    """Each record of a file and where it stands there."""
    try:
        lines = records.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read records from {records}: {error}") from None
    for count, line in enumerate(lines, start=1):
        where = f"{records}:{count}"
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{where}: not JSON ({error}): write one object on each line") from None
        if not isinstance(row, dict):
            raise BadInput(f"{where}: not a JSON object: write one on each line")
        yield where, row


def _make_up(shelf: _Shelf, taxonomy: Taxonomy) -> Iterator[tuple[str, Row]]:
    """A record for each file, the same on every machine: all that varies is its path's hash."""
    taken: set[int] = set()
    for wnid, paths in shelf.classes.items():
        known = taxonomy.get(wnid)
        search_key = known.name if known else " ".join(re.split(r"[\s_-]+", wnid)).strip() or wnid
        for path in paths:
            name = f"{wnid}/{path.name}"
            photo_id = 10_000_000_000 + number(name) % 40_000_000_000
            while photo_id in taken:
                photo_id += 1
            taken.add(photo_id)
            posted = _FIRST_POST + timedelta(seconds=number(f"posted {name}") % _POSTING_SECONDS)
            yield (
                str(path),
                {
                    "id_search_engine": str(photo_id),
                    "wnid": wnid,
                    "search_key": search_key,
                    "date_upload_search_engine": mysql(posted),
                    "date_taken": mysql(posted - timedelta(days=1)),
                    "file": name,
                },
            )


@cache
def planned_queries(wnid: str, taxonomy: Taxonomy) -> frozenset[str]:
    """What genset searches for when it looks for a class; nothing for names that are no class's."""
    known = taxonomy.get(wnid)
    return frozenset(normal(query.text) for query in known.queries) if known else frozenset()


def natural(name: str) -> list[int | str]:
    """A sort key that puts `2.jpg` before `10.jpg`."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]
