"""Who labels just now, how fast labels come in, and when they will be all there."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select

from genset.db import Label, Screen, Store, is_out, now
from genset.db.failures import answering
from genset.db.votes_needed import MissingVotes as MissingVotes
from genset.db.votes_needed import missing_votes
from genset.label.queue.board import LIVE
from genset.settings import LabelRules

_AN_HOUR = timedelta(hours=1)
_PARTS = 3  # of the last hour, whose paces make the range


@dataclass(frozen=True, slots=True)
class AtWork:
    """A labeler with a live lease. `labels` counts what they labeled in the last hour."""

    name: str
    screens: int
    labels: int


@dataclass(frozen=True, slots=True)
class Pace:
    """The last hour: who is at work now, and how many photos were labeled.

    `parts` are the labels of its three thirds, the oldest first: those of the panel that is being
    labeled, on the page, without changed minds and without what is void or held out.
    """

    at_work: tuple[AtWork, ...]
    labels: int
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finish:
    """How long the votes that are missing take: `latest` is None where that cannot be told."""

    soonest: timedelta
    latest: timedelta | None


def pace(store: Store, rules: LabelRules) -> Pace:
    """Who is at work, and what came in within the last hour."""
    at = now()
    since = at - _AN_HOUR
    leased = select(Screen.worker, func.count()).where(*LIVE).group_by(Screen.worker)
    recent = select(Label.worker, Label.decided_at).where(
        Label.decided_at > since,
        Label.panel == rules.panel,
        Label.via == "page",
        Label.supersedes.is_(None),
        ~is_out(Label),
    )
    with answering(), store.session() as session:
        live = session.execute(leased, {"now": at, "panel": rules.panel})
        screens = dict(live.all())
        recent_labels = session.execute(recent).all()
    labels = [worker for worker, _ in recent_labels]
    return Pace(
        at_work=tuple(
            AtWork(name, count, labels.count(name)) for name, count in sorted(screens.items())
        ),
        labels=len(labels),
        parts=_thirds(since, (decided for _, decided in recent_labels)),
    )


def missing(store: Store, rules: LabelRules) -> MissingVotes:
    """The votes that the candidates and questions lack which labelers are shown.

    In the panel of the rules.
    """
    with answering(), store.session() as session:
        parts = [missing_votes(session, rules, of_questions=which) for which in (False, True)]
    return MissingVotes(*map(sum, zip(*map(astuple, parts), strict=True)))


def finish(lacking: MissingVotes, parts: Sequence[int]) -> Finish | None:
    """When the missing votes will be there, at the paces of the parts of the last hour.

    The soonest is the least number of votes at the pace of the fastest part, the latest the most
    at that of the slowest. None where no label came in: then it cannot be told.
    """
    if not any(parts):
        return None
    part = _AN_HOUR / len(parts)
    slowest = min(parts)
    return Finish(
        soonest=part * (lacking.votes / max(parts)),
        latest=part * (lacking.most / slowest) if slowest else None,
    )


def _thirds(since: datetime, times: Iterable[datetime]) -> tuple[int, ...]:
    counts = [0] * _PARTS
    for at in times:
        counts[min(_PARTS - 1, int((at - since) / _AN_HOUR * _PARTS))] += 1
    return tuple(counts)
