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


@dataclass(frozen=True, slots=True)
class Shown:
    """A candidate, and what was said of it.

    `said` counts its votes in force by verdict, over all panels; `out` the labelers whose votes are
    void or held out. `ruling` is the newest one's verdict. `is_gold` says that its photo is a gold
    question of this class.
    """

    photo: Pictured
    said: Counter[Verdict]
    out: int
    ruling: Verdict | None
    contested: bool
    is_gold: bool

    def passes(self, which: Which, verdict: Verdict | None = None) -> bool:
        """Whether a filter lets it through; with a `verdict`, only where a vote says so."""
        if verdict is not None and not self.said[verdict]:
            return False
        return {
            Which.ALL: True,
            Which.DISAGREEMENT: len(self.said) > 1,
            Which.CONTESTED: self.contested,
            Which.RULED: self.ruling is not None,
            Which.UNLABELED: not self.said,
            Which.OUT: self.out > 0,
            Which.GOLD: self.is_gold,
        }[which]


def of_class(store: Store, wnid: str) -> list[Shown]:
    """The candidates of a class that have a stored photo, by rank."""
    with answering(), store.session() as session:
        return shown_of(session, wnid)


def shown_of(session: Session, wnid: str, candidate_id: int | None = None) -> list[Shown]:
    """The same; of one candidate alone where it is named."""
    candidates = stored_candidates(wnid).options(contains_eager(Candidate.photo))
    said = (
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
        said, ruled = (
            said.where(Label.candidate_id == candidate_id),
            ruled.where(Ruling.candidate_id == candidate_id),
        )
    votes: dict[int, dict[str, Verdict]] = defaultdict(dict)
    out: dict[int, set[str]] = defaultdict(set)
    for number, worker, verdict, is_void in session.execute(said):
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
        Shown(
            photo=Pictured.of(wnid, each.photo),
            said=Counter(votes[each.id].values()),
            out=len(out[each.id] - votes[each.id].keys()),
            ruling=rulings.get(each.id),
            contested=each.id in contested,
            is_gold=each.photo_id in gold,
        )
        for each in session.scalars(candidates)
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
class Settled:
    """A ruling: what somebody settled, and why."""

    verdict: Verdict
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Sent:
    """A request for review: who doubts the candidate, and why. `open` until a later ruling."""

    by: str
    reason: str
    at: datetime
    open: bool


@dataclass(frozen=True, slots=True)
class Known:
    """A gold question that the photo is: of which class, with which answer, and why."""

    id: int
    wnid: str
    expected: Verdict
    reason: str
    retired_at: datetime | None


@dataclass(frozen=True, slots=True)
class Case:
    """All that is known of one candidate."""

    shown: Shown
    votes: tuple[Vote, ...]
    rulings: tuple[Settled, ...]
    requests: tuple[Sent, ...]
    gold: tuple[Known, ...]


def case_of(store: Store, task: str) -> Case:
    """The candidate with this name, WNID/SOURCE:PHOTO_ID.

    Raises:
        BadInput: there is no such candidate, or its photo was removed.
    """
    with answering(), store.session() as session:
        candidate = find_candidate(session, task)
        shown = shown_of(session, candidate.wnid, candidate.id)
        if not shown:
            raise BadInput(f"the photo of {task} was removed")
        said = [
            (label, bool(out))
            for label, out in session.execute(
                select(Label, is_out(Label))
                .where(Label.candidate_id == candidate.id)
                .order_by(Label.number)
            )
        ]
        newest = {label.worker: label.number for label, out in said if not out}
        pace = seconds_a_photo(session, (label.screen_id for label, _ in said))
        ruled = select(Ruling).where(Ruling.candidate_id == candidate.id).order_by(Ruling.number)
        rulings = session.scalars(ruled).all()
        ruled_at = max((ruling.at for ruling in rulings), default=None)
        sent = (
            select(ReviewRequest)
            .where(ReviewRequest.candidate_id == candidate.id)
            .order_by(ReviewRequest.number)
        )
        asked = select(GoldQuestion).where(GoldQuestion.photo_id == candidate.photo_id)
        return Case(
            shown=shown[0],
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
                for label, out in said
            ),
            rulings=tuple(
                Settled(ruling.verdict, ruling.by, ruling.reason, ruling.at) for ruling in rulings
            ),
            requests=tuple(
                Sent(each.by, each.reason, each.at, ruled_at is None or each.at > ruled_at)
                for each in session.scalars(sent)
            ),
            gold=tuple(
                Known(each.id, each.wnid, each.expected, each.reason, each.retired_at)
                for each in session.scalars(asked.order_by(GoldQuestion.id))
            ),
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
