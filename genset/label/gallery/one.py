"""One candidate: every label, ruling and gold question, in the order in which they came."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from genset.core.errors import BadInput
from genset.db import (
    GoldQuestion,
    Label,
    ReviewRequest,
    Ruling,
    Store,
    Verdict,
    find_candidate,
    is_out,
)
from genset.label.answering import answering
from genset.label.gallery.by_class import Shown, shown_of
from genset.label.gallery.by_labeler import seconds_a_photo


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
