"""How labelers work as time goes on: how well, how fast, and when all labels will be there."""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select

from genset.db import Candidate, GoldAnswer, Label, Screen, Store, is_out, labels_in_force, now
from genset.db.failures import answering
from genset.db.votes_needed import MissingVotes as MissingVotes
from genset.db.votes_needed import missing_votes
from genset.label.aggregate.votes import Coded, Vote
from genset.label.agreement import Comparison, with_consensus
from genset.label.gold import gold_results
from genset.label.queue.board import LIVE
from genset.label.stats import Share
from genset.label.suspicion import outliers
from genset.settings import LabelRules

_MOST_PERIODS = 12
_LEAST_ANSWERS = 50  # of a period, where there is more than one


@dataclass(frozen=True, slots=True)
class Quality:
    """One labeler in one period, from `since` to their next one.

    A labeler's periods have equally many answers, be they of an hour or of a month.
    `votes` are their votes in force on candidates. `gold` is how many gold questions they have
    right of those that they answered, `gold_shown` the share of these among all that they answered.
    `consensus` is how often they say what most others say of a candidate. None: nothing to tell it
    by.
    """

    worker: str
    since: datetime
    votes: int
    gold: Share | None
    gold_shown: float
    consensus: Share | None


def quality(store: Store, panel: str | None = None) -> list[Quality]:
    """Every labeler's periods with an answer, by name and time. Of one panel's votes, or of all.

    Votes that are void or held out are in none.
    """
    force = labels_in_force(panel).join(Candidate, Candidate.id == Label.candidate_id)
    columns = Label.candidate_id, Label.worker, Label.verdict, Label.decided_at
    with answering(), store.session() as session:
        labels = session.execute(force.with_only_columns(*columns)).all()
        answers = gold_results(session, GoldAnswer.worker, ~is_out(GoldAnswer))
    votes_at = [(row.worker, row.decided_at) for row in labels]
    starts = _starts([*votes_at, *((worker, at) for worker, at, _ in answers)])
    trusted = Coded([Vote(str(row.candidate_id), row.worker, row.verdict.value) for row in labels])
    out = outliers(trusted)
    # A labeler has one vote on a candidate, so that in each period they can be somebody else.
    periods: dict[str, tuple[str, datetime]] = {}
    votes, suspicious = [], set()
    for row in labels:
        key = _period(starts, row.worker, row.decided_at)
        name = "\n".join(map(str, key))
        periods[name] = key
        votes.append(Vote(str(row.candidate_id), name, row.verdict.value))
        if row.worker in out:
            suspicious.add(name)
    compared = {
        periods[name]: found for name, found in with_consensus(Coded(votes), suspicious).items()
    }
    counts = Counter(periods[vote.worker] for vote in votes)
    gold: dict[tuple[str, datetime], list[bool]] = defaultdict(list)
    for worker, at, is_right in answers:
        gold[_period(starts, worker, at)].append(is_right)
    found = []
    for worker, since in sorted(counts.keys() | gold.keys()):
        right = gold.get((worker, since), [])
        agreed, of, *_ = compared.get((worker, since), Comparison(0, 0))
        found.append(
            Quality(
                worker=worker,
                since=since,
                votes=counts[worker, since],
                gold=Share.count(sum(right), len(right)),
                gold_shown=len(right) / (len(right) + counts[worker, since]),
                consensus=Share.count(agreed, of),
            )
        )
    return found


def _starts(answers: Iterable[tuple[str, datetime]]) -> dict[str, list[datetime]]:
    """When each labeler's periods begin."""
    times: dict[str, list[datetime]] = defaultdict(list)
    for worker, at in sorted(answers):
        times[worker].append(at)
    starts = {}
    for worker, found in times.items():
        parts = max(1, min(_MOST_PERIODS, len(found) // _LEAST_ANSWERS))
        starts[worker] = [found[len(found) * part // parts] for part in range(parts)]
    return starts


def _period(
    starts: Mapping[str, Sequence[datetime]], worker: str, at: datetime
) -> tuple[str, datetime]:
    return worker, starts[worker][bisect(starts[worker], at) - 1]


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
