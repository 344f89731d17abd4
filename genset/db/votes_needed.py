"""How many labelers a candidate, or a question about a further class, goes to."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Select, case, func, select
from sqlalchemy.orm import Session

from genset.db.contested import is_to_label
from genset.db.labels import Label, Ruling, Verdict
from genset.db.models import Candidate, Claim
from genset.db.queries import (
    labels_in_force,
    questions_to_label,
    stored_candidates,
    waiting_requests,
)
from genset.settings import LabelRules
from genset.statistics.intervals import wilson


@lru_cache(maxsize=4096)
def votes_needed(
    rules: LabelRules, votes: int, correct: int, *, agreeing: int | None = None
) -> int:
    """How many different labelers a candidate with these votes goes to in all.

    `votes` of the rules; and once it has them, while it is in doubt, the next number of
    ``grow_to``. Between two of these numbers the next one is on its way.

    A candidate is in doubt while Wilson's 95 % interval of its selection frequency (`correct` of
    `votes`) holds the threshold. A question is while labelers differ: while not all gave the
    verdict that `agreeing` of them gave. For what two of two see in a photo is in it, while a
    selection frequency would be known by two votes only badly.

    Args:
        rules: the workspace's.
        votes: how many labelers answered.
        correct: how many of them said correct.
        agreeing: of a question, how many gave the verdict that most gave; None of a candidate.

    >>> votes_needed(LabelRules(votes=3, grow_to=(5, 10)), votes=3, correct=1)
    5
    >>> votes_needed(LabelRules(votes=2, grow_to=(3,)), votes=2, correct=0, agreeing=1)
    3
    """
    if agreeing is not None and votes >= rules.votes and agreeing == votes:
        return votes
    for step in (rules.votes, *rules.grow_to):
        if votes < step:
            return step
        if votes == step and agreeing is None:
            low, high = wilson(correct, votes)
            if not low < rules.threshold < high:
                return step
    return votes


def votes_missing(
    rules: LabelRules,
    votes: int,
    correct: int,
    *,
    ruled: bool,
    requested: int = 0,
    agreeing: int | None = None,
) -> int:
    """How many more labelers a candidate with these votes goes to; 0 where it is done.

    One that was ruled on gets the votes that all get, and no more. One that waits for a review
    goes to as many as were `requested` in all, at least. `agreeing` is as in `votes_needed`.
    """
    needed = rules.votes if ruled else votes_needed(rules, votes, correct, agreeing=agreeing)
    return max(0, max(needed, requested) - votes)


def question_votes_missing(
    rules: LabelRules, counts: Mapping[Verdict, int], *, ruled: bool, requested: int = 0
) -> int:
    """How many more labelers a question with these votes goes to; 0 where it is answered."""
    votes, correct = sum(counts.values()), counts.get(Verdict.CORRECT, 0)
    agreeing = most_alike(counts)
    return votes_missing(rules, votes, correct, ruled=ruled, requested=requested, agreeing=agreeing)


def most_alike(counts: Mapping[Verdict, int]) -> int:
    """How many labelers gave the verdict that most gave; 0 of nobody."""
    return max(counts.values(), default=0)


@dataclass(frozen=True, slots=True)
class MissingVotes:
    """How many `candidates`, or questions, lack votes, and how many `votes` they lack together.

    `most` is how many if every doubtful one of them grows as far as it can.
    """

    candidates: int
    votes: int
    most: int

    def as_json(self) -> dict[str, int]:
        """What a manifest says of it: nothing where no vote is missing."""
        return {"candidates": self.candidates, "votes": self.votes} if self.votes else {}


def missing_votes(
    session: Session,
    rules: LabelRules,
    *,
    of_questions: bool = False,
    among: Select[int] | None = None,
) -> MissingVotes:
    """The votes that the candidates lack which labelers are shown, in the panel of the rules.

    Or those that the questions about further classes lack; a candidate that is asked about so is
    one of these. The database counts what is alike, for a pool may have millions. `among` are the
    only candidates that are counted; None: all.
    """
    questions = questions_to_label()
    pool = stored_candidates().where(is_to_label(), Candidate.id.not_in(questions))
    pool = pool.order_by(None).with_only_columns(Candidate.id)
    labels, requests = labels_in_force(rules.panel), waiting_requests().subquery()
    if among is not None:
        pool = pool.where(Candidate.id.in_(among))
        labels = labels.where(Label.candidate_id.in_(among))
    force = labels.subquery()
    counted = [
        func.sum(case((force.c.verdict == verdict, 1), else_=0)).label(verdict)
        for verdict in Verdict
    ]
    counts = select(force.c.candidate_id, *counted).group_by(force.c.candidate_id).subquery()
    alike = (
        select(
            Claim.id.in_(select(Ruling.candidate_id)).label("is_ruled"),
            func.coalesce(requests.c.labelers, 0).label("requested"),
            *(func.coalesce(counts.c[verdict], 0).label(verdict) for verdict in Verdict),
        )
        .outerjoin(counts, counts.c.candidate_id == Claim.id)
        .outerjoin(requests, requests.c.candidate_id == Claim.id)
        .where(Claim.id.in_(questions if of_questions else pool))
        .subquery()
    )
    candidates = votes = most = 0
    for number, ruled, requested, *numbers in session.execute(
        select(func.count(), *alike.c).group_by(*alike.c)
    ):
        by_verdict = dict(zip(Verdict, numbers, strict=True))
        agreeing = most_alike(by_verdict) if of_questions else None
        total, correct = sum(numbers), by_verdict[Verdict.CORRECT]
        missing = votes_missing(
            rules, total, correct, ruled=ruled, requested=requested, agreeing=agreeing
        )
        if missing:
            last = missing if ruled else (rules.votes, *rules.grow_to)[-1] - total
            candidates, votes = candidates + number, votes + number * missing
            most += number * max(missing, last)
    return MissingVotes(candidates, votes, most)
