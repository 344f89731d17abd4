"""When photos' licences were last seen at their sources."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import Photo, Store, now
from genset.release.facts import queries_asked
from genset.release.reader import ReleasePhoto

OLD = timedelta(days=30)
"""What was seen longer ago is to be looked at again before it is frozen."""

_AT_ONCE = 500


def licenses_seen(session: Session, photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """What a manifest says of it.

    `licenses_seen` is the first and the last time, as ISO 8601 in UTC; None where no photo is at a
    source, or no source was asked. `licenses_unseen` is there where photos were imported of which
    nobody has asked since: how many.
    """
    imported = _never_asked(session, photos)
    times = [time for photo, time in _seen(session, photos) if photo.file not in imported]
    return {
        "licenses_seen": [f(times).isoformat(timespec="seconds") for f in (min, max)]
        if times
        else None,
        **({"licenses_unseen": len(imported)} if imported else {}),
    }


def _never_asked(session: Session, photos: Sequence[ReleasePhoto]) -> set[str]:
    """The files of those that came by an import, and that no refresh has asked about.

    A source names an owner with each photo that it finds. An import may know none.
    """
    by_source: dict[str, list[ReleasePhoto]] = defaultdict(list)
    for photo in photos:
        if (photo.image_url or photo.page_url) and not (photo.owner or photo.owner_name):
            by_source[photo.source].append(photo)
    found = set()
    for source, theirs in by_source.items():
        asked = queries_asked(session, source, {photo.wnid for photo in theirs})
        checked = select(Photo.source_id).where(
            Photo.source == source, Photo.checked_at.is_not(None)
        )
        seen = set(session.scalars(checked))
        found |= {
            photo.file
            for photo in theirs
            if photo.source_id not in seen and (photo.wnid, photo.keyword) not in asked
        }
    return found


def long_ago(store: Store, photos: Sequence[ReleasePhoto]) -> dict[str, set[str]]:
    """Of which photos it is long ago: their ids at each source, by its name."""
    found = defaultdict(set)
    with store.session() as session:
        for photo, time in _seen(session, photos):
            if now() - time > OLD:
                found[photo.source].add(photo.source_id)
    return dict(found)


def _seen(
    session: Session, photos: Sequence[ReleasePhoto]
) -> Iterator[tuple[ReleasePhoto, datetime]]:
    """Each photo that is at a source, and when that last said its licence."""
    by_source: dict[str, dict[str, ReleasePhoto]] = defaultdict(dict)
    for photo in photos:
        if photo.image_url or photo.page_url:  # not of a folder that somebody added
            by_source[photo.source][photo.source_id] = photo
    last = func.coalesce(Photo.checked_at, Photo.stored_at)
    for source, by_id in sorted(by_source.items()):
        every = sorted(by_id)
        for start in range(0, len(every), _AT_ONCE):
            ids = every[start : start + _AT_ONCE]
            rows = select(Photo.source_id, last).where(
                Photo.source == source, Photo.source_id.in_(ids)
            )
            for source_id, time in session.execute(rows):
                yield by_id[source_id], time
