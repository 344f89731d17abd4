"""Labeling in numbers: how far it is, what was found, how far the numbers can be trusted."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.db import (
    Candidate,
    Label,
    Screen,
    ScreenPhoto,
    Store,
    Verdict,
    in_labeling,
    is_out,
    votes_in_labeling,
)
from genset.db.votes_needed import votes_needed
from genset.label.aggregate.votes import Vote
from genset.label.agreement import (
    Agreement,
    alpha_by_class,
    chance_of_agreeing,
    krippendorff_alpha,
    with_consensus,
)
from genset.label.ballots import Ballot, ballots, check_panel, further, panels
from genset.label.gold import gold_scores
from genset.label.proposals.questions import ProposalStats, proposal_stats
from genset.label.review import Dispute, disputes
from genset.label.trust.decisions import suspensions_in
from genset.label.trust.suspicion import (
    LEAST_SCREENS,
    contradicts,
    hurries,
    misses_gold,
    timed_screens,
)
from genset.settings import LabelRules
from genset.statistics.intervals import wilson
from genset.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Share:
    """`right` of `of`, as a share from 0 to 1 with its 95 % Wilson interval."""

    right: int
    of: int
    share: float
    low: float
    high: float

    @classmethod
    def count(cls, right: int, of: int) -> "Share | None":
        """None of nothing."""
        return cls(right, of, right / of, *wilson(right, of)) if of else None


@dataclass(frozen=True, slots=True)
class LabelerStats:
    """One labeler.

    `labels` counts their votes in force on candidates, by verdict in `verdicts`; `answers` those on
    questions about further classes. `seconds` is how long they take
    for a photo: the median over their screens, from painted to the last verdict, by the number of
    photos. `consensus` is how often they give the label that most others give, `gold` how
    often they are right where the answer is known. None: nothing to tell it by. `reasons` says in
    words why to look at them; empty for most.
    """

    name: str
    labels: int
    answers: int
    verdicts: dict[str, int]
    seconds: float | None
    consensus: Share | None
    gold: Share | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassStats:
    """One class. Of its `candidates`, `labeled` have a vote, and `done` all that they are to get.

    `frequency` is the mean selection frequency of those with a vote; None without.
    """

    wnid: str
    name: str
    candidates: int
    labeled: int
    done: int
    votes: int
    frequency: float | None
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Frequency:
    """A candidate's selection frequency: `share` is `correct` of `votes`, 0 to 1.

    `low` and `high` are its 95 % Wilson interval. `ruling` is a reviewer's verdict, which changes
    none of these.
    """

    task: str
    correct: int
    votes: int
    share: float
    low: float
    high: float
    ruling: Verdict | None


@dataclass(frozen=True, slots=True)
class SuspendedLabeler:
    """A labeler whose votes do not count: `state` says "void" or "held out", and since when.

    `labels` is how many candidates they labeled so; `by` who decided that, "genset" where a rule
    did, and `reason` why. `at` is ISO 8601.
    """

    name: str
    state: str
    labels: int
    by: str
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class Stats:
    """All of it, of one `panel` or (None) of all panels together.

    `panels` counts the votes of each panel. `candidates` are those that labelers are shown or spoke
    of (`genset.db.in_labeling`), as in ``genset status``: with a stored photo that no other
    class claims, or that was voted or ruled on. `ruled` of them were settled in review. `histogram`
    counts labeled candidates by selection frequency in tenths: 0 to under 0.1, ..., 0.9 to under 1,
    and 1. Votes of those who are `suspended` are in none of these. `proposals` says how far
    questions about further classes are answered; None without any. These are in no other number,
    unless a search found the photo for the class; those that wait for a ruling are among the
    `disputes`.
    """

    panel: str | None
    panels: dict[str, int]
    candidates: int
    labeled: int
    done: int
    votes: int
    labelers: int
    ruled: int
    agreement: Agreement
    histogram: tuple[int, ...]
    classes: tuple[ClassStats, ...]
    frequencies: tuple[Frequency, ...]
    by_labeler: tuple[LabelerStats, ...]
    disputes: tuple[Dispute, ...]
    suspended: tuple[SuspendedLabeler, ...]
    proposals: ProposalStats | None


def collect(store: Store, workspace: Workspace, panel: str | None = None) -> Stats:
    """Count and measure everything, as it is now.

    Raises:
        BadInput: there is no label of this panel.
    """
    check_panel(store, panel)
    with store.session() as session:
        everything = ballots(session, panel)
        ids = in_labeling(panel).order_by(None).with_only_columns(Candidate.id)
        counted = set(session.scalars(ids))
        pool = [ballot for ballot in everything if ballot.candidate_id in counted]
        votes = [vote for ballot in pool for vote in ballot.votes]
        proposals = proposal_stats(session, workspace.label, panel)
        questions = further(session, panel)
        answers = Counter(vote.worker for ballot in questions for vote in ballot.votes)
        labelers = by_labeler(session, votes, panel, answers)
        unsettled = disputes(session, [*everything, *questions], workspace.label)
        out = _taken_out(session)
        cast = votes_in_labeling().subquery()
        by_panel: dict[str, int] = dict(
            session.execute(select(cast.c.panel, func.count()).group_by(cast.c.panel)).all()
        )
    classes = _classes(pool, votes, workspace.label, store.taxonomy)
    frequencies = [_frequency(ballot) for ballot in pool if ballot.votes]
    return Stats(
        panel=panel,
        panels={name: by_panel.get(name, 0) for name in panels(store)},
        candidates=len(pool),
        labeled=len(frequencies),
        done=sum(cls.done for cls in classes),
        votes=len(votes),
        labelers=len({vote.worker for vote in votes}),
        ruled=sum(ballot.ruling is not None for ballot in pool),
        agreement=krippendorff_alpha(votes),
        histogram=_histogram(frequencies),
        classes=tuple(classes),
        frequencies=tuple(frequencies),
        by_labeler=tuple(labelers),
        disputes=tuple(unsettled),
        suspended=tuple(out),
        proposals=proposals,
    )


# From how many on a number says something of a labeler.
_LEAST_LABELS = 20


# So much less agreement with the others than the others have, beyond doubt.
_CONSENSUS = 0.1


# So many times as fast as the labeler in the middle.
_HASTE = 3


def by_labeler(
    session: Session,
    votes: Sequence[Vote],
    panel: str | None,
    answers: Mapping[str, int],
) -> list[LabelerStats]:
    """Every labeler who has a vote or who answered a gold question, by name.

    Args:
        session: of the store.
        votes: on candidates.
        panel: that they are of; None: of all.
        answers: how many votes on questions about further classes each labeler has, by name.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for vote in votes:
        counts[vote.worker][vote.label] += 1
    consensus = with_consensus(votes)
    chance = chance_of_agreeing(votes)
    gold = gold_scores(session)
    timed = timed_screens(session)
    paces = _paces(session, panel)
    middle = {worker: median(screens) for worker, screens in paces.items()}
    return [
        LabelerStats(
            name=worker,
            labels=counts[worker].total(),
            answers=answers.get(worker, 0),
            verdicts={verdict.value: n for verdict in Verdict if (n := counts[worker][verdict])},
            seconds=round(middle[worker], 3) if worker in middle else None,
            consensus=Share.count(*consensus.get(worker, (0, 0))),
            gold=Share.count(*gold.get(worker, (0, 0))),
            reasons=(
                *misses_gold(*gold.get(worker, (0, 0))),
                *(
                    contradicts(*consensus.get(worker, (0, 0)), chance.get(worker, 0.0))
                    or _disagrees(worker, consensus)
                ),
                *(hurries(timed.get(worker, ())) or _is_fastest(worker, paces, middle)),
                *_says_one_thing(counts[worker]),
            ),
        )
        for worker in sorted({*counts, *gold, *answers})
    ]


def _paces(session: Session, panel: str | None) -> dict[str, list[float]]:
    """Seconds a photo, for each screen of several that a labeler decided for the first time.

    Not verdict by verdict: who marks a whole screen with one key gives four of five in no time.
    """
    photos = (
        select(ScreenPhoto.screen_id, func.count().label("count"))
        .group_by(ScreenPhoto.screen_id)
        .subquery()
    )
    screens = (
        select(
            Label.worker, func.min(Label.shown_at), func.max(Label.decided_at), photos.c["count"]
        )
        .join(photos, photos.c.screen_id == Label.screen_id)
        .join(Screen, Screen.id == Label.screen_id)
        # Who is asked about one photo looks longer at it.
        .where(Screen.photo_id.is_(None))
        .where(Label.shown_at.is_not(None), Label.supersedes.is_(None), ~is_out(Label))
        .group_by(Label.worker, Label.screen_id, photos.c["count"])
    )
    if panel is not None:
        screens = screens.where(Label.panel == panel)
    found: dict[str, list[float]] = defaultdict(list)
    for worker, shown, decided, count in session.execute(screens):
        found[worker].append(max(0.0, (decided - shown).total_seconds()) / count)
    return found


def _disagrees(worker: str, consensus: Mapping[str, tuple[int, int]]) -> list[str]:
    agreed, compared = consensus.get(worker, (0, 0))
    others = [count for name, count in consensus.items() if name != worker]
    of = sum(count for _, count in others)
    if not of or not compared:
        return []
    usual = sum(count for count, _ in others) / of
    if wilson(agreed, compared).high < usual - _CONSENSUS:
        return [f"agrees with the others on {agreed} of {compared}; they do on {usual:.0%}"]
    return []


def _is_fastest(
    worker: str, paces: Mapping[str, Sequence[float]], middle: Mapping[str, float]
) -> list[str]:
    others = [seconds for name, seconds in middle.items() if name != worker]
    if len(paces.get(worker, ())) < LEAST_SCREENS or not others:
        return []
    usual = median(others)
    if middle[worker] * _HASTE < usual:
        return [f"takes {middle[worker]:.1f} s a photo; the others take {usual:.1f} s"]
    return []


def _says_one_thing(counts: Counter[str]) -> list[str]:
    if len(counts) == 1 and counts.total() >= _LEAST_LABELS:
        return [f"says {next(iter(counts))} of all {counts.total()} photos"]
    return []


_NONE = Agreement(None, None, 0, 0)


def _taken_out(session: Session) -> list[SuspendedLabeler]:
    counted = (
        select(Label.worker, func.count(Label.candidate_id.distinct()))
        .where(is_out(Label))
        .group_by(Label.worker)
    )
    labels = dict(session.execute(counted).all())
    return [
        SuspendedLabeler(
            name,
            suspension.words,
            labels.get(name, 0),
            suspension.by,
            suspension.reason,
            suspension.at.isoformat(),
        )
        for name, suspension in suspensions_in(session).items()
    ]


def _classes(
    pool: Sequence[Ballot], votes: Sequence[Vote], rules: LabelRules, taxonomy: Taxonomy
) -> list[ClassStats]:
    agreement = alpha_by_class(votes)
    by_class: dict[str, list[Ballot]] = defaultdict(list)
    for ballot in pool:
        by_class[ballot.wnid].append(ballot)
    found = []
    for wnid, group in by_class.items():
        shares = [b.counts[Verdict.CORRECT] / len(b.votes) for b in group if b.votes]
        found.append(
            ClassStats(
                wnid=wnid,
                name=taxonomy[wnid].name,
                candidates=len(group),
                labeled=len(shares),
                done=sum(_is_done(ballot, rules) for ballot in group),
                votes=sum(len(ballot.votes) for ballot in group),
                frequency=sum(shares) / len(shares) if shares else None,
                agreement=agreement.get(wnid, _NONE),
            )
        )
    return found


def _is_done(ballot: Ballot, rules: LabelRules) -> bool:
    votes = len(ballot.votes)
    if ballot.request is not None and votes < ballot.request.labelers:
        return False
    return ballot.ruling is not None or votes >= votes_needed(
        rules, votes, ballot.counts[Verdict.CORRECT]
    )


def _frequency(ballot: Ballot) -> Frequency:
    correct, votes = ballot.counts[Verdict.CORRECT], len(ballot.votes)
    interval = wilson(correct, votes)
    return Frequency(ballot.task, correct, votes, correct / votes, *interval, ballot.ruling)


def _histogram(frequencies: Sequence[Frequency]) -> tuple[int, ...]:
    bins = [0] * 11
    for frequency in frequencies:
        # Of whole numbers: 0.3 * 10 is not quite 3.
        bins[10 * frequency.correct // frequency.votes] += 1
    return tuple(bins)
