"""Ask after the photos of the pool: are they still up, under the same licence, the same picture?

A call asks after as many photos as its source takes, at the pace that all scrapers share. What came
of them is stored call by call, and when a refresh began that did not come to its end, so the next
one goes on where it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy import ColumnElement, Row, delete, func, select
from sqlalchemy.orm import Session

from genset.core.errors import (
    GensetError,
    PhotoRejected,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from genset.core.progress import progress
from genset.db import Fact, Photo, PhotoEvent, Store, gone_photos, in_batches, now
from genset.licenses import License, same_license
from genset.net.originals import Fetcher
from genset.net.picture import compare
from genset.scrape.side_by_side import side_by_side
from genset.sources.source import Licenses, Source, source_names

# A refresh that was stopped longer ago than this is not gone on with: what it saw is old news.
_GOES_ON_FOR = timedelta(days=1)
_BEGAN = "refresh:"  # and a source's name: the fact that says when one began that is not finished
_THREADS = 8
_PICTURES_AT_ONCE = 64

_LAST_SEEN = func.coalesce(Photo.checked_at, Photo.stored_at)
_Due = Sequence[Row[int, str]]  # the `Photo.id` and `Photo.source_id` of photos to ask after


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one photo: `what` and `detail` are those of `genset.db.PhotoEvent`."""

    photo: str
    what: str
    detail: str
    page_url: str


@dataclass
class RefreshSummary:
    """What a refresh brought out.

    Attributes:
        checked: photos of which the source answered.
        changes: what is not as it was.
        gone: the pages of all photos of the pool that are not up now, by photo.
        failed: the error by photo, of those that failed.
        unavailable: of these, how many may be answered another time.
    """

    checked: int = 0
    changes: list[Change] = field(default_factory=list)
    gone: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    unavailable: int = 0


def sources_in_pool(store: Store) -> tuple[str, ...]:
    """The names of the sources that stored photos are from, and that can be asked after them."""
    with store.session() as session:
        stored = select(Photo.source).where(Photo.sha256.is_not(None)).distinct()
        return tuple(name for name in sorted(session.scalars(stored)) if name in source_names())


def refresh_all(
    store: Store, sources: Sequence[Source], *, pictures: bool = False
) -> tuple[RefreshSummary, dict[str, GensetError]]:
    """Ask after the photos of each source as `refresh` does, side by side.

    Return what came of all of them, and what ended one early, by its name. No two sources share
    their `Hosts`.
    """
    work = {
        source.name: (source.api.hosts, partial(refresh, store, source, pictures=pictures))
        for source in sources
    }
    total = RefreshSummary()
    done, ended = side_by_side(work)
    for one in done.values():
        total.checked += one.checked
        total.unavailable += one.unavailable
        total.changes += one.changes
        total.gone |= one.gone
        total.failed |= one.failed
    return total, ended


def refresh(
    store: Store,
    source: Source,
    source_ids: Sequence[str] = (),
    *,
    pictures: bool = False,
) -> RefreshSummary:
    """Ask after the stored photos of a source, the one that was not seen longest first.

    A photo that is gone stays in the pool (its bytes are here, and its licence was given for
    good), and is listed. A source that is down is waited for. A photo that fails is asked after
    once more at the end; its error is stored then, and the next refresh begins with it.

    Args:
        store: the database.
        source: ready to be asked.
        source_ids: where there are any, these photos alone, whenever they were seen.
        pictures: download each photo too, and compare it with the stored one.

    Raises:
        HostGaveUp: the source is not to be waited for.
        SourceRefused: the source refuses every call, for instance for a bad key.
    """
    summary, requested = RefreshSummary(), frozenset(source_ids)
    with store.begin_alone() as session:
        started = now() if requested else _start(session, source.name)
        stored = select(Photo.id, Photo.source_id).where(_in_pool(source.name))
        stored = stored if requested else stored.where(started > _LAST_SEEN)
        due = session.execute(stored.order_by(_LAST_SEEN, Photo.id)).all()
    due = [photo for photo in due if not requested or photo.source_id in requested]
    shown = progress(due, total=len(due), what=f"refresh {source.name}", unit="photo")
    size = max(source.ids_per_call, _PICTURES_AT_ONCE if pictures else 1)
    errors: dict[str, SourceError] = {}
    for photos in (shown, (photo for photo in due if photo.source_id in errors)):
        for some in in_batches(photos, size):
            if source.api.hosts.is_ending:
                raise KeyboardInterrupt
            _ask_after(store, source, some, summary, errors, pictures=pictures)
    summary.failed = {f"{source.name}:{photo}": str(error) for photo, error in errors.items()}
    summary.unavailable = sum(isinstance(error, SourceUnavailable) for error in errors.values())
    with store.begin_alone() as session:
        for photo in (photo for photo in due if photo.source_id in errors):
            error = str(errors[photo.source_id])
            session.add(PhotoEvent(photo_id=photo.id, what="failed", detail=error))
        if not requested:
            session.execute(delete(Fact).where(Fact.name == f"{_BEGAN}{source.name}"))
        gone = session.scalars(gone_photos().where(_in_pool(source.name))).all()
        asked = [photo for photo in gone if not requested or photo.source_id in requested]
        summary.gone = {photo.name: photo.page_url for photo in asked}
    return summary


def _ask_after(
    store: Store,
    source: Source,
    due: _Due,
    summary: RefreshSummary,
    errors: dict[str, SourceError],
    *,
    pictures: bool,
) -> None:
    """Ask after some photos and store what came; `errors` are those of the source's ids."""
    found: dict[str, License | SourceError | None] = {}
    for ids in in_batches([photo.source_id for photo in due], source.ids_per_call):
        try:
            found |= source.licenses_of(ids)
        except SourceRefused as refused:
            if not source.api.has_answered:
                raise
            found |= dict.fromkeys(ids, refused)
    looks = _looks(store, source, due, found) if pictures else {}
    with store.begin_alone() as session:
        numbers = [photo.id for photo in due]
        # Not those that were removed, or found lost, while we asked.
        stored = select(Photo).where(Photo.id.in_(numbers), Photo.sha256.is_not(None))
        gone = set(session.scalars(gone_photos().where(Photo.id.in_(numbers))))
        for photo in sorted(session.scalars(stored), key=lambda photo: numbers.index(photo.id)):
            answer, look = found[photo.source_id], looks.get(photo.source_id, "")
            errors.pop(photo.source_id, None)
            failed = next((part for part in (answer, look) if isinstance(part, SourceError)), None)
            if failed is not None:
                errors[photo.source_id] = failed
                continue
            summary.checked += 1
            photo.checked_at = now()
            assert not isinstance(answer, SourceError)
            for what, detail in _news(photo, answer, photo in gone, str(look)):
                session.add(PhotoEvent(photo_id=photo.id, what=what, detail=detail))
                summary.changes.append(Change(photo.name, what, detail, photo.page_url))


def _looks(
    store: Store, source: Source, due: _Due, found: Licenses
) -> Mapping[str, str | SourceError]:
    """Whether each photo that is up has other bytes now, or another picture, by its id there."""
    ids = [photo.id for photo in due if isinstance(found[photo.source_id], License)]
    with store.session() as session:
        photos = session.scalars(select(Photo).where(Photo.id.in_(ids))).all()
    fetcher = Fetcher(source.images, source.may_fetch, Path())

    def look(photo: Photo) -> str | SourceError:
        try:
            content = fetcher.content(photo.image_url)
            return compare(content, photo.sha256 or "", photo.fingerprint)
        except PhotoRejected as rejected:  # nothing was decoded, so nobody knows its picture
            is_gone = rejected.reason == "gone"
            return "" if is_gone else SourceError(str(rejected), scope="photo")
        except SourceError as error:
            return error

    with ThreadPoolExecutor(_THREADS) as threads:
        names = [photo.source_id for photo in photos]
        return dict(zip(names, threads.map(look, photos), strict=True))


def _news(
    photo: Photo, license: License | None, was_gone: bool, look: str
) -> Iterator[tuple[str, str]]:
    """Store a photo's licence of today, and yield what changed, as events have it."""
    if license is None:
        if not was_gone:
            yield "gone", ""
        return
    if was_gone:
        yield "back", ""
    before = License(photo.license, photo.license_url)
    photo.license, photo.license_url = license
    if not same_license(before, license):
        yield "license", f"{before.name} -> {license.name}"
    if look in ("rerendered", "changed"):
        yield look, ""


def _in_pool(source: str) -> ColumnElement[bool]:
    return (Photo.source == source) & Photo.sha256.is_not(None)


def _start(session: Session, source: str) -> datetime:
    """When the refresh began that this one goes on with; now, where the last one was finished."""
    began = session.get(Fact, f"{_BEGAN}{source}")
    started = datetime.fromisoformat(began.value) if began else now()
    started = started if now() - started < _GOES_ON_FOR else now()
    session.merge(Fact(name=f"{_BEGAN}{source}", value=started.isoformat()))
    return started
