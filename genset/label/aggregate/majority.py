"""The label that most of a task's labelers give."""

from collections.abc import Sequence

from genset.label.aggregate.votes import Coded, Opinion, Vote


def majority(votes: Sequence[Vote]) -> dict[str, Opinion]:
    """By task: all weight on the label with most votes, shared evenly where several have most.

    A tie has no label (None): to pick one would be to decide for the labelers.
    """
    coded = Coded(votes)
    if not votes:
        return {}
    counts = coded.counts()
    most = counts == counts.max(axis=1, keepdims=True)
    return coded.opinions(most / most.sum(axis=1, keepdims=True))
