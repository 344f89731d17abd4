"""Who labels just now, how fast labels come in, and when they will be all there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, or_, select

from genset.db import (
    Candidate,
    Claim,
    Label,
    Photo,
    ProposalRound,
    Question,
    Screen,
    Store,
    Verdict,
    claimed_by_several,
    is_backed,
    is_out,
    is_ruled,
    now,
    requests_in_force,
    rulings_in_force,
    stored_candidates,
    votes,
)
from genset.db.failures import answering
from genset.db.votes_needed import question_votes_missing, votes_missing
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
class Missing:
    """The votes that a pool lacks: at least, and at most if every doubtful candidate grows."""

    least: int
    most: int


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


def missing(store: Store, rules: LabelRules) -> Missing:
    """The votes that the candidates and questions lack which labelers are shown.

    In the panel of the rules.
    """
    unclaimed = Candidate.photo_id.not_in(claimed_by_several())
    pool = stored_candidates().where(or_(unclaimed, is_ruled())).with_only_columns(Candidate.id)
    open_questions = (
        select(Question.candidate_id)
        .join(ProposalRound, ProposalRound.id == Question.round_id)
        .join(Claim, Claim.id == Question.candidate_id)
        .join(Photo, Photo.id == Claim.photo_id)
        .where(ProposalRound.withdrawn_at.is_(None), is_backed())
        .where(Photo.sha256.is_not(None), Photo.rejected.is_(None))
    )
    with answering(), store.session() as session:
        questions = set(session.scalars(open_questions))
        candidates = questions | set(session.scalars(pool.order_by(None)))
        votes_cast = votes(session, rules.panel)
        rulings, requests = rulings_in_force(session), requests_in_force(session)
    least = most = 0
    last = (rules.votes, *rules.grow_to)[-1]
    for number in candidates:
        counts = votes_cast.get(number, Counter())
        ruled = number in rulings
        requested = requests[number].labelers if number in requests else 0
        if number in questions:
            missing_here = question_votes_missing(rules, counts, ruled=ruled, requested=requested)
        else:
            count, correct = counts.total(), counts[Verdict.CORRECT]
            missing_here = votes_missing(rules, count, correct, ruled=ruled, requested=requested)
        least += missing_here
        most += (
            max(missing_here, last - counts.total()) if missing_here and not ruled else missing_here
        )
    return Missing(least, most)


def finish(lacking: Missing, parts: Sequence[int]) -> Finish | None:
    """When the missing votes will be there, at the paces of the parts of the last hour.

    The soonest is the least number of votes at the pace of the fastest part, the latest the most
    at that of the slowest. None where no label came in: then it cannot be told.
    """
    if not any(parts):
        return None
    part = _AN_HOUR / len(parts)
    slowest = min(parts)
    return Finish(
        soonest=part * (lacking.least / max(parts)),
        latest=part * (lacking.most / slowest) if slowest else None,
    )


def _thirds(since: datetime, times: Iterable[datetime]) -> tuple[int, ...]:
    counts = [0] * _PARTS
    for at in times:
        counts[min(_PARTS - 1, int((at - since) / _AN_HOUR * _PARTS))] += 1
    return tuple(counts)
