"""What was shown and said, photo by photo: of a class, by a labeler, of one candidate."""

import enum
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter

from sqlalchemy import ColumnElement, SQLColumnExpression, func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import (
    Candidate,
    Claim,
    GoldAnswer,
    GoldQuestion,
    Label,
    Photo,
    ReviewRequest,
    Ruling,
    Store,
    Verdict,
    find_candidate,
    is_contested,
    is_out,
)
from genset.db.failures import answering
from genset.label.comments import IS_FLAGGED, flagged
from genset.label.credits import CREDITS, CreditedCandidate


class Which(enum.StrEnum):
    """A filter of a gallery."""

    ALL = "all"
    DISAGREEMENT = "disagreement"
    CONTESTED = "contested"
    RULED = "ruled"
    UNLABELED = "not labeled"
    FLAGGED = "flagged"
    OUT = "void or held out"
    GOLD = "gold questions"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a labeler said of one photo, and when.

    It is `in_force` when it is the labeler's newest and not `out`: void or held out. `expected` is
    the known answer, of a gold question alone.
    """

    worker: str
    verdict: Verdict
    decided_at: datetime
    panel: str
    in_force: bool
    out: bool
    expected: Verdict | None = None


@dataclass(frozen=True, slots=True)
class LabeledPhoto:
    """A photo that was shown for a class, and what was said of it.

    `counts` has its votes in force by verdict, over all panels; `out` counts the labelers whose
    votes are void or held out. `ruling` is the newest one's verdict. `is_gold` says that its photo
    is a gold question of this class, `is_flagged` that a labeler flagged it. In a labeler's gallery
    `answer` is what they said, and the others are counted.
    """

    photo: CreditedCandidate
    counts: Counter[Verdict]
    out: int = 0
    ruling: Verdict | None = None
    contested: bool = False
    is_gold: bool = False
    is_flagged: bool = False
    answer: Answer | None = None

    def passes(self, which: Which, verdict: Verdict | None = None) -> bool:
        """Whether a filter lets it through; with a `verdict`, only where a vote says so.

        In a labeler's gallery the labeler's own vote, and a disagreement is one with the others.
        """
        verdicts = set(self.counts) if self.answer is None else {self.answer.verdict}
        if verdict is not None and verdict not in verdicts:
            return False
        return {
            Which.ALL: True,
            Which.DISAGREEMENT: len(verdicts | set(self.counts)) > 1,
            Which.CONTESTED: self.contested,
            Which.RULED: self.ruling is not None,
            Which.UNLABELED: not verdicts,
            Which.FLAGGED: self.is_flagged,
            Which.OUT: self.out > 0 if self.answer is None else self.answer.out,
            Which.GOLD: self.is_gold,
        }[which]


@dataclass(frozen=True, slots=True)
class Case:
    """All that is known of one candidate: its labels, rulings and requests for review, in order.

    `gold` are the gold questions that its photo is, of whatever class.
    """

    candidate: LabeledPhoto
    labels: tuple[Answer, ...]
    rulings: tuple[Ruling, ...]
    requests: tuple[ReviewRequest, ...]
    gold: tuple[GoldQuestion, ...]

    def is_open(self, request: ReviewRequest) -> bool:
        """Whether no ruling was made since a request."""
        return all(ruling.at < request.at for ruling in self.rulings)


def classes_with_photos(store: Store) -> dict[str, int]:
    """How many candidates with a stored photo each class has, by wnid."""
    counted = (
        select(Candidate.wnid, func.count())
        .join(Candidate.photo)
        .where(Photo.in_use)
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


def photos_of_class(store: Store, wnid: str) -> list[LabeledPhoto]:
    """The candidates of a class that have a stored photo, by rank."""
    of_class = [Claim.wnid == wnid, Claim.rank > 0, Photo.in_use]
    with answering(), store.session() as session:
        labels = _labels(session, Claim.wnid == wnid)
        return list(_photos(session, labels, *of_class).values())


def photos_flagged(store: Store) -> list[LabeledPhoto]:
    """What somebody flagged, of all classes: candidates and questions that have a stored photo."""
    with answering(), store.session() as session:
        labels = _labels(session, IS_FLAGGED)
        return list(_photos(session, labels, IS_FLAGGED, Photo.in_use).values())


def photos_of_labeler(store: Store, worker: str) -> list[LabeledPhoto]:
    """All that a labeler said of candidates and gold questions, in the order of their decisions.

    Labels that they changed later are among it.
    """
    by_worker = Claim.id.in_(select(Label.candidate_id).where(Label.worker == worker))
    with answering(), store.session() as session:
        labels = _labels(session, by_worker)
        photos = _photos(session, labels, by_worker, without=worker)
        found = [
            replace(photos[number], is_gold=False, answer=answer)
            for number, answers in labels.items()
            for answer in answers
            if answer.worker == worker
        ]
        found += _gold_answers(session, worker)
    return sorted(found, key=attrgetter("answer.decided_at"))


def case_of(store: Store, task: str) -> Case:
    """The candidate or question with this name, WNID/SOURCE:PHOTO_ID.

    Raises:
        BadInput: there is none, or its photo was removed.
    """
    with answering(), store.session() as session:
        claim = find_candidate(session, task)
        labels = _labels(session, Claim.id == claim.id)
        found = _photos(session, labels, Claim.id == claim.id, Photo.in_use)
        if not found:
            raise BadInput(f"the photo of {task} was removed")
        rulings = select(Ruling).where(Ruling.candidate_id == claim.id)
        requests = select(ReviewRequest).where(ReviewRequest.candidate_id == claim.id)
        gold = select(GoldQuestion).where(GoldQuestion.photo_id == claim.photo_id)
        return Case(
            candidate=found[claim.id],
            labels=tuple(labels[claim.id]),
            rulings=tuple(session.scalars(rulings.order_by(Ruling.number))),
            requests=tuple(session.scalars(requests.order_by(ReviewRequest.number))),
            gold=tuple(session.scalars(gold.order_by(GoldQuestion.id))),
        )


def _labels(session: Session, of: ColumnElement[bool]) -> dict[int, list[Answer]]:
    """Every label on the claims that meet a condition, by `Claim.id`, in their order."""
    columns = (
        *(Label.candidate_id, Label.worker, Label.verdict, Label.decided_at, Label.panel),
        *(Label.number, is_out(Label).label("out")),
    )
    query = select(*columns).join(Claim, Claim.id == Label.candidate_id).where(of)
    rows = session.execute(query.order_by(Label.number)).all()
    newest = {(row.candidate_id, row.worker): row.number for row in rows if not row.out}
    found: dict[int, list[Answer]] = defaultdict(list)
    for row in rows:
        found[row.candidate_id].append(
            Answer(
                row.worker,
                row.verdict,
                row.decided_at,
                row.panel,
                in_force=newest.get((row.candidate_id, row.worker)) == row.number,
                out=bool(row.out),
            )
        )
    return found


def _photos(
    session: Session,
    labels: dict[int, list[Answer]],
    *of: SQLColumnExpression[bool],
    without: str | None = None,
) -> dict[int, LabeledPhoto]:
    """The claims that meet conditions, by `Claim.id` and in their order, with what was said.

    Votes are counted `without` those of one labeler.
    """
    ids = select(Claim.id).join(Photo, Photo.id == Claim.photo_id).where(*of)
    ruled = select(Ruling.candidate_id, Ruling.verdict).where(Ruling.candidate_id.in_(ids))
    rulings = dict(session.execute(ruled.order_by(Ruling.number)).all())
    several = select(Candidate.id).where(Candidate.id.in_(ids), is_contested())
    contested = set(session.scalars(several))
    named = select(GoldQuestion.wnid, GoldQuestion.photo_id)
    gold = set(map(tuple, session.execute(named.where(GoldQuestion.retired_at.is_(None)))))
    columns = Claim.id.label("candidate_id"), Claim.wnid, *CREDITS
    claims = ids.with_only_columns(*columns).order_by(Claim.wnid, Claim.rank, Claim.id)
    found, remarked = {}, flagged(session)
    for row in session.execute(claims):
        answers = labels.get(row.candidate_id, ())
        votes = {answer.worker: answer.verdict for answer in answers if answer.in_force}
        out = {answer.worker for answer in answers if answer.out} - votes.keys() - {without}
        votes.pop(without or "", None)
        photo = CreditedCandidate.of(row)
        found[row.candidate_id] = LabeledPhoto(
            photo=photo,
            counts=Counter(votes.values()),
            out=len(out),
            ruling=rulings.get(row.candidate_id),
            contested=row.candidate_id in contested,
            is_gold=(row.wnid, row.id) in gold,
            is_flagged=photo.task in remarked,
        )
    return found


def _gold_answers(session: Session, worker: str) -> list[LabeledPhoto]:
    """What a labeler said of gold questions."""
    columns = (
        *(GoldAnswer.gold_id, GoldAnswer.verdict, GoldAnswer.decided_at),
        *(GoldAnswer.number, is_out(GoldAnswer).label("out")),
        *(GoldQuestion.wnid, GoldQuestion.expected, *CREDITS),
    )
    query = (
        select(*columns)
        .join(GoldQuestion, GoldQuestion.id == GoldAnswer.gold_id)
        .join(Photo, Photo.id == GoldQuestion.photo_id)
        .where(GoldAnswer.worker == worker)
    )
    rows = session.execute(query.order_by(GoldAnswer.number)).all()
    newest, remarked = {row.gold_id: row.number for row in rows}, flagged(session)
    return [
        LabeledPhoto(
            photo=(photo := CreditedCandidate.of(row)),
            counts=Counter(),
            is_gold=True,
            is_flagged=photo.task in remarked,
            answer=Answer(
                worker,
                row.verdict,
                row.decided_at,
                "",
                in_force=not row.out and newest[row.gold_id] == row.number,
                out=bool(row.out),
                expected=row.expected,
            ),
        )
        for row in rows
    ]
