"""What all galleries show of a photo, and how they are filtered."""

import enum
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import Candidate, GoldAnswer, Label, Photo, Ruling, Store, Verdict
from genset.label.answering import answering


class Which(enum.StrEnum):
    """A filter of a gallery."""

    ALL = "all"
    DISAGREEMENT = "disagreement"
    CONTESTED = "contested"
    RULED = "ruled"
    UNLABELED = "not labeled"
    OUT = "void or held out"
    GOLD = "gold questions"


@dataclass(frozen=True, slots=True)
class Pictured:
    """A stored photo, the class that it was shown for, and whose it is.

    `task` names photo and class. `owner_name` and the addresses are a stranger's words: show them
    as text.
    """

    task: str
    wnid: str
    photo_id: int
    source: str
    source_id: str
    owner_name: str
    license: str
    license_url: str
    page_url: str

    @classmethod
    def of(cls, wnid: str, photo: Photo) -> "Pictured":
        """A photo as it was shown for a class."""
        return cls(
            f"{wnid}/{photo.source}:{photo.source_id}",
            wnid,
            photo.id,
            photo.source,
            photo.source_id,
            photo.owner_name or photo.owner,
            photo.license,
            photo.license_url,
            photo.page_url,
        )


def classes_with_photos(store: Store) -> dict[str, int]:
    """How many candidates with a stored photo each class has, by wnid."""
    counted = (
        select(Candidate.wnid, func.count())
        .join(Candidate.photo)
        .where(Photo.sha256.is_not(None), Photo.refused.is_(None))
        .group_by(Candidate.wnid)
        .order_by(Candidate.wnid)
    )
    with answering(), store.session() as session:
        return dict(session.execute(counted).all())


def labelers_with_labels(store: Store) -> dict[str, int]:
    """How many labels each labeler gave, by name: in all panels, and also those that are void."""
    counted = select(Label.worker, func.count()).group_by(Label.worker)
    answered = select(GoldAnswer.worker).distinct()
    with answering(), store.session() as session:
        found = dict.fromkeys(session.scalars(answered), 0)
        found |= dict(session.execute(counted).all())
    return dict(sorted(found.items()))


def rulings_on(session: Session, candidates: Collection[int]) -> dict[int, Verdict]:
    """The newest ruling's verdict on those of these candidates that have one, by `Candidate.id`."""
    ruled = (
        select(Ruling.candidate_id, Ruling.verdict)
        .where(Ruling.candidate_id.in_(candidates))
        .order_by(Ruling.number)
    )
    return dict(session.execute(ruled).all())
