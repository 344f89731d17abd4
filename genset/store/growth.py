"""How many labelers a candidate goes to."""

from functools import lru_cache

from genset.statistics.intervals import wilson
from genset.workspace import LabelRules


@lru_cache(maxsize=4096)
def wanted(rules: LabelRules, votes: int, correct: int, *, if_disputed: bool = False) -> int:
    """How many different labelers a candidate with these votes goes to in all.

    `votes` of the rules; and once it has them, while Wilson's 95 % interval of its selection
    frequency (`correct` of `votes`) holds the threshold, the next number of ``grow_to``. Between
    two of these numbers the next one is on its way.

    With `if_disputed`, as for questions, only where some say correct and some do not: what two of
    two see in a photo is in it, while a selection frequency would be known by two votes only badly.

    >>> wanted(LabelRules(votes=3, grow_to=(5, 10)), votes=3, correct=1)
    5
    """
    if if_disputed and votes >= rules.votes and correct in (0, votes):
        return votes
    for step in (rules.votes, *rules.grow_to):
        if votes < step:
            return step
        if votes == step:
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
    if_disputed: bool = False,
) -> int:
    """How many more labelers a candidate with these votes goes to; 0 where it is done.

    One that was ruled on is settled: it gets the votes that all get, and grows no more. One that
    waits for a review goes to as many as were `asked` for in all, at least. `if_disputed` is as in
    `wanted`.
    """
    usual = rules.votes if ruled else wanted(rules, votes, correct, if_disputed=if_disputed)
    return max(0, max(usual, asked) - votes)
