"""How many labelers a candidate goes to."""

from functools import lru_cache

from genset.statistics.intervals import wilson
from genset.workspace import LabelRules


@lru_cache(maxsize=4096)
def wanted(rules: LabelRules, votes: int, correct: int) -> int:
    """How many different labelers a candidate with these votes goes to in all.

    `votes` of the rules; and once it has them, while Wilson's 95 % interval of its selection
    frequency (`correct` of `votes`) holds the threshold, the next number of ``grow_to``. Between
    two of these numbers the next one is on its way.

    >>> wanted(LabelRules(votes=3, grow_to=(5, 10)), votes=3, correct=1)
    5
    """
    for step in (rules.votes, *rules.grow_to):
        if votes < step:
            return step
        if votes == step:
            low, high = wilson(correct, votes)
            if not low < rules.threshold < high:
                return step
    return votes


def lacking(rules: LabelRules, votes: int, correct: int, *, ruled: bool, asked: int = 0) -> int:
    """How many more labelers a candidate with these votes goes to; 0 where it is done.

    One that was ruled on is settled: it gets the votes that all get, and grows no more. One that
    waits for a review goes to as many as were `asked` for in all, at least.
    """
    usual = rules.votes if ruled else wanted(rules, votes, correct)
    return max(0, max(usual, asked) - votes)
