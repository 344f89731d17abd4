"""The facts in a manifest on what happened: how each source's photos came, and who labeled how.

A manifest that has them says in its documents what happened, in place of what usually does.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import Claim, Labeler, Photo, Search, labels_in_force
from genset.release.facts import queries_asked
from genset.release.reader import ReleasePhoto
from genset.workspace import Workspace


def happened(
    session: Session,
    workspace: Workspace,
    name: str,
    photos: Sequence[ReleasePhoto],
) -> dict[str, Any]:
    """What a manifest says of this beside `genset.release.facts`, as JSON.

    `came` has for each source of `photos` how many of them searches `found` and how many were
    `added` from folders, when both happened, and how many searches (`searches`: of a class by a
    query) and pages of results (`pages`) this workspace asked for, for the release's classes.
    `elsewhere` is there where searches that it did not make found some: for which class, by which
    query. `labeling` has the labels in force on all candidates (`labels`, `candidates`,
    `labelers`), and the same by the way they came (`by_way`: page, import, review) with their
    dates, and labelers by how they signed in (`signed_in`; "" for those who never did: a table
    named them). `dataset` is what the maintainer says of it (`genset.dataset`).
    """
    wnids = {photo.wnid for photo in photos}
    return {
        "dataset": workspace.dataset.facts(name),
        "came": {
            source: _came(
                session, source, [photo for photo in photos if photo.source == source], wnids
            )
            for source in sorted({photo.source for photo in photos})
        },
        "labeling": _labeling(session),
    }


def _came(
    session: Session,
    source: str,
    photos: Sequence[ReleasePhoto],
    wnids: Collection[str],
) -> dict[str, Any]:
    added = [photo for photo in photos if not photo.keyword]
    asked = select(
        Search.wnid,
        Search.query,
        func.count(),
        func.min(Search.searched_at),
        func.max(Search.searched_at),
    )
    asked = asked.where(Search.source == source, Search.wnid.in_(wnids))
    rows = session.execute(asked.group_by(Search.wnid, Search.query)).all()
    found_by = {(photo.wnid, photo.keyword) for photo in photos if photo.keyword}
    elsewhere = found_by - queries_asked(session, source, wnids)
    return {
        **({"elsewhere": [list(pair) for pair in sorted(elsewhere)]} if elsewhere else {}),
        "found": len(photos) - len(added),
        "searches": len(rows),
        "pages": sum(row[2] for row in rows),
        "searched": _span([time for row in rows for time in row[3:]]),
        "added": len(added),
        "added_on": _span(_stored(session, source, added)),
    }


def _stored(session: Session, source: str, photos: Sequence[ReleasePhoto]) -> list[datetime]:
    """When the first and the last of these photos came into the pool."""
    found: list[datetime] = []
    for start in range(0, len(photos), 500):
        ids = [photo.source_id for photo in photos[start : start + 500]]
        times = select(func.min(Photo.stored_at), func.max(Photo.stored_at)).where(
            Photo.source == source, Photo.source_id.in_(ids)
        )
        found += [time for time in session.execute(times).one() if time is not None]
    return found


def _labeling(session: Session) -> dict[str, Any]:
    force = labels_in_force().subquery()
    # Not those of proposals, which are told apart.
    of_candidates = Claim.rank > 0
    counted = (func.count(), func.count(force.c.worker.distinct()))
    dates = (func.min(force.c.decided_at), func.max(force.c.decided_at))
    joined = select(*counted, func.count(force.c.candidate_id.distinct())).join(
        Claim, Claim.id == force.c.candidate_id
    )
    labels, labelers, candidates = session.execute(joined.where(of_candidates)).one()
    ways = select(force.c.via, *counted, *dates).join(Claim, Claim.id == force.c.candidate_id)
    by_way = session.execute(ways.where(of_candidates).group_by(force.c.via)).all()
    signed = (
        select(func.coalesce(Labeler.kind, ""), func.count(force.c.worker.distinct()))
        .select_from(force)
        .join(Claim, Claim.id == force.c.candidate_id)
        .outerjoin(Labeler, Labeler.name == force.c.worker)
    )
    signed_in = session.execute(signed.where(of_candidates).group_by(Labeler.kind)).all()
    return {
        "labels": labels,
        "candidates": candidates,
        "labelers": labelers,
        "by_way": {
            way: {"labels": number, "labelers": people, "dates": _span(list(span))}
            for way, number, people, *span in sorted(by_way)
        },
        "signed_in": dict(sorted(signed_in)),
    }


def _span(times: Sequence[datetime]) -> list[str] | None:
    """The first and the last of these times, ISO 8601 in UTC."""
    if not times:
        return None
    return [time.isoformat(timespec="seconds") for time in (min(times), max(times))]
