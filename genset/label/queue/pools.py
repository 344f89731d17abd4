"""What labelers are asked about: candidates class by class, and questions photo by photo."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, case, func, not_, select

from genset.db import (
    Candidate,
    Claim,
    Label,
    Photo,
    Question,
    among,
    is_backed,
    is_named_gold,
    is_to_label,
    stored_candidates,
)

_THERE = Photo.sha256.is_not(None), Photo.rejected.is_(None)

Columns = Select[*tuple[Any, ...]]


@dataclass(frozen=True)
class Pool:
    """The claims of one kind that labelers are asked about, as questions to the store.

    Each claim is asked about under a class: the claim's own, or the one that its photo is of.

    Attributes:
        counted: the classes, and how many claims each has, stored or not.
        members: id, class and photo of the claims of some `classes` that may be shown, in order.
        eligible: those of some `candidates`, by id, that may be shown now.
        labeled: id of each claim that a `worker` labeled, and its class in this pool, or None.
        by_photo: whether a screen is of one photo, and has all of its claims; these are questions,
            whose votes grow only where labelers differ.
        added: as `members`, of some `candidates`; None where labelers add none.
        unbacked: those of some `candidates`, by id, that nobody stands behind whose votes count;
            None where that is not asked.
    """

    counted: Columns
    members: Columns
    eligible: Columns
    labeled: Columns
    by_photo: bool = False
    added: Columns | None = None
    unbacked: Columns | None = None


_LABELED = select(Label.candidate_id).where(Label.worker == bindparam("worker"))
_TO_LABEL = is_to_label(of_pool=False)

CANDIDATES = Pool(
    counted=select(Candidate.wnid, func.count()).group_by(Candidate.wnid),
    members=stored_candidates()
    .where(among(Candidate.wnid, "classes"), _TO_LABEL)
    .with_only_columns(Candidate.id, Candidate.wnid, Candidate.photo_id),
    eligible=select(Candidate.id)
    .join(Candidate.photo)
    .where(among(Candidate.id, "candidates"), *_THERE, _TO_LABEL),
    labeled=_LABELED.join(Claim, Claim.id == Label.candidate_id).add_columns(
        case((Claim.rank > 0, Claim.wnid))
    ),
)

_ASKED = select(Question.candidate_id, Question.home)
_SHOWN = (
    _ASKED.add_columns(Claim.photo_id)
    .join(Claim, Claim.id == Question.candidate_id)
    .join(Photo, Photo.id == Claim.photo_id)
    .where(*_THERE, Claim.wnid != Question.home, not_(is_named_gold(of_class=True)))
    .order_by(Question.home, Claim.photo_id, Claim.id)
)

QUESTIONS = Pool(
    counted=_ASKED.with_only_columns(Question.home, func.count()).group_by(Question.home),
    members=_SHOWN.where(among(Question.home, "classes")),
    eligible=_SHOWN.with_only_columns(Question.candidate_id).where(
        among(Question.candidate_id, "candidates")
    ),
    labeled=_LABELED.outerjoin(Question, Question.candidate_id == Label.candidate_id).add_columns(
        Question.home
    ),
    by_photo=True,
    added=_SHOWN.where(among(Question.candidate_id, "candidates")),
    unbacked=select(Question.candidate_id).where(
        among(Question.candidate_id, "candidates"), not_(is_backed())
    ),
)
