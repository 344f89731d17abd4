"""What a candidate's labelers say together. Each method takes votes and gives opinions."""

from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name

from genset.aggregators import METHODS
from genset.label.aggregate.votes import Opinion, Vote, selection_frequency

Method = Callable[[Sequence[Vote]], dict[str, Opinion]]


def aggregate(method: str, votes: Sequence[Vote]) -> dict[str, Opinion]:
    """By task, what its labelers say together, by one of `genset.aggregators.METHODS`."""
    run: Method = resolve_name(METHODS[method].runs)
    return run(votes)


def confidences(
    method: str, votes: Sequence[Vote], found: Mapping[str, Opinion]
) -> dict[str, float]:
    """By task: how sure a method is of the label that it `found` from these votes, 0 to 1.

    Of Dawid-Skene it is the label's probability; of the others its share of the votes.
    """
    shares = selection_frequency(votes) if method == "majority" else found
    return {task: max(shares[task].weights.values()) for task in found}
