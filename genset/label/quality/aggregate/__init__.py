"""What a candidate's labelers say together. Each method takes votes and gives opinions."""

from collections.abc import Mapping, Sequence

from genset.label.quality.aggregate.dawid_skene import dawid_skene
from genset.label.quality.aggregate.frequency import selection_frequency
from genset.label.quality.aggregate.majority import majority
from genset.label.quality.aggregate.votes import Opinion, Vote

METHODS = {"majority": majority, "frequency": selection_frequency, "dawid-skene": dawid_skene}


def confidences(
    method: str, votes: Sequence[Vote], found: Mapping[str, Opinion]
) -> dict[str, float]:
    """By task: how sure a method is of the label that it `found` from these votes, 0 to 1.

    Of Dawid-Skene it is the label's probability; of the others its share of the votes.
    """
    shares = selection_frequency(votes) if method == "majority" else found
    return {task: max(shares[task].weights.values()) for task in found}


__all__ = [
    "METHODS",
    "Opinion",
    "Vote",
    "confidences",
    "dawid_skene",
    "majority",
    "selection_frequency",
]
