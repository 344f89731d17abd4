"""What a round of proposals adds to the questions that are stored already."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import (
    Claim,
    Photo,
    ProposalRound,
    ProposedBy,
    Question,
    in_batches,
    is_backed,
    rulings_in_force,
    stored_taxonomy,
    votes,
)
from genset.db.votes_needed import question_votes_missing
from genset.label.proposals.choose import LABELER, MODEL, ModelAnswers, Proposer, ranked
from genset.release.reader import ReleasePhoto
from genset.settings import LabelRules

MOST = 8
"""Classes that a screen of one photo asks about, beside one whose answer is known."""


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """Whether `wnid` is in a photo, too. `candidate_id` is None where nothing claims that yet.

    `again` where it was asked in a round that was withdrawn.
    """

    photo_id: int
    wnid: str
    home: str
    candidate_id: int | None
    again: bool


@dataclass(slots=True)
class Plan:
    """What a round adds.

    Attributes:
        questions: those that it asks, in the order of the release's photos; also those that only
            labelers named, where they were withdrawn.
        proposers: who proposes what, by photo and class: those that are not stored yet.
        photos: how many photos it asks about, or has asked about before.
        left_out: photos of the release that nobody can be asked about, by reason.
        known: questions that are stored already, and not withdrawn.
        claimed: how many of `questions` another class's search found already.
        votes: what `questions` take at least, beside the votes that they have.
        by: how many of `questions` each model proposes, and the others; several may do so.
    """

    questions: list[NewQuestion] = field(default_factory=list)
    proposers: dict[tuple[int, str], list[Proposer]] = field(default_factory=dict)
    photos: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    known: int = 0
    claimed: int = 0
    votes: int = 0
    by: Counter[str] = field(default_factory=Counter)


def make_plan(
    session: Session,
    photos: Sequence[ReleasePhoto],
    models: Sequence[ModelAnswers],
    rules: LabelRules,
    most: int = MOST,
) -> Plan:
    """Choose the classes for each photo of a release, and see which are not asked about yet.

    What labelers had named comes back with what is proposed.

    Args:
        session: of the store.
        photos: of the release.
        models: whose answers are proposed.
        rules: how many labelers each question goes to.
        most: the most classes that the round proposes for a photo, 1 to `MOST`.

    Raises:
        BadInput: `most` is out of its range.
    """
    if not 1 <= most <= MOST:
        raise BadInput(f"a photo has 1 to {MOST} proposals, not {most}")
    plan = Plan()
    stored = _StoredQuestions(session, photos)
    taxonomy = stored_taxonomy(session)
    for photo in photos:
        if (reason := stored.left_out(photo)) is not None:
            plan.left_out[reason] += 1
            continue
        photo_id = stored.id_of(photo)
        questions = stored.questions[photo_id]
        by_class = ranked(photo.wnid, photo.file, models, taxonomy)
        chosen = list(by_class)[:most]
        plan.photos += 1
        plan.known += sum(question.is_open for question in questions.values())
        named = {wnid for wnid, question in questions.items() if question.comes_back}
        for wnid in [*chosen, *sorted(named - set(chosen))]:
            question = questions.get(wnid)
            if question is None or not question.is_open:
                claim, again = stored.claims.get((photo_id, wnid)), question is not None
                plan.claimed += claim is not None and not again
                plan.questions.append(NewQuestion(photo_id, wnid, photo.wnid, claim, again))
                by = by_class.get(wnid) or [Proposer(LABELER)]
                plan.by.update(one.name if one.kind == MODEL else one.kind for one in by)
        for wnid, by in by_class.items():
            if wnid in chosen or wnid in questions:
                new = [one for one in by if stored.is_new(photo_id, wnid, one)]
                if new:
                    plan.proposers[photo_id, wnid] = new
    plan.votes = _votes_missing(session, plan.questions, rules)
    return plan


class _StoredQuestion(NamedTuple):
    """`is_named`: a labeler named the class, and it is backed."""

    is_open: bool
    is_named: bool

    @property
    def comes_back(self) -> bool:
        """Whether it is asked again, whatever is proposed now: somebody saw it in the photo."""
        return self.is_named and not self.is_open


class _StoredPhoto(NamedTuple):
    id: int
    sha256: str | None
    rejected: str | None


class _StoredQuestions:
    """The photos, claims and questions that the store has of a release, read once.

    Attributes:
        claims: the id of the claim that a photo (by its id) shows a class.
        questions: of each photo, by class.
    """

    def __init__(self, session: Session, photos: Sequence[ReleasePhoto]) -> None:
        self._photos: dict[tuple[str, str], _StoredPhoto] = {}
        by_source: dict[str, list[str]] = defaultdict(list)
        for photo in photos:
            by_source[photo.source].append(photo.source_id)
        for source, ids in by_source.items():
            for some in in_batches(ids):
                query = select(Photo.id, Photo.sha256, Photo.rejected, Photo.source_id)
                rows = session.execute(
                    query.where(Photo.source == source, Photo.source_id.in_(some))
                )
                self._photos |= {
                    (source, source_id): _StoredPhoto(photo_id, sha256, rejected)
                    for photo_id, sha256, rejected, source_id in rows
                }
        self.claims: dict[tuple[int, str], int] = {}
        self.questions: Mapping[int, dict[str, _StoredQuestion]] = defaultdict(dict)
        self._runs: set[tuple[int, str, str | None]] = set()
        self._proposers: set[tuple[int, str, str, str]] = set()
        for photo_ids in in_batches([photo.id for photo in self._photos.values()]):
            self._read(session, photo_ids)

    def _read(self, session: Session, photo_ids: list[int]) -> None:
        about = Claim.photo_id.in_(photo_ids)
        claims = select(Claim.photo_id, Claim.wnid, Claim.id).where(about)
        self.claims |= {(photo, wnid): claim for photo, wnid, claim in session.execute(claims)}
        proposers = (
            select(Claim.photo_id, Claim.wnid, ProposedBy.kind, ProposedBy.name, ProposedBy.run)
            .join(ProposedBy, ProposedBy.candidate_id == Claim.id)
            .where(about)
        )
        named: set[tuple[int, str]] = set()
        for photo, wnid, kind, name, run in session.execute(proposers):
            self._proposers.add((photo, wnid, kind, name))
            if kind == MODEL:
                self._runs.add((photo, wnid, run))
            elif kind == LABELER:
                named.add((photo, wnid))
        questions = (
            select(Claim.photo_id, Claim.wnid, ProposalRound.withdrawn_at, is_backed())
            .join(Question, Question.candidate_id == Claim.id)
            .join(ProposalRound, ProposalRound.id == Question.round_id)
            .where(about)
        )
        for photo, wnid, withdrawn_at, backed in session.execute(questions):
            is_named = backed and (photo, wnid) in named
            self.questions[photo][wnid] = _StoredQuestion(withdrawn_at is None, is_named)

    def left_out(self, photo: ReleasePhoto) -> str | None:
        """Why nobody can be asked about a photo; None where they can."""
        stored = self._photos.get((photo.source, photo.source_id))
        if stored is None:
            return "not in this workspace"
        is_gone = stored.rejected is not None or stored.sha256 != photo.sha256
        return "removed" if is_gone else None

    def id_of(self, photo: ReleasePhoto) -> int:
        """The `Photo.id` of one that is not left out."""
        return self._photos[photo.source, photo.source_id].id

    def is_new(self, photo_id: int, wnid: str, by: Proposer) -> bool:
        """Whether it is not stored yet that this one proposes the class. A model is its run."""
        if by.kind == MODEL and (photo_id, wnid, by.run) in self._runs:
            return False
        return (photo_id, wnid, by.kind, by.name) not in self._proposers


def _votes_missing(session: Session, questions: Sequence[NewQuestion], rules: LabelRules) -> int:
    ids = [question.candidate_id for question in questions if question.candidate_id is not None]
    total = (len(questions) - len(ids)) * rules.votes
    if not ids:
        return total
    counts, rulings = votes(session, rules.panel), rulings_in_force(session)
    return total + sum(
        question_votes_missing(rules, counts.get(claim, {}), ruled=claim in rulings)
        for claim in ids
    )
