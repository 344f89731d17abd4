"""What labelers leave open or somebody doubts, and a reviewer's rulings that settle it.

That is candidates, and questions whether a photo shows a further class.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import (
    Label,
    ReviewRequest,
    Ruling,
    Store,
    Verdict,
    find_candidate,
    is_called_correct,
    labels_in_force,
)
from genset.db.votes_needed import most_alike, votes_needed
from genset.label.ballots import Ballot, ballots, check_panel, further
from genset.label.credits import CreditedCandidate, credits_of
from genset.settings import LabelRules
from genset.statistics.intervals import wilson

_LONGEST_REASON = 500
_ENOUGH = 5  # labelers, among whom one who disagrees with all the others is no case


@dataclass(frozen=True, slots=True)
class Dispute(CreditedCandidate):
    """A candidate to review, and `why`, in words that tell no side.

    Who rules should not know what others said: `detail`, why in numbers, and `votes`, as (worker,
    verdict), are for afterwards. `home` is the photo's own class, where the question is whether
    `wnid` is in it, too; None for a candidate.
    """

    why: str
    detail: str
    votes: tuple[tuple[str, str], ...]
    home: str | None

    def blind(self) -> dict[str, object]:
        """All of it but what labelers said."""
        return {name: value for name, value in asdict(self).items() if name not in _VOTES}


_VOTES = ("detail", "votes")


def queue(store: Store, panel: str | None = None, rules: LabelRules | None = None) -> list[Dispute]:
    """The candidates that wait for a ruling: those sent to review, then the most divided first.

    Neither their order nor `Dispute.why` tells which side has more votes.

    With the workspace's `rules` those that are still to get votes are left out, but not where
    somebody asked for a review. The others are the ones where

    - somebody asked for it (`send_to_review`), and no ruling was made since;
    - labelers disagree and neither side is clearly in the majority: the 95 % interval of the share
      of correct, among those who say correct, incorrect or broken, holds one half, and of five or
      more of them not one alone disagrees;
    - labelers voted, but only unsure;
    - the photo is called correct for several classes, so a release would take it for none;
    - several classes claim the photo, and people have not said of each whether it is right, nor
      ruled that one is. Labelers are not shown it, so it does not wait for more votes.

    A question waits where somebody asked for it, or where it stays unclear after all votes that it
    gets: as many say correct as incorrect or broken.

    Raises:
        BadInput: there is no label of this panel.
    """
    check_panel(store, panel)
    with store.session() as session:
        pool = [*ballots(session, panel), *further(session, panel)]
        return disputes(session, pool, rules)


def disputes(session: Session, pool: Sequence[Ballot], rules: LabelRules | None) -> list[Dispute]:
    """The same, of these candidates and questions."""
    found = sorted(_open(pool, rules), key=lambda case: case[:2])
    credits = credits_of(session, [ballot.candidate_id for *_, ballot in found])
    return [
        Dispute(
            *credits[ballot.candidate_id],
            task=ballot.task,
            wnid=ballot.wnid,
            why=_WHY[kind],
            detail=detail,
            votes=tuple((vote.worker, vote.label) for vote in ballot.votes),
            home=ballot.home,
        )
        for kind, _, detail, ballot in found
    ]


def rule(store: Store, task: str, verdict: Verdict, by: str, reason: str) -> None:
    """Settle a candidate: from now on `verdict` holds, whatever the votes say.

    A later ruling on it replaces this one. Votes and selection frequencies stay as they are.

    Raises:
        BadInput: there is no such candidate, or `by` or `reason` is empty or too long.
    """
    by, reason = signed("a ruling", by, reason)
    with store.begin() as session:
        candidate = find_candidate(session, task)
        session.add(Ruling(candidate_id=candidate.id, verdict=verdict, by=by, reason=reason))


def send_to_review(store: Store, task: str, rules: LabelRules, by: str, reason: str) -> int:
    """Let a candidate or question wait for a ruling, and let more labelers see it meanwhile.

    As many more are asked as all get first (`LabelRules.votes`). It stays what votes and
    rulings say that it is until the next ruling.

    Args:
        store: the workspace's.
        task: the name of the candidate, or of the class and photo of the question.
        rules: the workspace's.
        by: who asks for it.
        reason: why; whoever rules sees it only afterwards.

    Returns:
        How many labelers it goes to in all.

    Raises:
        BadInput: there is no such candidate, its photo is not in the pool, or `by` or `reason` is
            empty or too long.
    """
    by, reason = signed("a request for review", by, reason)
    with store.begin() as session:
        candidate = find_candidate(session, task)
        photo = candidate.photo
        if not photo.in_use:
            why = f" ({photo.rejected})" if photo.rejected else ""
            raise BadInput(f"{task} cannot go to review: its photo is not in the pool{why}")
        force = labels_in_force(rules.panel).where(Label.candidate_id == candidate.id)
        labelers = len(session.scalars(force).all()) + rules.votes
        session.add(
            ReviewRequest(candidate_id=candidate.id, labelers=labelers, by=by, reason=reason)
        )
    return labelers


def signed(what: str, by: str, reason: str) -> tuple[str, str]:
    """Who decides, and why, in one line each.

    Raises:
        BadInput: one of them is empty or too long.
    """
    by, reason = " ".join(by.split()), " ".join(reason.split())
    if not by or not reason:
        raise BadInput(f"{what} needs somebody who makes it, and a reason")
    if len(by) > _LONGEST_REASON or len(reason) > _LONGEST_REASON:
        raise BadInput(f"the reason of {what} has at most {_LONGEST_REASON} characters")
    return by, reason


# A kind of case, by how pressing it is, and how divided its labelers; then why in numbers; then the
# case. A photo that several classes claim has votes for one of them or none: neither its place nor
# its words say so.
_Case = tuple[int, tuple[float, int, str], str, Ballot]
_SENT, _DIVIDED, _CLAIMED, _UNSURE = range(4)
_WHY = (
    "sent to review",
    "labelers disagree",
    "several classes claim the photo",
    "labelers are unsure",
)


def _open(pool: Sequence[Ballot], rules: LabelRules | None) -> Iterator[_Case]:
    correct: dict[str, set[str]] = defaultdict(set)
    for ballot in pool:
        if ballot.is_candidate and is_called_correct(ballot.counts, ballot.ruling):
            correct[ballot.sha256].add(ballot.wnid)
    for ballot in pool:
        if ballot.request is not None:
            why = f"sent to review by {ballot.request.by}: {ballot.request.reason}"
            yield _SENT, (0, ballot.request.number, ballot.task), _with_votes(why, ballot), ballot
        elif ballot.ruling is None and ballot.undecided:
            yield _CLAIMED, (0, 0, ballot.task), _with_votes(_WHY[_CLAIMED], ballot), ballot
        elif ballot.ruling is None and not _waits_for_votes(ballot, rules):
            yield from _undecided(ballot, correct[ballot.sha256])


def _undecided(ballot: Ballot, classes: set[str]) -> Iterator[_Case]:
    """Why the votes of a candidate or question leave it open; `classes` are those it is called."""
    counts, votes = ballot.counts, len(ballot.votes)
    yes, no = counts[Verdict.CORRECT], counts[Verdict.INCORRECT] + counts[Verdict.BROKEN]
    if not ballot.is_candidate and yes != no:
        return
    alone = min(yes, no) == 1 and yes + no >= _ENOUGH
    low, high = wilson(yes, yes + no)
    if yes and no and not alone and low <= 0.5 <= high:
        # Of whole numbers: 2/3 and 1/3 are not equally far from 0.5 to a computer.
        divided = abs(yes - no) / (yes + no), -votes, ballot.task
        yield _DIVIDED, divided, f"labelers disagree: {_counted(counts)}", ballot
    elif ballot.wnid in classes and len(classes) > 1:
        yield _CLAIMED, (0, 0, ballot.task), f"correct for {len(classes)} classes", ballot
    elif votes and not yes and not no:
        yield _UNSURE, (0, -votes, ballot.task), f"{votes} of {votes} labelers unsure", ballot


def _waits_for_votes(ballot: Ballot, rules: LabelRules | None) -> bool:
    """Whether it has votes, and is still to get more."""
    votes, correct = len(ballot.votes), ballot.counts[Verdict.CORRECT]
    # A candidate that labelers are asked about as a question has its votes grow as these do.
    agreeing = None if ballot.home is None else most_alike(ballot.counts)
    return rules is not None and 0 < votes < votes_needed(rules, votes, correct, agreeing=agreeing)


def _with_votes(why: str, ballot: Ballot) -> str:
    return f"{why}; labelers: {_counted(ballot.counts)}" if ballot.votes else why


def _counted(counts: Counter[Verdict]) -> str:
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
