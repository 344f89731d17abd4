"""The share of a task's labelers who give each label."""

from collections.abc import Sequence

from genset.label.aggregate.votes import Coded, Opinion, Vote


def selection_frequency(votes: Sequence[Vote]) -> dict[str, Opinion]:
    """By task: each label's share of the votes; that of "correct" is the selection frequency.

    Unsure, incorrect and broken all count in the denominator.

    Source: Recht et al., "Do ImageNet Classifiers Generalize to ImageNet?", 2019, section 3.
    """
    coded = Coded(votes)
    counts = coded.counts()
    return coded.opinions(counts / counts.sum(axis=1, keepdims=True))
