"""What a candidate's labelers say together. Each method takes votes and gives opinions."""

from collections.abc import Callable, Mapping
from pkgutil import resolve_name

from genset.aggregators import METHODS
from genset.label.aggregate.votes import Opinion, Votes, selection_frequency

Method = Callable[[Votes], dict[str, Opinion]]


def aggregate(method: str, votes: Votes) -> dict[str, Opinion]:
    """By task, what its labelers say together, by one of `genset.aggregators.METHODS`.

    Args:
        method: the name of one.
        votes: a list of `Vote`, or a pandas DataFrame or an Arrow table with the columns task,
            worker and label, as crowd-kit reads them.

    Raises:
        BadInput: the table lacks a column, or a vote lacks its task, worker or label.
    """
    run: Method = resolve_name(METHODS[method].runs)
    return run(votes)


def confidences(method: str, votes: Votes, found: Mapping[str, Opinion]) -> dict[str, float]:
    """By task: how sure a method is of the label that it `found` from these votes, 0 to 1.

    Of Dawid-Skene it is the label's probability; of the others its share of the votes.
    """
    shares = selection_frequency(votes) if method == "majority" else found
    return {task: max(shares[task].weights.values()) for task in found}
