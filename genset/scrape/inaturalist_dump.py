"""Take in photos from iNaturalist's open data, four tables that it makes anew each month.

Read are, of https://github.com/inaturalist/inaturalist-open-data, in one folder, as they are or
unpacked (columns that are not read are left out here)::

    taxa.csv.gz          taxon_id  ancestry        name                active
                         52005     48460/1/.../49  Tinca tinca         true
    observations.csv.gz  observation_uuid  observer_id  taxon_id  quality_grade  observed_on
                         c075c500-...      487589       52005     research       2020-08-27
    photos.csv.gz        photo_id  observation_uuid  extension  license   position
                         92152429  c075c500-...      jpeg       CC-BY-NC  0
    observers.csv.gz     observer_id  login    name
                         487589       samroom  Sam Room

Values are separated by tabs and never quoted. The tables have hundreds of millions of rows in no
known order: they are read from end to end, and what is held of them is what is drawn.

They do not say when a photo was uploaded. It was not before the day on which the observation was
made, so that day counts as both: the day it was taken, and the first on which it can have been
posted.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from heapq import heappush, heappushpop
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pyarrow as pa
from msgspec import structs
from pyarrow import ArrowInvalid, compute, csv

from genset.core.errors import BadInput
from genset.core.numbers import count as counted
from genset.core.photo import PhotoOrigin
from genset.core.progress import say
from genset.db import Store, now
from genset.licenses import License
from genset.net.api import endpoint_in
from genset.scrape.plan import ScrapePlan
from genset.scrape.search import Step, first_question, keep_page
from genset.sources.inaturalist import INaturalist
from genset.sources.inaturalist_api import LICENSES, NAME, day_of
from genset.sources.replies import stored
from genset.sources.source import SearchPage, keep_words

_PICTURES = "https://inaturalist-open-data.s3.amazonaws.com"
_BLOCK = 2**20  # bytes that are read at a time, more than any row has

_PHOTO = re.compile(r"[1-9][0-9]{0,15} [a-zA-Z]{1,5} [0-9]{1,9}")


@dataclass(slots=True)
class ImportSummary:
    """What an import brought.

    Attributes:
        drawn: photos that are candidates now; those of an earlier draw were before.
        short: by wnid why a class has fewer than were to be drawn.
        unread: rows that do not have all columns, by table.
    """

    drawn: int
    short: dict[str, str]
    unread: dict[str, int]


def take_in(
    store: Store, plan: ScrapePlan, folder: Path, count: int, seed: int = 0
) -> ImportSummary:
    """Draw photos of each class, every observation with the same chance, and make them candidates.

    An observation counts where it is of research grade, was made in the plan's window and has a
    photo under a wanted licence: the first such stands for it. The same seed draws the same
    observations; of a later dump, those of them that are still in its draw.

    Args:
        store: the workspace's; all is stored or nothing.
        plan: the classes, the window and the licences.
        folder: holds the tables.
        count: photos to draw of each class.
        seed: of the draw.

    Raises:
        BadInput: a table is missing, is damaged or lacks a column.
    """
    tables = _Tables(folder)
    taxa, short = _taxa(tables, plan)
    draw = _Draw(tables, taxa, plan, seed)
    photos = draw.photos(count)
    owners = {photo.owner for some in photos.values() for photo in some}
    rows = tables.rows("observers", ("observer_id", "login", "name"), owners)
    names = {id: stored(name or login).strip() for id, login, name in rows}
    with store.begin_alone() as session:
        keep_words(session, INaturalist.about)
        for cls in plan.classes:
            if cls.wnid in short:
                continue
            found = tuple(
                structs.replace(photo, title=cls.taxon, owner_name=names.get(photo.owner, ""))
                for photo in photos[cls.wnid]
            )
            if len(found) < count:
                short[cls.wnid] = f"only {counted(len(found), 'photo')} found"
            last = max((photo.taken_at or "" for photo in found), default="no day")
            bookmark = f"open data, drawn until {last} with seed {seed}"
            page = SearchPage(found, draw.matching[cls.wnid], True, False, bookmark)
            first = first_question(cls.taxon, plan, cls.content_types)
            step = Step(replace(first, posted_before=now(), per_page=count), depth=1)
            keep_page(session, plan, cls, step, page)
    return ImportSummary(sum(map(len, photos.values())), short, dict(+tables.unread))


def _taxa(tables: "_Tables", plan: ScrapePlan) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The classes that taxa belong to, by the taxa's ids; and why none belongs to a class."""
    places: dict[str, dict[str, list[str]]] = {cls.taxon: {} for cls in plan.classes}
    columns = "name", "taxon_id", "ancestry", "active"
    for name, id, ancestry, active in tables.rows("taxa", columns, places):
        if active == "true":
            places[name][id] = _path(ancestry, id)
    wnids: dict[str, list[str]] = {}
    unnamed: dict[str, str] = {}
    for cls in plan.classes:
        paths = places[cls.taxon]
        # A genus and the subgenus in it may have one name.
        tops = [id for id in paths if all(id in path for path in paths.values())]
        if tops:
            wnids.setdefault(tops[0], []).append(cls.wnid)
        else:
            which = "several taxa are" if paths else "no taxon is"
            unnamed[cls.wnid] = f"{which} called {cls.taxon}"
    taxa = {
        id: of
        for id, ancestry in tables.rows("taxa", ("taxon_id", "ancestry"))
        if (of := [wnid for above in _path(ancestry, id) for wnid in wnids.get(above, ())])
    }
    return taxa, unnamed


def _path(ancestry: str, id: str) -> list[str]:
    """The taxa from the root to this one."""
    return [*ancestry.replace("\\", "/").split("/"), id]  # documented with the one, and written so


class _Observation(NamedTuple):
    """An observation. The least keys are drawn; they are negative, since heaps give the least."""

    key: int
    uuid: str
    observer: str
    day: str


@dataclass(slots=True)
class _Draw:
    """A draw of photos of each class.

    Attributes:
        taxa: the classes that a taxon belongs to, by its id.
        matching: observations of each class that the plan wants, by wnid.
    """

    tables: "_Tables"
    taxa: Mapping[str, list[str]]
    plan: ScrapePlan
    seed: int
    matching: Counter[str] = field(default_factory=Counter)

    def photos(self, count: int) -> dict[str, list[PhotoOrigin]]:
        """So many photos of each class, where there are as many, in the order of the draw."""
        photos: dict[str, list[PhotoOrigin]] = {cls.wnid: [] for cls in self.plan.classes}
        remaining = {wnid for wnids in self.taxa.values() for wnid in wnids}
        size = count
        while remaining:
            sample = self._sample(remaining, size)
            pictures = self._pictures({one.uuid for some in sample.values() for one in some})
            for wnid, some in sample.items():
                found = [_origin(o, *pictures[o.uuid]) for o in some if o.uuid in pictures]
                photos[wnid] = found[:count]
                if len(photos[wnid]) == count or self.matching[wnid] == len(some):
                    remaining.remove(wnid)
            size *= 4  # as too few have a photo under a wanted licence
        return photos

    def _sample(self, wnids: Collection[str], size: int) -> dict[str, list[_Observation]]:
        """So many observations of each of these classes, drawn by a hash of their ids."""
        heaps: dict[str, list[_Observation]] = {wnid: [] for wnid in wnids}
        self.matching.subtract({wnid: self.matching[wnid] for wnid in wnids})
        since, today = self.plan.posted_after.date().isoformat(), now().date().isoformat()
        columns = "taxon_id", "observation_uuid", "observer_id", "quality_grade", "observed_on"
        rows = self.tables.rows("observations", columns, self.taxa)
        for id, uuid, observer, grade, day in rows:
            if grade != "research" or not day_of(day) or not since <= day <= today:
                continue
            digest = blake2b(f"{self.seed} {uuid}".encode(), digest_size=8).digest()
            one = _Observation(-int.from_bytes(digest), uuid, observer, day)
            for wnid in heaps.keys() & self.taxa[id]:
                self.matching[wnid] += 1
                (heappush if len(heaps[wnid]) < size else heappushpop)(heaps[wnid], one)
        return {wnid: sorted(heap, reverse=True) for wnid, heap in heaps.items()}

    def _pictures(self, uuids: Collection[str]) -> dict[str, tuple[str, License]]:
        """The address and the licence of the first photo of each that is under a wanted one."""
        choice = self.plan.licenses
        first: dict[str, tuple[int, str, License]] = {}
        columns = "observation_uuid", "photo_id", "extension", "license", "position"
        for uuid, id, extension, code, place in self.tables.rows("photos", columns, uuids):
            license = LICENSES.get(code.lower())
            if license is None or not _PHOTO.fullmatch(f"{id} {extension} {place}"):
                continue
            fits = choice is None or choice.wants(license)
            if fits and (uuid not in first or int(place) < first[uuid][0]):
                first[uuid] = int(place), f"photos/{id}/large.{extension}", license
        return {uuid: (path, license) for uuid, (_, path, license) in first.items()}


def _origin(observation: _Observation, path: str, license: License) -> PhotoOrigin:
    """What the tables say of a photo."""
    sandbox = urlsplit(endpoint_in("GENSET_INATURALIST_ENDPOINT") or "")
    host = f"{sandbox.scheme}://{sandbox.netloc}" if sandbox.netloc else _PICTURES
    return PhotoOrigin(
        source=NAME,
        source_id=f"{observation.uuid}-{path.split('/')[1]}",
        owner=observation.observer,
        license=license.name,
        license_url=license.url,
        page_url=f"https://www.inaturalist.org/observations/{observation.uuid}",
        image_url=f"{host}/{path}",
        posted_at=datetime.fromisoformat(observation.day).replace(tzinfo=UTC),
        taken_at=observation.day,
    )


@dataclass(slots=True)
class _Tables:
    """The tables in a folder.

    Attributes:
        unread: rows that do not have all columns, by table.
    """

    folder: Path
    unread: Counter[str] = field(default_factory=Counter)

    def rows(
        self, table: str, columns: Sequence[str], values: Collection[str] | None = None
    ) -> Iterator[list[str]]:
        """These columns of each row, of those whose first column is one of these values."""
        path = self.folder / f"{table}.csv.gz"
        path = path if path.is_file() else path.with_suffix("")
        self.unread[table] = 0  # tables are read several times
        say(f"reading {path.name}")
        found = None if values is None else pa.array([value.encode() for value in values])

        def skip(row: csv.InvalidRow) -> str:
            self.unread[table] += 1
            return "skip"

        types = dict.fromkeys(columns, pa.binary())
        try:
            for batch in csv.open_csv(
                path,
                csv.ReadOptions(block_size=_BLOCK),
                csv.ParseOptions(delimiter="\t", quote_char=False, invalid_row_handler=skip),
                csv.ConvertOptions(include_columns=columns, column_types=types),
            ):
                if found is not None:
                    batch = batch.filter(compute.is_in(batch[0], value_set=found))
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    yield [value.decode(errors="replace") for value in row]
        except FileNotFoundError:
            raise BadInput(f"{path}.gz is missing: see docs/sources.md") from None
        except (KeyError, ArrowInvalid, OSError) as error:
            raise BadInput(f"{path} is damaged, download it again: {error}") from None
