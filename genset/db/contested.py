"""Photos that several classes claim, and the candidates that are labeled all the same."""

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, or_, select, union
from sqlalchemy.orm import aliased

from genset.db.labels import Label, Verdict
from genset.db.models import Candidate, Photo
from genset.db.queries import (
    is_named_gold,
    is_out,
    is_ruled,
    is_ruled_correct,
    stored_candidates,
)


def is_contested() -> ColumnElement[bool]:
    """Whether another class claims the photo of a `Candidate`, or a photo of the same bytes.

    A photo that two classes' searches return goes to neither without a human's word. For the
    candidates of some classes; of a whole pool, `claimed_by_several` are found sooner.
    """
    rival, rival_photo, this_photo = aliased(Candidate), aliased(Photo), aliased(Photo)
    same_photo = select(rival.id).where(
        rival.photo_id == Candidate.photo_id, rival.wnid != Candidate.wnid
    )
    same_bytes = (
        select(rival.id)
        .join(rival_photo, rival_photo.id == rival.photo_id)
        .join(this_photo, this_photo.sha256 == rival_photo.sha256)
        .where(
            this_photo.id == Candidate.photo_id,
            rival_photo.id != this_photo.id,
            rival.wnid != Candidate.wnid,
        )
    )
    return or_(exists(same_photo.correlate(Candidate)), exists(same_bytes.correlate(Candidate)))


def claimed_by_several() -> Select[int]:
    """The `Photo.id` of all photos, stored or not, of which `is_contested` is true.

    It reads the whole pool, once, and does not look each candidate up.
    """
    twins = (
        select(Photo.sha256)
        .where(Photo.sha256.is_not(None))
        .group_by(Photo.sha256)
        .having(func.count() > 1)
    )
    claimed_twins = (
        select(Photo.sha256)
        .join(Candidate, Candidate.photo_id == Photo.id)
        .where(Photo.sha256.in_(twins))
        .group_by(Photo.sha256)
        .having(func.min(Candidate.wnid) < func.max(Candidate.wnid))
    )
    # A class has a photo as its candidate once, so a second candidate is another class's.
    of_several = select(Candidate.photo_id).group_by(Candidate.photo_id).having(func.count() > 1)
    of_same_bytes = (
        select(Candidate.photo_id)
        .join(Photo, Candidate.photo_id == Photo.id)
        .where(Photo.sha256.in_(claimed_twins))
    )
    return select(union(of_several, of_same_bytes).subquery().c.photo_id)


def undecided_photos() -> Select[int]:
    """The `Photo.id` of the stored photos that several classes claim, and that count for none yet.

    A photo is decided when a ruling calls it correct for a class, or when each class that claims it
    has an answer: a ruling, or a majority of votes for or against it. An answer for one class is
    none for the others: who gave it was not asked about them, and may have answered before they
    claimed it.
    """
    claimed = select(claimed_by_several().cte().c.photo_id)  # once: it reads the whole pool
    newest = (
        select(func.max(Label.number))
        .join(Candidate, Candidate.id == Label.candidate_id)
        .where(~is_out(Label), Candidate.photo_id.in_(claimed))
        .group_by(Label.candidate_id, Label.worker)
    )
    yes = case((Label.verdict == Verdict.CORRECT, 1), else_=0)
    no = case((Label.verdict.in_((Verdict.INCORRECT, Verdict.BROKEN)), 1), else_=0)
    voted = (
        select(Label.candidate_id)
        .where(Label.number.in_(newest))
        .group_by(Label.candidate_id)
        .having(func.sum(yes) != func.sum(no))
    )
    called_correct = case((is_ruled_correct(), 1), else_=0)
    answered = case((or_(is_ruled(), Candidate.id.in_(voted)), 1), else_=0)
    claims = (
        select(
            Photo.sha256,
            Candidate.wnid,
            called_correct.label("called_correct"),
            answered.label("answered"),
        )
        .join(Candidate, Candidate.photo_id == Photo.id)
        .where(Photo.id.in_(claimed), Photo.sha256.is_not(None))
        .subquery()
    )
    of_classes = (  # which may have the same bytes under several names
        select(
            claims.c.sha256,
            func.max(claims.c.called_correct).label("called_correct"),
            func.max(claims.c.answered).label("answered"),
        )
        .group_by(claims.c.sha256, claims.c.wnid)
        .subquery()
    )
    undecided = (
        select(of_classes.c.sha256)
        .group_by(of_classes.c.sha256)
        .having(func.max(of_classes.c.called_correct) == 0, func.min(of_classes.c.answered) == 0)
    )
    return select(Candidate.photo_id).join(Candidate.photo).where(Photo.sha256.in_(undecided))


def is_to_label(*, of_pool: bool = True) -> ColumnElement[bool]:
    """Whether labelers are shown a stored `Candidate`.

    They are shown none that another class claims, too, unless somebody ruled on it, and none that
    is a gold question by a manager's word. Without `of_pool` each candidate is looked up: for those
    of some classes.
    """
    is_claimed = Candidate.photo_id.in_(claimed_by_several()) if of_pool else is_contested()
    return and_(or_(~is_claimed, is_ruled()), ~is_named_gold())


def in_labeling(panel: str | None = None) -> Select[Candidate]:
    """The stored candidates that labelers are shown, and the others that somebody spoke of.

    Spoken of are those with a ruling, or a vote of this `panel` (None: of any) that counts.
    """
    voted = select(Label.number).where(Label.candidate_id == Candidate.id, ~is_out(Label))
    if panel is not None:
        voted = voted.where(Label.panel == panel)
    is_voted = exists(voted.correlate(Candidate))
    return stored_candidates().where(or_(is_to_label(), is_ruled(), is_voted))


def votes_in_labeling() -> Select[int, str, str]:
    """The candidates, labelers and panels of the votes in force on the candidates `in_labeling`.

    With a vote a stored candidate is one of these, whatever else it is.
    """
    stored = stored_candidates().order_by(None).with_only_columns(Candidate.id)
    columns = Label.candidate_id, Label.worker, Label.panel
    return select(*columns).where(~is_out(Label), Label.candidate_id.in_(stored)).distinct()
