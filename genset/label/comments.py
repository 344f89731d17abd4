"""What labelers remarked on photos, for a manager to read."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from genset.db import Claim, Comment, GoldQuestion, Photo, Screen, ScreenPhoto, Store
from genset.db.failures import answering
from genset.label.sheet import write_sheet


@dataclass(frozen=True, slots=True)
class PhotoComment:
    """A labeler's remark on a photo of a class; `text` is "" where they only flagged it.

    `task` is WNID/SOURCE:PHOTO_ID. The text is a stranger's: show it as such.
    """

    task: str
    labeler: str
    text: str
    at: datetime


_TASK = func.coalesce(Claim.wnid, GoldQuestion.wnid) + "/" + Photo.source + ":" + Photo.source_id
_COMMENTS = (
    select(_TASK, Screen.worker, Comment.text, Comment.at)
    .join(ScreenPhoto, ScreenPhoto.id == Comment.screen_photo_id)
    .join(Screen, Screen.id == ScreenPhoto.screen_id)
    .outerjoin(Claim, Claim.id == ScreenPhoto.candidate_id)
    .outerjoin(GoldQuestion, GoldQuestion.id == ScreenPhoto.gold_id)
    .join(Photo, Photo.id == func.coalesce(Claim.photo_id, GoldQuestion.photo_id))
    .order_by(Comment.at.desc(), Comment.screen_photo_id)
)
# Of a claim; a photo of a gold question may be flagged as such.
_FLAGGED = select(ScreenPhoto.id).join(Comment, Comment.screen_photo_id == ScreenPhoto.id)
IS_FLAGGED = or_(
    _FLAGGED.where(ScreenPhoto.candidate_id == Claim.id).exists(),
    _FLAGGED.join(GoldQuestion, GoldQuestion.id == ScreenPhoto.gold_id)
    .where(GoldQuestion.wnid == Claim.wnid, GoldQuestion.photo_id == Claim.photo_id)
    .exists(),
)


def comments(store: Store, task: str | None = None) -> list[PhotoComment]:
    """All comments, or those on one photo of a class, the newest first."""
    rows = _COMMENTS if task is None else _COMMENTS.where(_TASK.in_([task]))
    with answering(), store.session() as session:
        return [PhotoComment(*row) for row in session.execute(rows)]


def flagged(session: Session) -> set[str]:
    """The photos that somebody flagged, each as `PhotoComment.task`."""
    return set(session.scalars(_COMMENTS))


def export_comments(store: Store, path: Path) -> int:
    """Write all comments to a CSV file, and return how many there are.

    Raises:
        BadInput: the file cannot be written.
    """
    rows = ((one.task, one.labeler, one.text, one.at) for one in comments(store))
    return write_sheet(path, ("task", "worker", "comment", "at"), rows)
