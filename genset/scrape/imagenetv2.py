"""Take in the pool and the selections of the ImageNetV2 project, from its own files.

Read are, in a checkout of github.com/modestyachts/ImageNetV2 or in its ``data/``::

    search_results/*.json               lists of records, one for each photo that a search found
    datasets/imagenetv2-b-33.json       a selection: [id_ours, wnid] of each photo chosen
    metadata/candidate_blacklist.json   ids that they took out, with the reason

They hold no votes: which photos a labeler was shown is there, but not what they said. Nor do they
say whose a photo is, or under which licence, so the strictest is stored; nor has any photo a hash.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import field
from msgspec.structs import asdict
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from genset.classes import imagenet1k
from genset.core.errors import BadInput
from genset.core.photo import PhotoOrigin
from genset.core.validation import Invalid, Meta, Record, read_json
from genset.db import Candidate, Photo, Ruling, Store, Verdict, add_candidates, in_batches
from genset.licenses import FLICKR
from genset.sources.flickr_api import uploaded
from genset.workspace import Workspace

_SOURCE = "flickr"  # the one search engine that they asked
_LARGEST = 2**30  # bytes of a file
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
        removed = root / "metadata" / "candidate_blacklist.json"
        out = read_json(removed, dict[str, Any], _LARGEST) if removed.is_file() else {}
        keys = [key for key in found if key[0] not in out]
    else:
        keys = _selection(root / "datasets" / f"{dataset}.json", found)
    # They gave some photos of two classes a second id.
    candidates = {found[key][1].task: found[key] for key in keys}.values()
    origins = {result.id_search_engine: result.origin for _, result in candidates}
    with store.begin_alone() as session:
        known = set(session.scalars(select(Photo.source_id).where(Photo.source == _SOURCE)))
        rows = [asdict(origin) for source_id, origin in origins.items() if source_id not in known]
        if rows:
            session.execute(insert(Photo), rows)
        added = _add_candidates(session, candidates)
        selected = 0 if dataset is None else _add_rulings(session, candidates, dataset)
    return ImportSummary(
        photos=len(rows),
        candidates=added,
        already=len(candidates) - added,
        selected=selected,
        excluded=len(found) - len(keys) if dataset is None else 0,
        early=sum(
            origins[result.id_search_engine].posted_at < workspace.posted_after
            for _, result in candidates
        ),
    )


class _SearchResult(Record, frozen=True, forbid_unknown_fields=False):
    """A photo that one of their searches found."""

    number: str = field(name="id_ours")
    id_search_engine: Annotated[str, Meta(pattern="^[0-9]{1,32}$", title="a photo's number")]
    search_engine: Literal["flickr"]
    wnid: str
    search_key: str
    url: str
    # The time of day where the search ran, in no known zone.
    date_upload_search_engine: datetime
    date_taken: str | None = None

    def __post_init__(self) -> None:
        if self.wnid not in imagenet1k():
            raise ValueError(f"wnid is no class of ImageNet: {self.wnid[:99]!r}")

    @property
    def task(self) -> tuple[str, str]:
        """The class, and the photo's id at Flickr."""
        return self.wnid, self.id_search_engine

    @property
    def origin(self) -> PhotoOrigin:
        """What is known of the photo."""
        return PhotoOrigin(
            source=_SOURCE,
            source_id=self.id_search_engine,
            license=_STRICTEST.name,
            license_url=_STRICTEST.url,
            # Flickr's address of a photo whose owner one does not know.
            page_url=f"https://www.flickr.com/photo.gne?id={self.id_search_engine}",
            image_url=self.url,
            posted_at=uploaded(
                self.id_search_engine, self.date_upload_search_engine.replace(tzinfo=UTC)
            ),
            taken_at=self.date_taken,
        )


class _Dataset(Record, frozen=True, forbid_unknown_fields=False):
    """A selection: the id and the wnid of each photo."""

    image_filenames: list[tuple[str, str]]


# The place of a search's result among those of its class and query in its file, and the result: by
# their own id of the photo, and by class.
_Candidate = tuple[int, _SearchResult]
_Pool = dict[tuple[str, str], _Candidate]


def _search_results(folder: Path) -> _Pool:
    """Every candidate once: where several searches found it, the one of its best rank."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise BadInput(f"{folder} holds no search results: name a checkout of ImageNetV2")
    pool: _Pool = {}
    for path in files:
        places: Counter[tuple[str, str]] = Counter()
        for result in read_json(path, list[_SearchResult], _LARGEST):
            places[result.wnid, result.search_key] += 1
            rank = places[result.wnid, result.search_key]
            key = result.number, result.wnid
            if key not in pool or rank < pool[key][0]:
                pool[key] = rank, result
    return pool


def _selection(path: Path, pool: _Pool) -> list[tuple[str, str]]:
    """The keys of the photos that a dataset chose, in its order."""
    chosen = read_json(path, _Dataset, _LARGEST).image_filenames
    for place, (number, wnid) in enumerate(chosen):
        if (number, wnid) not in pool:
            words = f": no search result is {number!r:.99} of {wnid!r:.99}"
            raise Invalid(str(path), ("image_filenames", place), words)
    return chosen


def _add_candidates(session: Session, candidates: Collection[_Candidate]) -> int:
    ids = session.execute(select(Photo.source_id, Photo.id).where(Photo.source == _SOURCE))
    photos = {row.source_id: row.id for row in ids}
    known = _candidate_ids(session)
    rows = [
        {
            "wnid": result.wnid,
            "photo_id": photos[result.id_search_engine],
            "keyword": result.search_key,
            "rank": rank,
        }
        for rank, result in candidates
        if result.task not in known
    ]
    for some in in_batches(rows, 10_000):
        add_candidates(session, some)
    return len(rows)


def _add_rulings(session: Session, candidates: Collection[_Candidate], dataset: str) -> int:
    """Rule correct what was chosen, but not a second time: somebody may have ruled otherwise."""
    ids = _candidate_ids(session)
    known = set(session.scalars(select(Ruling.candidate_id).where(Ruling.by == dataset)))
    reason = "chosen by the authors of ImageNetV2"
    rows = [
        {"candidate_id": id, "verdict": Verdict.CORRECT, "by": dataset, "reason": reason}
        for id in sorted({ids[result.task] for _, result in candidates} - known)
    ]
    if rows:
        session.execute(insert(Ruling), rows)
    return len(rows)


def _candidate_ids(session: Session) -> dict[tuple[str, str], int]:
    """`Candidate.id` by class and by the photo's id at the source."""
    rows = session.execute(
        select(Candidate.wnid, Photo.source_id, Candidate.id)
        .join(Photo, Photo.id == Candidate.photo_id)
        .where(Photo.source == _SOURCE)
    )
    return {(wnid, source_id): id for wnid, source_id, id in rows}
