"""Who labels just now, how fast labels come in, and when they will be all there."""

from collections import Counter
from dataclasses import astuple, dataclass
from datetime import timedelta

from sqlalchemy import func, select

from genset.db import Label, Screen, Store, is_out, now
from genset.db.failures import answering
from genset.db.votes_needed import MissingVotes as MissingVotes
from genset.db.votes_needed import missing_votes
from genset.label.queue.board import LIVE
from genset.settings import LabelRules

_AN_HOUR = timedelta(hours=1)
_LEAST_LABELS = 20  # of a pace that says when it will be done


@dataclass(frozen=True, slots=True)
class Pace:
    """The last hour: how many photos were labeled, and by each who is `at_work`, by name.

    Labels of the panel that is being labeled, on the page, without changed minds and without what
    is void or held out; they `took` the time since the first of them. At work is who has a live
    lease.
    """

    at_work: dict[str, int]
    labels: int
    took: timedelta

    def time_for(self, votes: int) -> timedelta | None:
        """How long so many votes take at this pace; None of fewer than 20 labels."""
        return self.took * (votes / self.labels) if self.labels >= _LEAST_LABELS else None


def pace(store: Store, rules: LabelRules) -> Pace:
    """Who is at work, and what came in within the last hour."""
    at = now()
    leased = select(Screen.worker).distinct().where(*LIVE).order_by(Screen.worker)
    recent = (
        select(Label.worker, func.count(), func.min(Label.decided_at))
        .where(
            Label.decided_at > at - _AN_HOUR,
            Label.panel == rules.panel,
            Label.via == "page",
            Label.supersedes.is_(None),
            ~is_out(Label),
        )
        .group_by(Label.worker)
    )
    with answering(), store.session() as session:
        live = session.scalars(leased, {"now": at, "panel": rules.panel}).all()
        rows = session.execute(recent).all()
    labels = Counter({worker: number for worker, number, _ in rows})
    took = max((at - first for *_, first in rows), default=timedelta())
    return Pace({name: labels[name] for name in live}, labels.total(), took)


def missing(store: Store, rules: LabelRules) -> MissingVotes:
    """The votes that the candidates and questions lack which labelers are shown.

    In the panel of the rules.
    """
    with answering(), store.session() as session:
        parts = [missing_votes(session, rules, of_questions=which) for which in (False, True)]
    return MissingVotes(*map(sum, zip(*map(astuple, parts), strict=True)))
