"""A labeler as the store has them now: whether they may label, and were warned."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, exists, select
from sqlalchemy.orm import Session

from genset.db import Labeler, Photo, SourceWarned, SourceWords, ask

# Written once: building them takes longer than asking them.
_WARNED = select(SourceWarned.source).where(SourceWarned.labeler_id == bindparam("labeler"))
_SHOWN = exists().where(
    Photo.source == SourceWords.name, Photo.sha256.is_not(None), Photo.rejected.is_(None)
)
# What a labeler was not told yet of the sources of the pool's photos.
WARNINGS = (
    select(SourceWords.name, SourceWords.title, SourceWords.warning)
    .where(SourceWords.warning != "", SourceWords.name.not_in(_WARNED), _SHOWN)
    .order_by(SourceWords.name)
)
_LABELER = select(
    *(Labeler.id, Labeler.name, Labeler.blocked_at),
    exists(WARNINGS.order_by(None)),
).where(Labeler.id == bindparam("labeler"))
_LOCKED_LABELER = _LABELER.with_for_update(key_share=True)


class LabelerNow(NamedTuple):
    """A labeler as the store has them now; one who `must_be_warned` was not told of a source."""

    id: int
    name: str
    blocked_at: datetime | None
    must_be_warned: bool


def read_labeler(session: Session, labeler_id: int) -> LabelerNow:
    """The labeler with this id, whom there is."""
    return LabelerNow(*ask(session, _LABELER, {"labeler": labeler_id}).one())


def lock_labeler(session: Session, labeler_id: int) -> LabelerNow:
    """The same; no other transaction of theirs has the labeler's row until this one ends."""
    return LabelerNow(*ask(session, _LOCKED_LABELER, {"labeler": labeler_id}).one())
