"""The facts in a manifest: how photos were found, labeled and licensed."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, select, tuple_
from sqlalchemy.orm import Session

from genset.core.dates import earliest_day
from genset.db import (
    SEARCH_RANKS,
    Candidate,
    Claim,
    Label,
    Labeler,
    Photo,
    PhotoEvent,
    RemovedOwner,
    Search,
    SourceWords,
    Verdict,
    chosen_classes,
    in_batches,
    is_out,
    labels_in_force,
    now,
    stored_taxonomy,
)
from genset.release.reader import Ground, ReleasePhoto
from genset.statistics.agreement import nominal_alpha

# What a manifest keeps of a source's words: not those that are for labelers alone.
_WORDS = ("title", "home", "needs", "found", "limits", "terms", "posted", "taken", "notice")


OLD = timedelta(days=30)
"""What was seen longer ago is to be looked at again before it is frozen."""


def chosen(session: Session) -> dict[str, list[str]]:
    """The classes that photos were wanted of; nothing where that is all of them."""
    taxonomy, wanted = stored_taxonomy(session), chosen_classes(session)
    wnids = [cls.wnid for cls in taxonomy if cls.wnid in wanted]
    return {"chosen_classes": wnids} if 0 < len(wnids) < len(taxonomy) else {}


def words_of_sources(session: Session, photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """What people must know of each source of `photos`, by its name, as JSON.

    Photos that somebody added from a folder have a source of which there are no words.
    """
    named = select(SourceWords).where(SourceWords.name.in_({photo.source for photo in photos}))
    found = session.scalars(named.order_by(SourceWords.name))
    return {source.name: {word: getattr(source, word) for word in _WORDS} for source in found}


def alpha(votes: Iterable[Mapping[Verdict, int]]) -> float | None:
    """Krippendorff's alpha to the digits that a manifest has."""
    found = nominal_alpha(votes)
    return None if found is None else round(found, 6)


def ground(photo: Photo, since: datetime) -> Ground:
    """On which ground a photo counts as unseen since a day (`ReleasePhoto.unseen`)."""
    day = earliest_day(photo.taken_at, photo.posted_at)
    if day is not None and day >= since.date().isoformat():
        return "taken"
    return "posted" if photo.posted_at >= since else "none"


def origins(session: Session, photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """How photos came to be in the pool, by source, as JSON.

    How many of them searches `found` and how many were `added` from folders, when both happened,
    and how many searches (`searches`: of a class by a query) and pages of results (`pages`) this
    workspace asked for, for the release's classes. `imported` is there where searches that it did
    not make found some: for which class, by which query. `by_search` is there where pools were
    searched again: how many photos the first search found, and how many each further one.
    """
    wnids = {photo.wnid for photo in photos}
    by_source: dict[str, list[ReleasePhoto]] = defaultdict(list)
    for photo in photos:
        by_source[photo.source].append(photo)
    return {
        source: _origin(session, source, by_source[source], wnids) for source in sorted(by_source)
    }


def _origin(
    session: Session,
    source: str,
    photos: Sequence[ReleasePhoto],
    wnids: Collection[str],
) -> dict[str, Any]:
    added = [photo for photo in photos if not photo.keyword]
    query = select(
        Search.wnid,
        Search.query,
        func.count(),
        func.min(Search.searched_at),
        func.max(Search.searched_at),
    )
    query = query.where(Search.source == source, Search.wnid.in_(wnids))
    rows = session.execute(query.group_by(Search.wnid, Search.query)).all()
    found_by = {(photo.wnid, photo.keyword) for photo in photos if photo.keyword}
    imported = found_by - {(row.wnid, row.query) for row in rows}
    counts = Counter((photo.rank - 1) // SEARCH_RANKS for photo in photos if photo.keyword)
    return {
        **({"imported": [list(pair) for pair in sorted(imported)]} if imported else {}),
        "found": len(photos) - len(added),
        **({"by_search": [counts[n] for n in range(1 + max(counts))]} if any(counts) else {}),
        "searches": len(rows),
        "pages": sum(row[2] for row in rows),
        "searched": _ends([time for row in rows for time in row[3:]]),
        "added": len(added),
        "added_on": _ends([row.stored_at for row in pool_rows(session, added).values()]),
    }


def labeling(session: Session, votes: Mapping[int, Mapping[Verdict, int]]) -> dict[str, Any]:
    """How candidates were labeled, as JSON.

    The labels in force on all candidates (`labels`, `candidates`, `labelers`), and the same by the
    way they were given (`by_way`: page, import, review) with their dates, and labelers by how they
    signed in (`signed_in`; "" for those who never did: a table named them). `labeled` is when the
    first and the last label was given. `guidelines` are the versions of the instructions,
    `agreement` is Krippendorff's alpha of `votes`, those that are recorded.
    """
    # Not those of proposals, which are told apart.
    candidates_labels = labels_in_force().join(Claim, Claim.id == Label.candidate_id)
    force = candidates_labels.where(Claim.rank > 0).subquery()
    counted = (func.count(), people := func.count(force.c.worker.distinct()))
    dates = (func.min(force.c.decided_at), func.max(force.c.decided_at))
    totals = select(*counted, func.count(force.c.candidate_id.distinct()))
    labels, labelers, candidates = session.execute(totals).one()
    by_way = session.execute(select(force.c.via, *counted, *dates).group_by(force.c.via)).all()
    signed = select(func.coalesce(Labeler.kind, ""), people).select_from(force)
    signed = signed.outerjoin(Labeler, Labeler.name == force.c.worker).group_by(Labeler.kind)
    signed_in = session.execute(signed).all()
    times = select(func.min(Label.decided_at), func.max(Label.decided_at)).where(~is_out(Label))
    stored = set(session.scalars(select(Candidate.id)))
    versions = select(Label.guideline).where(Label.guideline.is_not(None), ~is_out(Label))
    return {
        "labels": labels,
        "candidates": candidates,
        "labelers": labelers,
        "labeled": _ends(session.execute(times).one()),
        "by_way": {
            way: {"labels": number, "labelers": people, "dates": _ends(list(span))}
            for way, number, people, *span in sorted(by_way)
        },
        "signed_in": dict(sorted(signed_in)),
        "guidelines": sorted(map(str, session.scalars(versions.distinct()))),
        "agreement": alpha(counts for id, counts in votes.items() if id in stored),
    }


def flagged(
    session: Session, photos: Sequence[ReleasePhoto], labelers: Mapping[str, bool]
) -> dict[str, Any]:
    """How many photos rest on flagged labelers alone, as JSON; nothing where none does.

    Args:
        session: of the database.
        photos: the photos.
        labelers: who is flagged, by name, and whether they are too fast.
    """
    workers: dict[tuple[str, ...], set[str]] = {
        (photo.wnid, photo.source, photo.source_id): set() for photo in photos
    }
    query = labels_in_force().join(Candidate, Candidate.id == Label.candidate_id)
    query = query.join(Candidate.photo).order_by(None)
    rows = query.with_only_columns(Candidate.wnid, Photo.source, Photo.source_id, Label.worker)
    for *photo, worker in session.execute(rows) if labelers else ():
        if (names := workers.get(tuple(photo))) is not None:
            names.add(worker)
    fast = {worker for worker, is_fast in labelers.items() if is_fast}
    counts = {
        name: sum(bool(names) and names <= some for names in workers.values())
        for name, some in (("flagged", labelers.keys()), ("too_fast", fast))
    }
    return {"resting_on": counts} if any(counts.values()) else {}


def licenses_seen(session: Session, photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """What a manifest says of it.

    `licenses_seen` is the first and the last time, as ISO 8601 in UTC; None where no photo is at a
    source, or no source was asked. `licenses_unseen` is there where photos were imported of which
    nobody has asked since: how many.
    """
    # A source names an owner with each photo that it finds. An import may know none.
    ownerless = [
        photo
        for photo in photos
        if (photo.image_url or photo.page_url) and not (photo.owner or photo.owner_name)
    ]
    rows = pool_rows(session, ownerless)
    imported = {
        photo.file
        for photo in ownerless
        if not ((row := rows.get((photo.source, photo.source_id))) and row.checked_at)
    }
    times = [time for photo, time in _seen(session, photos) if photo.file not in imported]
    return {
        "licenses_seen": _ends(times),
        **({"licenses_unseen": len(imported)} if imported else {}),
    }


def long_ago(session: Session, photos: Sequence[ReleasePhoto]) -> dict[str, set[str]]:
    """Of which photos it is long ago: their ids at each source, by its name."""
    found = defaultdict(set)
    for photo, time in _seen(session, photos):
        if now() - time > OLD:
            found[photo.source].add(photo.source_id)
    return dict(found)


def _seen(
    session: Session, photos: Sequence[ReleasePhoto]
) -> Iterator[tuple[ReleasePhoto, datetime]]:
    """Each photo that is at a source, and when that last said its licence."""
    at_sources = [photo for photo in photos if photo.image_url or photo.page_url]
    rows = pool_rows(session, at_sources)
    for photo in at_sources:
        if row := rows.get((photo.source, photo.source_id)):
            yield photo, row.checked_at or row.stored_at


def pool_rows(session: Session, photos: Iterable[ReleasePhoto]) -> dict[tuple[str, str], Row[Any]]:
    """What the pool knows now of these photos, by source and id; nothing of those not in it."""
    found: dict[tuple[str, str], Row[Any]] = {}
    known = select(
        Photo.source,
        Photo.source_id,
        Photo.sha256,
        Photo.license,
        Photo.license_url,
        Photo.rejected,
        Photo.stored_at,
        Photo.checked_at,
    )
    for names in in_batches((photo.source, photo.source_id) for photo in photos):
        rows = session.execute(known.where(tuple_(Photo.source, Photo.source_id).in_(names)))
        found |= {(row.source, row.source_id): row for row in rows}
    return found


def removed_on(session: Session, photos: Iterable[ReleasePhoto]) -> dict[str, str]:
    """Those that were removed from the pool, alone or with their owner, by file.

    With the day, ISO 8601; "" where it is not known.
    """
    removed = (
        select(Photo.source, Photo.source_id, func.max(PhotoEvent.at).label("at"))
        .outerjoin(PhotoEvent, (PhotoEvent.photo_id == Photo.id) & (PhotoEvent.what == "removed"))
        .where(Photo.rejected.startswith("removed"))
        .group_by(Photo.source, Photo.source_id)
    )
    days = {(row.source, row.source_id): row.at for row in session.execute(removed)}
    owners = {
        (row.source, row.owner): row.removed_at for row in session.scalars(select(RemovedOwner))
    }
    found = {}
    for photo in photos:
        name, owner = (photo.source, photo.source_id), (photo.source, photo.owner)
        if name in days or owner in owners:
            day = days.get(name) or owners.get(owner)
            found[photo.file] = day.date().isoformat() if day else ""
    return found


def _ends(times: Sequence[datetime | None]) -> list[str] | None:
    """The first and the last of these times, ISO 8601 in UTC; None where there are none."""
    known = [time for time in times if time is not None]
    return (
        [end.isoformat(timespec="seconds") for end in (min(known), max(known))] if known else None
    )
