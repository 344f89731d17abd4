"""How well each labeler works, week by week: on gold questions, and beside the others."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from genset.db import Candidate, GoldAnswer, Label, Store, is_out, labels_in_force
from genset.db.failures import answering
from genset.label.aggregate.votes import Coded, Vote
from genset.label.agreement import Comparison, with_consensus
from genset.label.gold import gold_results
from genset.label.stats import Share
from genset.label.trust.suspicion import outliers

_MOST_DAYS = 14  # of a campaign that is shown day by day; a longer one by weeks


@dataclass(frozen=True, slots=True)
class Quality:
    """One labeler in one period, of `days` days (1 or 7) from the day `since`, in UTC.

    `votes` are their votes in force on candidates. `gold` is how many gold questions they have
    right of those that they answered, `gold_shown` the share of these among all that they answered.
    `consensus` is how often they say what most others say of a candidate. None: nothing to tell it
    by.
    """

    worker: str
    since: date
    days: int
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
    days = _days([*(row.decided_at for row in labels), *(at for _, at, _ in answers)])
    trusted = Coded([Vote(str(row.candidate_id), row.worker, row.verdict.value) for row in labels])
    out = outliers(trusted)
    # A labeler has one vote on a candidate, so that in each period they can be somebody else.
    periods: dict[str, tuple[str, date]] = {}
    votes, suspicious = [], set()
    for row in labels:
        since = _start(row.decided_at, days)
        name = f"{row.worker}\n{since}"
        periods[name] = row.worker, since
        votes.append(Vote(str(row.candidate_id), name, row.verdict.value))
        if row.worker in out:
            suspicious.add(name)
    compared = {
        periods[name]: found for name, found in with_consensus(Coded(votes), suspicious).items()
    }
    counts = Counter(periods[vote.worker] for vote in votes)
    gold: dict[tuple[str, date], list[bool]] = defaultdict(list)
    for worker, at, is_right in answers:
        gold[worker, _start(at, days)].append(is_right)
    found = []
    for worker, since in sorted(counts.keys() | gold.keys()):
        right = gold.get((worker, since), [])
        agreed, of, *_ = compared.get((worker, since), Comparison(0, 0))
        found.append(
            Quality(
                worker=worker,
                since=since,
                days=days,
                votes=counts[worker, since],
                gold=Share.count(sum(right), len(right)),
                gold_shown=len(right) / (len(right) + counts[worker, since]),
                consensus=Share.count(agreed, of),
            )
        )
    return found


def _days(times: Iterable[datetime]) -> int:
    dates = [time.date() for time in times]
    return 1 if not dates or (max(dates) - min(dates)).days < _MOST_DAYS else 7


def _start(time: datetime, days: int) -> date:
    """The day, or the Monday of the week."""
    day = time.date()
    return day if days == 1 else day - timedelta(days=day.weekday())
