"""The photos of an earlier release that may be used still, and why others may not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.db import Candidate, Photo, RemovedOwner, Verdict, rulings_in_force
from genset.licenses import spdx_id
from genset.release.choosing.left_out import Reasons
from genset.release.facts import license_of
from genset.release.multilabel.again import Earlier
from genset.release.reader import ReleasePhoto
from genset.release.table import CandidateRow, CandidateTable
from genset.workspace import Workspace


def unseen_since(earlier: Earlier, workspace: Workspace) -> datetime:
    """From which day photos count as unseen: as the earlier release says, if it does."""
    day = earlier.manifest.get("unseen_since")
    if not isinstance(day, str):
        return workspace.posted_after
    return datetime.combine(date.fromisoformat(day), time(), UTC)


def kept(session: Session, earlier: Earlier) -> tuple[list[ReleasePhoto], Reasons]:
    """The earlier release's photos that may still be used, and the reasons for the others.

    Their licences are those that the pool has now: owners may have changed them since.
    """
    photos = earlier.release.photos
    rows = _rows(session, photos)
    owners = {
        (row.source, row.owner)
        for row in session.execute(select(RemovedOwner.source, RemovedOwner.owner))
    }
    wrong = _ruled_wrong(session)
    wanted = earlier.plan.licenses
    left, gone = [], {}
    for photo in photos:
        row = rows.get((photo.source, photo.source_id))
        task = f"{photo.wnid}/{photo.source}:{photo.source_id}"
        if (photo.source, photo.owner) in owners or (row and _is_removed(row)):
            gone[task] = "removed since"
        elif row is None or row.sha256 != photo.sha256:
            gone[task] = "not in the pool any more"
        elif row.refused is not None:
            gone[task] = "refused since"
        elif (photo.wnid, photo.sha256) in wrong:
            gone[task] = "ruled not correct since"
        elif wanted is not None and not wanted.wants(license_of(row)):
            gone[task] = f"licence {license_of(row).name}"
        else:
            left.append(_up_to_date(photo, row))
    return left, gone


def _is_removed(row: Photo) -> bool:
    return row.refused is not None and row.refused.startswith("removed")


def _rows(session: Session, photos: Sequence[ReleasePhoto]) -> dict[tuple[str, str], Photo]:
    found = {}
    names: dict[str, list[str]] = {}
    for photo in photos:
        names.setdefault(photo.source, []).append(photo.source_id)
    for source, ids in names.items():
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            query = select(Photo).where(Photo.source == source, Photo.source_id.in_(some))
            for row in session.scalars(query):
                found[row.source, row.source_id] = row
    return found


def _ruled_wrong(session: Session) -> set[tuple[str, str]]:
    """The class and photo (its sha256) of candidates whose newest ruling is not "correct"."""
    ruled = [id for id, said in rulings_in_force(session).items() if said is not Verdict.CORRECT]
    found = set()
    for start in range(0, len(ruled), 500):
        query = select(Candidate.wnid, Photo.sha256).join(Candidate.photo)
        for row in session.execute(query.where(Candidate.id.in_(ruled[start : start + 500]))):
            found.add((row.wnid, row.sha256))
    return found


def _up_to_date(photo: ReleasePhoto, row: Photo) -> ReleasePhoto:
    """A record with its licence of today."""
    license = license_of(row)
    return replace(
        photo,
        license=license.name,
        license_url=license.url,
        license_id=spdx_id(license),
    )


def held(table: CandidateTable, photos: Sequence[ReleasePhoto]) -> list[CandidateRow]:
    """The candidates of these photos."""
    tasks = {f"{photo.wnid}/{photo.source}:{photo.source_id}" for photo in photos}
    return [entry for entry in table.entries if entry.task in tasks]
