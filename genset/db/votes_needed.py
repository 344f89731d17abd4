"""How many labelers a candidate, or a question about a further class, goes to."""

from collections.abc import Mapping
from functools import lru_cache

from genset.db.labels import Verdict
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
