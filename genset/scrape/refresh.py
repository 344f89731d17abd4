"""Ask after the photos of the pool: are they still up, and under the same licence?

Each photo costs one call of the API, at the pace that all scrapers share. What came of it is stored
photo by photo, so a refresh that was stopped goes on where it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import ColumnElement, Row, func, select
from sqlalchemy.orm import Session

from genset.core.errors import GensetError, SourceError
from genset.core.progress import progress
from genset.db import Photo, PhotoEvent, Store, gone_photos, now
from genset.licenses import License, credit, same_license
from genset.scrape.side_by_side import side_by_side
from genset.sources.source import Source, is_source

# A refresh that was stopped longer ago than this is not gone on with: what it saw is old news.
_GOES_ON_FOR = timedelta(days=1)


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
        checked: photos that were asked after.
        unchecked: photos that were not, because the source failed.
        failure: what it said last.
        changes: what is not as it was.
        gone: the pages of all photos of the pool that are not up now, by photo.
    """

    checked: int = 0
    unchecked: int = 0
    failure: str = ""
    changes: list[Change] = field(default_factory=list)
    gone: dict[str, str] = field(default_factory=dict)

    def add(self, other: "RefreshSummary") -> None:
        """Take in what came of another source."""
        self.checked += other.checked
        self.unchecked += other.unchecked
        self.failure = other.failure or self.failure
        self.changes += other.changes
        self.gone |= other.gone


def sources_in_pool(store: Store) -> tuple[str, ...]:
    """The names of the sources that stored photos are from, and that can be asked after them."""
    with store.session() as session:
        stored = select(Photo.source).where(Photo.sha256.is_not(None), _is_somewhere()).distinct()
        return tuple(name for name in sorted(session.scalars(stored)) if is_source(name))


def refresh_all(
    store: Store, sources: Sequence[Source]
) -> tuple[RefreshSummary, dict[str, GensetError]]:
    """Ask after the photos of each source as `refresh` does, side by side.

    Return what came of all of them, and what ended one early, by its name. No two sources share
    their `Hosts`.
    """
    work = {source.name: (source.api.hosts, partial(refresh, store, source)) for source in sources}
    done, ended = RefreshSummary(), dict[str, GensetError]()
    for name, outcome in side_by_side(work).items():
        if isinstance(outcome, RefreshSummary):
            done.add(outcome)
        else:
            ended[name] = outcome
    return done, ended


def refresh(store: Store, source: Source) -> RefreshSummary:
    """Ask after every stored photo of a source, the one that was not asked after longest first.

    A photo that is gone stays in the pool (its bytes are here, and its licence was given for
    good), and is listed; taking it out is `genset.scrape.removal`. A source that is down is
    waited for; photos that it failed on are asked after once more at the end.

    Raises:
        HostGaveUp: the source is not to be waited for.
        SourceRefused: the source turns every call down, for instance for a bad key.
    """
    summary = RefreshSummary()
    with store.session() as session:
        started = _start(session, source.name)
        due = session.execute(
            select(Photo.id, Photo.source_id)
            .where(_in_pool(source.name), _last_seen() < started)
            .order_by(_last_seen(), Photo.id)
        ).all()
    _ask_after_all(store, source, due, started, summary)
    with store.session() as session:
        summary.gone = _gone(session, source.name)
    return summary


def refresh_some(store: Store, source: Source, source_ids: Sequence[str]) -> RefreshSummary:
    """Ask after these stored photos of a source, as `refresh` does after all.

    In `gone` are those of them that are not up now.

    Raises:
        HostGaveUp: the source is not to be waited for.
        SourceRefused: the source turns every call down, for instance for a bad key.
    """
    summary = RefreshSummary()
    names_there = frozenset(source_ids)
    with store.session() as session:
        stored = session.execute(select(Photo.id, Photo.source_id).where(_in_pool(source.name)))
        due = [photo for photo in stored if photo.source_id in names_there]
    _ask_after_all(store, source, due, now(), summary)
    with store.session() as session:
        gone = _gone(session, source.name)
    names = {f"{source.name}:{id}" for id in names_there}
    summary.gone = {photo: page for photo, page in gone.items() if photo in names}
    return summary


def _ask_after_all(
    store: Store,
    source: Source,
    due: Sequence[Row[int, str]],
    started: datetime,
    summary: RefreshSummary,
) -> None:
    """Ask after each photo, at the end once more after those of which nothing came."""
    again = []
    for photo in progress(due, total=len(due), what=f"refresh {source.name}", unit="photo"):
        if source.api.hosts.is_ending:
            raise KeyboardInterrupt
        if not _ask_after(store, source, photo, started, summary):
            again.append(photo)
    for photo in again:
        _ask_after(store, source, photo, started, summary)
    summary.unchecked = len(due) - summary.checked


def _ask_after(
    store: Store,
    source: Source,
    photo: Row[int, str],
    started: datetime,
    summary: RefreshSummary,
) -> bool:
    """Ask after one photo and store what came; whether anything did."""
    photo_id, source_id = photo
    found = source.licenses_of([source_id])[source_id]
    if isinstance(found, SourceError):
        summary.failure = str(found)
        return False
    summary.checked += 1
    with store.begin_alone() as session:
        stored = session.get_one(Photo, photo_id)
        summary.changes += _keep(session, source, stored, found, started)
    return True


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
    finished where a photo is left that was in the pool before that start, and not seen since.
    """
    last = session.scalar(select(func.max(Photo.checked_at)).where(_in_pool(source)))
    if last is None or now() - last > _GOES_ON_FOR:
        return now()
    unchecked = select(Photo.id).where(_in_pool(source), _last_seen() < last).limit(1)
    return now() if session.scalar(unchecked) is None else last


def _keep(
    session: Session, source: Source, photo: Photo, found: License | None, started: datetime
) -> list[Change]:
    """Store what was found of a photo, and return what changed."""
    if photo.sha256 is None:  # removed, or found lost, while we asked
        return []
    photo.checked_at = started
    before = License(photo.license, photo.license_url)
    if found is not None:
        photo.license, photo.license_url = found
    changes = []
    for what, detail in _news(_is_gone(session, photo), before, found):
        session.add(PhotoEvent(photo_id=photo.id, what=what, detail=detail))
        line = credit(photo.origin, source.about.title)
        changes.append(Change(photo.name, what, detail, photo.page_url, line))
    return changes


def _news(was_gone: bool, before: License, found: License | None) -> Iterator[tuple[str, str]]:
    """What is to be told, as the `what` and `detail` of events."""
    if found is None:
        if not was_gone:
            yield "gone", ""
        return
    if was_gone:
        yield "back", ""
    if not same_license(before, found):
        yield "license", f"{before.name} -> {found.name}"


def _is_gone(session: Session, photo: Photo) -> bool:
    """Whether the last thing heard of a photo is that it is gone."""
    heard = select(PhotoEvent.what).where(
        PhotoEvent.photo_id == photo.id, PhotoEvent.what.in_(("gone", "back"))
    )
    return session.scalar(heard.order_by(PhotoEvent.id.desc()).limit(1)) == "gone"


def _gone(session: Session, source: str) -> dict[str, str]:
    """The pages of the pool's photos that are gone, by photo."""
    gone = session.scalars(gone_photos().where(_in_pool(source)))
    return {photo.name: photo.page_url for photo in gone}
