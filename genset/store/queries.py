"""The questions that more than one stage asks."""

from collections import Counter, defaultdict

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from genset.store.models import Candidate, Label, Photo, Verdict


def stored_candidates(*wnids: str) -> Select[Candidate]:
    """The candidates whose photo is in ``images/`` and not refused since, of these classes.

    Of all where none is named. By class, then by rank.
    """
    query = (
        select(Candidate)
        .join(Candidate.photo)
        .where(Photo.sha256.is_not(None), Photo.refused.is_(None))
        .order_by(Candidate.wnid, Candidate.rank, Candidate.id)
    )
    return query.where(Candidate.wnid.in_(wnids)) if wnids else query


def is_contested() -> ColumnElement[bool]:
    """Whether another class claims the photo of a `Candidate`, or a photo of the same bytes.

    A photo that two classes' searches return goes to neither without a human's word.
    """
    rival, theirs, ours = aliased(Candidate), aliased(Photo), aliased(Photo)
    same_photo = select(rival.id).where(
        rival.photo_id == Candidate.photo_id, rival.wnid != Candidate.wnid
    )
    same_bytes = (
        select(rival.id)
        .join(theirs, theirs.id == rival.photo_id)
        .join(ours, ours.sha256 == theirs.sha256)
        .where(ours.id == Candidate.photo_id, rival.wnid != Candidate.wnid)
    )
    return or_(exists(same_photo.correlate(Candidate)), exists(same_bytes.correlate(Candidate)))


def labels_in_force() -> Select[Label]:
    """Each labeler's newest label on each candidate, oldest first."""
    newest = select(func.max(Label.number)).group_by(Label.candidate_id, Label.worker)
    return select(Label).where(Label.number.in_(newest)).order_by(Label.number)


def votes(session: Session) -> dict[int, Counter[Verdict]]:
    """How many labelers say what of each labeled candidate, by `Candidate.id`."""
    found: dict[int, Counter[Verdict]] = defaultdict(Counter)
    force = labels_in_force().subquery()
    counted = select(force.c.candidate_id, force.c.verdict, func.count()).group_by(
        force.c.candidate_id, force.c.verdict
    )
    for candidate_id, verdict, count in session.execute(counted):
        found[candidate_id][verdict] = count
    return dict(found)
