"""How many labelers a candidate, or a question about a further class, goes to."""

from collections.abc import Mapping
from functools import lru_cache

from genset.db.labels import Verdict
from genset.settings import LabelRules
from genset.statistics.intervals import wilson


def alike(said: Mapping[Verdict, int]) -> int:
    """How many labelers gave the verdict that most gave; 0 of nobody."""
    return max(said.values(), default=0)


@lru_cache(maxsize=4096)
def wanted(rules: LabelRules, votes: int, correct: int, *, alike: int | None = None) -> int:
    """How many different labelers a candidate with these votes goes to in all.

    `votes` of the rules; and once it has them, while it is in doubt, the next number of
    ``grow_to``. Between two of these numbers the next one is on its way.

    A candidate is in doubt while Wilson's 95 % interval of its selection frequency (`correct` of
    `votes`) holds the threshold. A question is while labelers differ: while not all gave the
    verdict that `alike` of them gave. For what two of two see in a photo is in it, while a
    selection frequency would be known by two votes only badly.

    Args:
        rules: the workspace's.
        votes: how many labelers answered.
        correct: how many of them said correct.
        alike: of a question, how many gave the verdict that most gave; None of a candidate.

    >>> wanted(LabelRules(votes=3, grow_to=(5, 10)), votes=3, correct=1)
    5
    >>> wanted(LabelRules(votes=2, grow_to=(3,)), votes=2, correct=0, alike=1)  # no, and maybe
    3
    """
    if alike is not None and votes >= rules.votes and alike == votes:
        return votes
    for step in (rules.votes, *rules.grow_to):
        if votes < step:
            return step
        if votes == step and alike is None:
            low, high = wilson(correct, votes)
            if not low < rules.threshold < high:
                return step
    return votes


def lacking(
    rules: LabelRules,
    votes: int,
    correct: int,
    *,
    ruled: bool,
    asked: int = 0,
    alike: int | None = None,
) -> int:
    """How many more labelers a candidate with these votes goes to; 0 where it is done.

    One that was ruled on is settled: it gets the votes that all get, and grows no more. One that
    waits for a review goes to as many as were `asked` for in all, at least. `alike` is as in
    `wanted`.
    """
    usual = rules.votes if ruled else wanted(rules, votes, correct, alike=alike)
    return max(0, max(usual, asked) - votes)


def question_lacks(
    rules: LabelRules, said: Mapping[Verdict, int], *, ruled: bool, asked: int = 0
) -> int:
    """How many more labelers a question with these votes goes to; 0 where it is answered."""
    votes, correct = sum(said.values()), said.get(Verdict.CORRECT, 0)
    return lacking(rules, votes, correct, ruled=ruled, asked=asked, alike=alike(said))
