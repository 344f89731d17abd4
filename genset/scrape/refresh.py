"""Ask after the photos of the pool: are they still up, under the same licence, the same picture?

A call asks after as many photos as its source takes, at the pace that all scrapers share. What came
of them is stored call by call, so a refresh that was stopped goes on where it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy import ColumnElement, Row, func, select
from sqlalchemy.orm import Session

from genset.core.errors import (
    GensetError,
    PhotoRejected,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from genset.core.progress import progress
from genset.db import Photo, PhotoEvent, Store, gone_photos, in_batches, now
from genset.licenses import License, credit, same_license
from genset.net.originals import Fetcher
from genset.net.picture import compare
from genset.scrape.side_by_side import side_by_side
from genset.sources.source import Licenses, Source, is_source

# A refresh that was stopped longer ago than this is not gone on with: what it saw is old news.
_GOES_ON_FOR = timedelta(days=1)
_THREADS = 8
_PICTURES_AT_ONCE = 64

_Due = Sequence[Row[int, str]]  # the `Photo.id` and `Photo.source_id` of photos to ask after


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one photo: `what` and `detail` are those of `genset.db.PhotoEvent`.

    `credit` is the line that its licence asks for from now on.
    """

    photo: str
    what: str
    detail: str
    page_url: str
    credit: str


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
        stored = select(Photo.source).where(Photo.sha256.is_not(None), _is_somewhere()).distinct()
        return tuple(name for name in sorted(session.scalars(stored)) if is_source(name))


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
    total, ended = RefreshSummary(), dict[str, GensetError]()
    for name, outcome in side_by_side(work).items():
        if isinstance(outcome, GensetError):
            ended[name] = outcome
            continue
        total.checked += outcome.checked
        total.unavailable += outcome.unavailable
        total.changes += outcome.changes
        total.gone |= outcome.gone
        total.failed |= outcome.failed
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
    good), and is listed. A source that is down is waited for. A photo that fails costs itself
    only: it is asked after once more at the end where that may help, else its error is stored.

    Args:
        store: the database.
        source: ready to be asked.
        source_ids: where there are any, these photos alone, whenever they were seen.
        pictures: download each photo too, and compare it with the stored one.

    Raises:
        HostGaveUp: the source is not to be waited for.
        SourceRefused: the source refuses every call, for instance for a bad key.
    """
    summary, asked_for = RefreshSummary(), frozenset(source_ids)
    with store.session() as session:
        started = now() if asked_for else _start(session, source.name)
        stored = select(Photo.id, Photo.source_id).where(_in_pool(source.name))
        stored = stored if asked_for else stored.where(_last_seen() < started)
        due = session.execute(stored.order_by(_last_seen(), Photo.id)).all()
    due = [photo for photo in due if not asked_for or photo.source_id in asked_for]
    shown = progress(due, total=len(due), what=f"refresh {source.name}", unit="photo")
    size = max(source.ids_per_call, _PICTURES_AT_ONCE if pictures else 1)
    once_more: list[Row[int, str]] = []
    for photos in (shown, once_more):
        for some in in_batches(photos, size):
            if source.api.hosts.is_ending:
                raise KeyboardInterrupt
            is_last = photos is once_more
            more = _ask_after(
                store, source, some, started, summary, pictures=pictures, is_last=is_last
            )
            if is_last:
                summary.unavailable += len(more)
            else:
                once_more += more
    with store.session() as session:
        gone = session.scalars(gone_photos().where(_in_pool(source.name))).all()
    gone = [photo for photo in gone if not asked_for or photo.source_id in asked_for]
    summary.gone = {photo.name: photo.page_url for photo in gone}
    return summary


def _ask_after(
    store: Store,
    source: Source,
    due: _Due,
    started: datetime,
    summary: RefreshSummary,
    *,
    pictures: bool,
    is_last: bool,
) -> list[Row[int, str]]:
    """Ask after some photos and store what came; return those to be asked after once more."""
    found: dict[str, License | SourceError | None] = {}
    for ids in in_batches([photo.source_id for photo in due], source.ids_per_call):
        try:
            found |= source.licenses_of(ids)
        except SourceRefused as refused:
            if not source.api.has_answered:
                raise
            found |= dict.fromkeys(ids, refused)
    looks = _looks(store, source, due, found) if pictures else {}
    unavailable = []
    with store.begin_alone() as session:
        ids = [photo.id for photo in due]
        stored = {row.id: row for row in session.scalars(select(Photo).where(Photo.id.in_(ids)))}
        gone = set(session.scalars(gone_photos().where(Photo.id.in_(ids))))
        for photo in due:
            row, answer = stored[photo.id], found[photo.source_id]
            look = looks.get(photo.source_id, "")
            if row.sha256 is None:  # removed, or found lost, while we asked
                continue
            error = next((part for part in (answer, look) if isinstance(part, SourceError)), None)
            if error is not None:
                summary.failed[row.name] = str(error)
                may_pass = isinstance(error, SourceUnavailable)
                if may_pass or (error.scope in ("key", "host", "run") and not is_last):
                    unavailable.append(photo)
                else:
                    _event(session, row, "failed", str(error))
                continue
            summary.failed.pop(row.name, None)
            summary.checked += 1
            row.checked_at = started
            assert not isinstance(answer, SourceError)
            for what, detail in _news(row, answer, row in gone, str(look)):
                _event(session, row, what, detail)
                line = credit(row.origin, source.about.title)
                summary.changes.append(Change(row.name, what, detail, row.page_url, line))
    return unavailable


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
        except PhotoRejected as rejected:
            return "" if rejected.reason == "gone" else "changed"
        except SourceError as error:
            return error

    with ThreadPoolExecutor(_THREADS) as threads:
        names = [photo.source_id for photo in photos]
        return dict(zip(names, threads.map(look, photos), strict=True))


def _event(session: Session, photo: Photo, what: str, detail: str) -> None:
    session.add(PhotoEvent(photo_id=photo.id, what=what, detail=detail))


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
    return (Photo.source == source) & Photo.sha256.is_not(None) & _is_somewhere()


def _is_somewhere() -> ColumnElement[bool]:
    """Not of a folder that was added under a name that has become a source's since."""
    return (Photo.image_url != "") | (Photo.page_url != "")


def _last_seen() -> ColumnElement[datetime]:
    return func.coalesce(Photo.checked_at, Photo.stored_at)


def _start(session: Session, source: str) -> datetime:
    """When the refresh began that this one goes on with; now, where the last one was finished.

    All photos that one refresh asks after get its start for their `checked_at`. So it was not
    finished where a photo is left that was in the pool before that start, was not seen since, and
    did not fail for good.
    """
    last = session.scalar(select(func.max(Photo.checked_at)).where(_in_pool(source)))
    if last is None or now() - last > _GOES_ON_FOR:
        return now()
    failed = select(PhotoEvent.photo_id).where(PhotoEvent.what == "failed", PhotoEvent.at >= last)
    unchecked = select(Photo.id).where(_in_pool(source), _last_seen() < last)
    remaining = session.scalar(unchecked.where(Photo.id.not_in(failed)).limit(1))
    return now() if remaining is None else last
