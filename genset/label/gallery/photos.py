"""Photos of a class with what was said of them, and all that is known of one of them."""

import enum
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, contains_eager

from genset.core.errors import BadInput
from genset.db import (
    Candidate,
    GoldAnswer,
    GoldQuestion,
    Label,
    Photo,
    ReviewRequest,
    Ruling,
    Screen,
    ScreenPhoto,
    Store,
    Verdict,
    find_candidate,
    is_contested,
    is_out,
    stored_candidates,
)
from genset.db.failures import answering
from genset.label.credits import CreditedCandidate


class Which(enum.StrEnum):
    """A filter of a gallery."""

    ALL = "all"
    DISAGREEMENT = "disagreement"
    CONTESTED = "contested"
    RULED = "ruled"
    UNLABELED = "not labeled"
    OUT = "void or held out"
    GOLD = "gold questions"


def classes_with_photos(store: Store) -> dict[str, int]:
    """How many candidates with a stored photo each class has, by wnid."""
    counted = (
        select(Candidate.wnid, func.count())
        .join(Candidate.photo)
        .where(Photo.sha256.is_not(None), Photo.rejected.is_(None))
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


@dataclass(frozen=True, slots=True)
class LabeledCandidate:
    """A candidate, and what was said of it.

    `counts` has its votes in force by verdict, over all panels; `out` counts the labelers whose
    votes are void or held out. `ruling` is the newest one's verdict. `is_gold` says that its photo
    is a gold question of this class.
    """

    photo: CreditedCandidate
    counts: Counter[Verdict]
    out: int
    ruling: Verdict | None
    contested: bool
    is_gold: bool

    def passes(self, which: Which, verdict: Verdict | None = None) -> bool:
        """Whether a filter lets it through; with a `verdict`, only where a vote says so."""
        if verdict is not None and not self.counts[verdict]:
            return False
        return {
            Which.ALL: True,
            Which.DISAGREEMENT: len(self.counts) > 1,
            Which.CONTESTED: self.contested,
            Which.RULED: self.ruling is not None,
            Which.UNLABELED: not self.counts,
            Which.OUT: self.out > 0,
            Which.GOLD: self.is_gold,
        }[which]


def of_class(store: Store, wnid: str) -> list[LabeledCandidate]:
    """The candidates of a class that have a stored photo, by rank."""
    with answering(), store.session() as session:
        return labeled_candidates(session, wnid)


def labeled_candidates(
    session: Session, wnid: str, candidate_id: int | None = None
) -> list[LabeledCandidate]:
    """The same; of one candidate alone where it is named."""
    candidates = stored_candidates(wnid).options(contains_eager(Candidate.photo))
    labels = (
        select(Label.candidate_id, Label.worker, Label.verdict, is_out(Label))
        .join(Label.candidate)
        .where(Candidate.wnid == wnid)
        .order_by(Label.number)
    )
    ruled = (
        select(Ruling.candidate_id, Ruling.verdict)
        .join(Ruling.candidate)
        .where(Candidate.wnid == wnid)
        .order_by(Ruling.number)
    )
    if candidate_id is not None:
        candidates = candidates.where(Candidate.id == candidate_id)
        labels = labels.where(Label.candidate_id == candidate_id)
        ruled = ruled.where(Ruling.candidate_id == candidate_id)
    votes: dict[int, dict[str, Verdict]] = defaultdict(dict)
    out: dict[int, set[str]] = defaultdict(set)
    for number, worker, verdict, is_void in session.execute(labels):
        if is_void:
            out[number].add(worker)
        else:
            votes[number][worker] = verdict
    rulings = dict(session.execute(ruled).all())
    contested = set(
        session.scalars(candidates.where(is_contested()).with_only_columns(Candidate.id))
    )
    gold = set(
        session.scalars(
            select(GoldQuestion.photo_id).where(
                GoldQuestion.wnid == wnid, GoldQuestion.retired_at.is_(None)
            )
        )
    )
    return [
        LabeledCandidate(
            photo=CreditedCandidate.of(wnid, candidate.photo),
            counts=Counter(votes[candidate.id].values()),
            out=len(out[candidate.id] - votes[candidate.id].keys()),
            ruling=rulings.get(candidate.id),
            contested=candidate.id in contested,
            is_gold=candidate.photo_id in gold,
        )
        for candidate in session.scalars(candidates)
    ]


@dataclass(frozen=True, slots=True)
class Vote:
    """A label: who said what, when, how long a photo of its screen took, and whether it counts.

    It is `in_force` when it is the labeler's newest and not `out`: void or held out.
    """

    worker: str
    verdict: Verdict
    decided_at: datetime
    panel: str
    seconds: float | None
    in_force: bool
    out: bool


@dataclass(frozen=True, slots=True)
class Case:
    """All that is known of one candidate: its votes, rulings and requests for review, in order.

    `gold` are the gold questions that its photo is, of whatever class.
    """

    candidate: LabeledCandidate
    votes: tuple[Vote, ...]
    rulings: tuple[Ruling, ...]
    requests: tuple[ReviewRequest, ...]
    gold: tuple[GoldQuestion, ...]

    def is_open(self, request: ReviewRequest) -> bool:
        """Whether no ruling was made since a request."""
        return all(ruling.at < request.at for ruling in self.rulings)


def case_of(store: Store, task: str) -> Case:
    """The candidate with this name, WNID/SOURCE:PHOTO_ID.

    Raises:
        BadInput: there is no such candidate, or its photo was removed.
    """
    with answering(), store.session() as session:
        candidate = find_candidate(session, task)
        found = labeled_candidates(session, candidate.wnid, candidate.id)
        if not found:
            raise BadInput(f"the photo of {task} was removed")
        labels = [
            (label, bool(out))
            for label, out in session.execute(
                select(Label, is_out(Label))
                .where(Label.candidate_id == candidate.id)
                .order_by(Label.number)
            )
        ]
        newest = {label.worker: label.number for label, out in labels if not out}
        pace = seconds_a_photo(session, (label.screen_id for label, _ in labels))
        rulings = select(Ruling).where(Ruling.candidate_id == candidate.id)
        requests = select(ReviewRequest).where(ReviewRequest.candidate_id == candidate.id)
        gold = select(GoldQuestion).where(GoldQuestion.photo_id == candidate.photo_id)
        return Case(
            candidate=found[0],
            votes=tuple(
                Vote(
                    worker=label.worker,
                    verdict=label.verdict,
                    decided_at=label.decided_at,
                    panel=label.panel,
                    seconds=pace.get(label.screen_id or ""),
                    in_force=newest.get(label.worker) == label.number,
                    out=out,
                )
                for label, out in labels
            ),
            rulings=tuple(session.scalars(rulings.order_by(Ruling.number))),
            requests=tuple(session.scalars(requests.order_by(ReviewRequest.number))),
            gold=tuple(session.scalars(gold.order_by(GoldQuestion.id))),
        )


def seconds_a_photo(session: Session, screens: Iterable[str | None]) -> dict[str, float]:
    """How long a photo of each of these screens took, by `Screen.id`; unknown ones are left out.

    The time for which the screen was looked at, or else from its first photo's being painted to
    its last verdict, by the number of its photos.
    """
    names = {screen for screen in screens if screen is not None}
    photos = dict(
        session.execute(
            select(ScreenPhoto.screen_id, func.count())
            .where(ScreenPhoto.screen_id.in_(names))
            .group_by(ScreenPhoto.screen_id)
        ).all()
    )
    looked = session.execute(select(Screen.id, Screen.seconds).where(Screen.id.in_(names)))
    found = {screen: seconds for screen, seconds in looked if seconds is not None}
    spans: dict[str, list[Any]] = defaultdict(list)
    # By the photos on the screens, for which there are indexes.
    on_candidates = (
        select(ScreenPhoto.screen_id, func.min(Label.shown_at), func.max(Label.decided_at))
        .join(Screen, Screen.id == ScreenPhoto.screen_id)
        .join(
            Label,
            (Label.candidate_id == ScreenPhoto.candidate_id) & (Label.worker == Screen.worker),
        )
        .where(Label.screen_id == Screen.id, Label.supersedes.is_(None))
    )
    on_gold = (
        select(
            ScreenPhoto.screen_id, func.min(GoldAnswer.shown_at), func.max(GoldAnswer.decided_at)
        )
        .join(Screen, Screen.id == ScreenPhoto.screen_id)
        .join(
            GoldAnswer,
            (GoldAnswer.gold_id == ScreenPhoto.gold_id) & (GoldAnswer.worker == Screen.worker),
        )
        .where(GoldAnswer.screen_id == Screen.id)
    )
    for spanned in (on_candidates, on_gold):
        rows = spanned.where(ScreenPhoto.screen_id.in_(names)).group_by(ScreenPhoto.screen_id)
        for screen, shown, decided in session.execute(rows):
            if shown is not None:
                spans[screen].append((shown, decided))
    for screen, of_tables in spans.items():
        start, end = min(table[0] for table in of_tables), max(table[1] for table in of_tables)
        found.setdefault(screen, max(0.0, (end - start).total_seconds()))
    return {screen: seconds / photos[screen] for screen, seconds in found.items()}
