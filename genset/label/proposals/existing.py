"""The photos, claims and questions that the store has of a release already."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from genset.db import (
    Claim,
    Label,
    Photo,
    ProposalRound,
    ProposedBy,
    Question,
    in_batches,
    is_backed,
)
from genset.label.proposals.choose import LABELER, MODEL, Proposer
from genset.label.proposals.share import has_random_classes
from genset.release.reader import ReleasePhoto


class AskedBefore(NamedTuple):
    """A question that is there.

    `is_proposed`: not by a labeler alone. `is_named`: a labeler named the class, and it is backed.
    """

    is_open: bool
    is_proposed: bool
    is_named: bool

    @property
    def counts(self) -> bool:
        """Whether it is one of those that a photo has on average."""
        return self.is_open and self.is_proposed

    @property
    def comes_back(self) -> bool:
        """Whether it is asked again, whatever is proposed now: somebody saw it in the photo."""
        return self.is_named and not self.is_open


def proposed(asked: Mapping[str, AskedBefore]) -> int:
    """How many questions of a photo count among those that it was given."""
    return sum(each.counts for each in asked.values())


class _Known(NamedTuple):
    id: int
    sha256: str | None
    refused: str | None


class Existing:
    """What the store has of a release's photos, read once.

    Args:
        session: of the store.
        photos: of the release.
    """

    def __init__(self, session: Session, photos: Sequence[ReleasePhoto]) -> None:
        self._photos: dict[tuple[str, str], _Known] = {}
        by_source: dict[str, list[str]] = defaultdict(list)
        for photo in photos:
            by_source[photo.source].append(photo.source_id)
        for source, ids in by_source.items():
            for some in in_batches(ids):
                query = select(Photo.id, Photo.sha256, Photo.refused, Photo.source_id)
                rows = session.execute(
                    query.where(Photo.source == source, Photo.source_id.in_(some))
                )
                self._photos |= {
                    (source, name): _Known(number, sha256, refused)
                    for number, sha256, refused, name in rows
                }
        self._claims: dict[tuple[int, str], int] = {}
        self._asked: dict[int, dict[str, AskedBefore]] = defaultdict(dict)
        self._random: dict[int, bool] = {}
        self._models: set[tuple[int, str, str | None]] = set()
        self._others: set[tuple[int, str, str, str]] = set()
        for ids_here in in_batches([photo.id for photo in self._photos.values()]):
            self._read(session, ids_here)

    def _read(self, session: Session, photos: list[int]) -> None:
        about = Claim.photo_id.in_(photos)
        claims = select(Claim.photo_id, Claim.wnid, Claim.id).where(about)
        self._claims |= {(photo, wnid): number for photo, wnid, number in session.execute(claims)}
        by = (
            select(Claim.photo_id, Claim.wnid, ProposedBy.kind, ProposedBy.name, ProposedBy.run)
            .join(ProposedBy, ProposedBy.candidate_id == Claim.id)
            .where(about)
        )
        proposed: set[tuple[int, str]] = set()
        named: set[tuple[int, str]] = set()
        for photo, wnid, kind, name, run in session.execute(by):
            self._others.add((photo, wnid, kind, name))
            if kind == MODEL:
                self._models.add((photo, wnid, run))
            (named if kind == LABELER else proposed).add((photo, wnid))
        labeled = exists(select(Label.number).where(Label.candidate_id == Question.candidate_id))
        asked = (
            select(
                Claim.photo_id,
                Claim.wnid,
                Question.at_random,
                ProposalRound.withdrawn_at,
                labeled,
                is_backed(),
            )
            .join(Question, Question.candidate_id == Claim.id)
            .join(ProposalRound, ProposalRound.id == Question.round_id)
            .where(about)
        )
        marks: dict[int, list[tuple[bool, bool]]] = defaultdict(list)
        for photo, wnid, at_random, withdrawn_at, is_labeled, backed in session.execute(asked):
            is_open, is_proposed = withdrawn_at is None, (photo, wnid) in proposed
            is_named = backed and (photo, wnid) in named
            self._asked[photo][wnid] = AskedBefore(is_open, is_proposed, is_named)
            # What was withdrawn before anybody answered it binds nobody.
            if is_open or is_labeled:
                marks[photo].append((at_random, is_proposed))
        for photo, theirs in marks.items():
            self._random[photo] = bool(has_random_classes(theirs))

    def left_out(self, photo: ReleasePhoto) -> str | None:
        """Why nobody can be asked about a photo; None where they can."""
        known = self._known(photo)
        if known is None:
            return "not in this workspace"
        is_gone = known.refused is not None or known.sha256 != photo.sha256
        return "removed" if is_gone else None

    def id_of(self, photo: ReleasePhoto) -> int:
        """The `Photo.id` of one that is not left out."""
        return self._photos[photo.source, photo.source_id].id

    def asked(self, photo: ReleasePhoto) -> Mapping[str, AskedBefore]:
        """The questions of a photo, by class; none of one that is not in this workspace."""
        known = self._known(photo)
        return self._asked.get(known.id, {}) if known else {}

    def is_random(self, photo: ReleasePhoto, drawn: bool) -> bool:
        """Whether a photo has classes at random: as its questions do, or else as it is drawn.

        Its questions are those that are asked still, and those that somebody answered.
        """
        known = self._known(photo)
        return self._random.get(known.id, drawn) if known else drawn

    def claim(self, photo_id: int, wnid: str) -> int | None:
        """The claim that a photo shows a class, if there is one."""
        return self._claims.get((photo_id, wnid))

    def is_news(self, photo_id: int, wnid: str, by: Proposer) -> bool:
        """Whether it is not stored yet that this one proposes the class. A model is its run."""
        if by.kind == MODEL and (photo_id, wnid, by.run) in self._models:
            return False
        return (photo_id, wnid, by.kind, by.name) not in self._others

    def _known(self, photo: ReleasePhoto) -> _Known | None:
        return self._photos.get((photo.source, photo.source_id))
