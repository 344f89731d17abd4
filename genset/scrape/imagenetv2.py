"""Take in the pool and the selections of the ImageNetV2 project, from its own files.

Read are, in a checkout of github.com/modestyachts/ImageNetV2 or in its ``data/``::

    search_results/*.json               lists of records, one for each photo that a search found
    datasets/imagenetv2-b-33.json       a selection: [id_ours, wnid] of each photo chosen
    metadata/candidate_blacklist.json   ids that they took out, with the reason

They hold no votes: which photos a labeler was shown is there, but not what they said. Nor do they
say whose a photo is, or under which licence, so the strictest is stored; nor has any photo a hash.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import asdict
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from genset.classes import imagenet1k
from genset.core.errors import BadInput
from genset.core.photo import PhotoOrigin
from genset.core.safe import web_link
from genset.db import Base, Candidate, Photo, Ruling, Store, Verdict, add_candidates, in_batches
from genset.licenses import FLICKR
from genset.workspace import Workspace

_SOURCE = "flickr"  # the one search engine that they asked
_AT_ONCE = 10_000  # rows
_STRICTEST = FLICKR[0]


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import brought.

    Attributes:
        photos: photos that this workspace did not know.
        candidates: candidates that it did not have.
        already: candidates that it had.
        selected: candidates of the selection that were ruled correct by this import.
        excluded: candidates that they took out of their pool.
        early: candidates posted before this workspace's `posted_after`, which a scrape passes over
            unless it is told another day.
    """

    photos: int
    candidates: int
    already: int
    selected: int
    excluded: int
    early: int


def take_in(
    workspace: Workspace, store: Store, folder: Path, dataset: str | None = None
) -> ImportSummary:
    """Make the photos that their searches found candidates: all or none of them.

    With `dataset`, only those of that selection, each with a ruling that it is correct, by the
    dataset's name. What is there already stays as it is.

    Raises:
        BadInput: a file is missing or is not as that project writes it; nothing is stored then.
    """
    if not store.taxonomy.is_imagenet:
        raise BadInput(
            f"ImageNetV2's photos are of ImageNet's classes, and this workspace is on "
            f"{store.taxonomy.name}: import them into a workspace without --taxonomy"
        )
    root = folder / "data" if (folder / "data" / "search_results").is_dir() else folder
    found = _search_results(root / "search_results")
    if dataset is None:
        out = _blacklist(root / "metadata" / "candidate_blacklist.json")
        keys = [key for key in found if key[0] not in out]
    else:
        keys = _selection(root / "datasets" / f"{dataset}.json", found)
    # They gave some photos of two classes a second id.
    records = {found[key].task: found[key] for key in keys}.values()
    with store.begin_alone() as session:
        photos = _add_photos(session, records)
        candidates = _add_candidates(session, records)
        selected = 0 if dataset is None else _add_rulings(session, records, dataset)
    return ImportSummary(
        photos=photos,
        candidates=candidates,
        already=len(records) - candidates,
        selected=selected,
        excluded=len(found) - len(keys) if dataset is None else 0,
        early=sum(record.origin.posted_at < workspace.posted_after for record in records),
    )


class _SearchRecord(NamedTuple):
    """A record. `rank` is its place among those of its class and keyword in its file, from 1."""

    origin: PhotoOrigin
    wnid: str
    keyword: str
    rank: int

    @property
    def task(self) -> tuple[str, str]:
        return self.wnid, self.origin.source_id


# By their own id of the photo, and by class.
_Pool = dict[tuple[str, str], _SearchRecord]


def _search_results(folder: Path) -> _Pool:
    """Every candidate once: where several searches found it, the record of its best rank."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise BadInput(f"{folder} holds no search results: name a checkout of ImageNetV2")
    pool: _Pool = {}
    for path in files:
        places: Counter[tuple[str, str]] = Counter()
        for entry, record in _entries(path, _json(path)):
            try:
                their_id, candidate = _record(record, places)
            except (KeyError, ValueError, BadInput) as error:
                reason = f"{error} is missing" if isinstance(error, KeyError) else error
                raise BadInput(f"{path}, entry {entry}: {reason}") from None
            key = (their_id, candidate.wnid)
            if key not in pool or candidate.rank < pool[key].rank:
                pool[key] = candidate
    return pool


def _record(
    record: Mapping[str, Any], places: Counter[tuple[str, str]]
) -> tuple[str, _SearchRecord]:
    their_id, photo, wnid, keyword, url, posted = (
        _text(record, name)
        for name in (
            "id_ours",
            "id_search_engine",
            "wnid",
            "search_key",
            "url",
            "date_upload_search_engine",
        )
    )
    if (engine := record["search_engine"]) != _SOURCE:
        raise ValueError(f"search_engine is not {_SOURCE}: {engine!r}")
    if not (photo.isascii() and photo.isdecimal() and len(photo) <= 32):
        raise ValueError(f"id_search_engine is not a photo's number: {photo[:99]!r}")
    if web_link(url) is None:
        raise ValueError(f"url is not a web address: {url[:99]!r}")
    taken = _text(record, "date_taken")[:32] if record.get("date_taken") else None
    imagenet1k()[wnid]  # raises BadInput where there is no such class
    places[wnid, keyword] += 1
    rank = places[wnid, keyword]
    # The time of day where the search ran, in no known zone.
    posted_at = datetime.strptime(posted, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    origin = PhotoOrigin(
        source=_SOURCE,
        source_id=photo,
        license=_STRICTEST.name,
        license_url=_STRICTEST.url,
        # Flickr's address of a photo whose owner one does not know.
        page_url=f"https://www.flickr.com/photo.gne?id={photo}",
        image_url=url,
        posted_at=posted_at,
        taken_at=taken,
    )
    return their_id, _SearchRecord(origin, wnid, keyword, rank)


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record[name]
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ValueError(f"{name} is not text: {value!r:.99}")
    return value


def _selection(path: Path, pool: _Pool) -> list[tuple[str, str]]:
    """The keys of the photos that a dataset chose, in its order."""
    dataset = _json(path)
    if not isinstance(dataset, dict) or not isinstance(dataset.get("image_filenames"), list):
        raise BadInput(f"{path} is not an ImageNetV2 dataset: it has no list image_filenames")
    chosen = []
    for entry, pair in enumerate(dataset["image_filenames"], start=1):
        if not (isinstance(pair, list) and len(pair) == 2 and all(type(p) is str for p in pair)):
            raise BadInput(f"{path}, entry {entry}: not a pair of id and wnid: {pair!r:.99}")
        their_id, wnid = pair
        if (their_id, wnid) not in pool:
            raise BadInput(
                f"{path}, entry {entry}: no search result is {their_id!r:.99} of {wnid!r}"
            )
        chosen.append((their_id, wnid))
    return chosen


def _blacklist(path: Path) -> Mapping[str, Any]:
    """What they took out, by their id; nothing where there is no such file."""
    if not path.is_file():
        return {}
    out = _json(path)
    if not isinstance(out, dict):
        raise BadInput(f"{path} must be a JSON object of removed photos")
    return out


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path} is missing") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}") from None


def _entries(path: Path, records: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The records of a file of search results, numbered from 1."""
    if not isinstance(records, list):
        raise BadInput(f"{path} must be a list of search records")
    for entry, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise BadInput(f"{path}, entry {entry}: not a record: {record!r:.99}")
        yield entry, record


def _add_photos(session: Session, records: Collection[_SearchRecord]) -> int:
    known = set(session.scalars(select(Photo.source_id).where(Photo.source == _SOURCE)))
    new = {record.origin.source_id: record.origin for record in records}
    rows = [asdict(origin) for source_id, origin in new.items() if source_id not in known]
    _insert(session, Photo, rows)
    return len(rows)


def _add_candidates(session: Session, records: Collection[_SearchRecord]) -> int:
    ids = session.execute(select(Photo.source_id, Photo.id).where(Photo.source == _SOURCE))
    photos = {row.source_id: row.id for row in ids}
    known = _candidates(session)
    new = {record.task: record for record in records if record.task not in known}
    rows = (
        {
            "wnid": record.wnid,
            "photo_id": photos[record.origin.source_id],
            "keyword": record.keyword,
            "rank": record.rank,
        }
        for record in new.values()
    )
    for some in in_batches(rows, _AT_ONCE):
        add_candidates(session, some)
    return len(new)


def _add_rulings(session: Session, records: Collection[_SearchRecord], dataset: str) -> int:
    """Rule correct what was chosen, but not a second time: somebody may have ruled otherwise."""
    candidates = _candidates(session)
    known = set(session.scalars(select(Ruling.candidate_id).where(Ruling.by == dataset)))
    new = {candidates[record.task] for record in records} - known
    rows = (
        {
            "candidate_id": candidate_id,
            "verdict": Verdict.CORRECT,
            "by": dataset,
            "reason": "chosen by the authors of ImageNetV2",
        }
        for candidate_id in sorted(new)
    )
    _insert(session, Ruling, rows)
    return len(new)


def _insert(session: Session, table: type[Base], rows: Iterable[dict[str, Any]]) -> None:
    for some in in_batches(rows, _AT_ONCE):
        session.execute(insert(table), some)


def _candidates(session: Session) -> dict[tuple[str, str], int]:
    """`Candidate.id` by class and by the photo's id at the source."""
    rows = session.execute(
        select(Candidate.wnid, Photo.source_id, Candidate.id)
        .join(Photo, Photo.id == Candidate.photo_id)
        .where(Photo.source == _SOURCE)
    )
    return {(row.wnid, row.source_id): row.id for row in rows}
