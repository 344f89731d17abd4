"""The methods that bring a candidate's votes together, by name.

Who only names them, or says in a document what one does, loads none of them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Aggregator:
    """A method.

    Attributes:
        runs: MODULE:FUNCTION, from votes to opinions: see `genset.label.aggregate`.
        says: what a release's documents say of it: which verdict it takes, and what its confidence
            is.
    """

    runs: str
    says: str


METHODS = {
    "majority": Aggregator(
        "genset.label.aggregate.votes:majority",
        "the verdict with most votes (confidence: its share of the votes)",
    ),
    "frequency": Aggregator(
        "genset.label.aggregate.votes:selection_frequency",
        "the verdict with the largest share of the votes (confidence: this share)",
    ),
    "dawid-skene": Aggregator(
        "genset.label.aggregate.dawid_skene:dawid_skene",
        "the most probable verdict, given an error rate estimated for each labeler "
        "(Dawid and Skene, 1979; confidence: its probability)",
    ),
}
