"""Labeling in numbers: how far it is, what was found, how far the numbers can be trusted."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.db import (
    Candidate,
    GoldAnswer,
    Label,
    Screen,
    Store,
    Verdict,
    in_labeling,
    is_discounted,
    is_out,
    votes_in_labeling,
)
from genset.db.votes_needed import votes_needed
from genset.label.aggregate.votes import Vote
from genset.label.agreement import (
    Agreement,
    Comparison,
    alpha_by_class,
    krippendorff_alpha,
)
from genset.label.ballots import Ballot, ballots, check_panel, further, panels
from genset.label.decisions import suspensions_in
from genset.label.gold import GoldShare, gold_scores, gold_share
from genset.label.proposals import ProposalStats, proposal_stats
from genset.label.review import Dispute, disputes
from genset.label.suspicion import (
    compare,
    contradicts,
    disagrees,
    hurries,
    is_fastest,
    misses_gold,
    pace,
    says_one_thing,
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
    questions about further classes. `seconds` is how long they take for a photo: the median over
    their screens, by the number of photos (`genset.label.suspicion.pace`). `consensus` is how
    often they give the label that most others give, of those others who do not stand out
    themselves; `gold` how often they are right where the answer is known. None: nothing to tell it
    by. `reasons` says in words why to look at them; empty for most. `too_fast`: that they look at
    photos for too short a time is one of them.
    """

    name: str
    labels: int
    answers: int
    verdicts: dict[str, int]
    seconds: float | None
    consensus: Share | None
    gold: Share | None
    reasons: tuple[str, ...]
    too_fast: bool = False


@dataclass(frozen=True, slots=True)
class ClassStats:
    """One class. Of its `candidates`, `labeled` have a vote, and `done` all that they are to get.

    `frequency` is the mean selection frequency of those with a vote; None without. `alpha` is
    Krippendorff's.
    """

    wnid: str
    name: str
    candidates: int
    labeled: int
    done: int
    votes: int
    frequency: float | None
    alpha: float | None


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
    and 1. Votes of those who are `suspended` are in none of these. `gold` says how many of the
    photos answered were gold questions, in whatever panel. `proposals` says how far questions about
    further classes are answered. These are in no other number, unless a search found the photo for
    the class; those that wait for a ruling are among the `disputes`.
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
    gold: GoldShare
    proposals: ProposalStats


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
    bins = [0] * 11
    for frequency in frequencies:
        # Of whole numbers: 0.3 * 10 is not quite 3.
        bins[10 * frequency.correct // frequency.votes] += 1
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
        histogram=tuple(bins),
        classes=tuple(classes),
        frequencies=tuple(frequencies),
        by_labeler=tuple(labelers),
        disputes=tuple(unsettled),
        suspended=tuple(out),
        gold=gold_share(store, workspace.label),
        proposals=proposals,
    )


def flagged_labelers(store: Store) -> dict[str, bool]:
    """Whom to look at, by name, and whether they are too fast."""
    with store.session() as session:
        votes = [vote for ballot in ballots(session, None) for vote in ballot.votes]
        labelers = by_labeler(session, votes, None, {})
    return {labeler.name: labeler.too_fast for labeler in labelers if labeler.reasons}


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
    comparisons = compare(votes)
    gold = gold_scores(session, GoldAnswer.worker, ~is_out(GoldAnswer))
    screens = timed_screens(session, Screen.worker)
    # Who is asked about one photo looks longer at it.
    of_several: list[ColumnElement[bool]] = [Screen.photo_id.is_(None), ~is_discounted()]
    if panel is not None:
        of_several.append(Screen.panel == panel)
    comparable = timed_screens(session, Screen.worker, *of_several)
    found = []
    for worker in sorted({*counts, *gold, *answers}):
        comparison = comparisons.get(worker, Comparison(0, 0))
        score = gold.get(worker, (0, 0))
        seconds = pace(comparable.get(worker, ()))
        haste = hurries(screens.get(worker, ())) or is_fastest(worker, comparable)
        found.append(
            LabelerStats(
                name=worker,
                labels=counts[worker].total(),
                answers=answers.get(worker, 0),
                verdicts={v.value: n for v in Verdict if (n := counts[worker][v])},
                seconds=None if seconds is None else round(seconds, 3),
                consensus=Share.count(comparison.agreed, comparison.compared),
                gold=Share.count(*score),
                reasons=(
                    *misses_gold(*score),
                    *(contradicts(comparison) or disagrees(comparison)),
                    *haste,
                    *says_one_thing(counts[worker]),
                ),
                too_fast=bool(haste),
            )
        )
    return found


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
    alpha = alpha_by_class(votes)
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
                alpha=alpha.get(wnid),
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
