"""All candidates that labelers called correct: the rule of the DAWNBench analysis."""

from dataclasses import dataclass
from typing import ClassVar

from genset.release.candidates import CandidateRow
from genset.release.strategies.strategy import Classes, Draws, Pick, Strategy, unfit


@dataclass(frozen=True)
class Majority(Strategy):
    """Take every candidate that more labelers call correct than incorrect or broken.

    Unsure counts for neither side. If a reviewer ruled on a candidate, only the ruling counts.
    `min_labels` is the number of labelers that a candidate needs, at least 1.

    Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning
    Performance Benchmark", 2019, section 4.2, with one labeler a photo.
    """

    min_labels: int = 1
    name: ClassVar[str] = "majority"

    def refusal(self, entry: CandidateRow) -> str | None:
        """No majority for it, or too few votes."""
        if reason := unfit(entry, self.min_labels):
            return reason
        return None if entry.is_correct else "not called correct by a majority"

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """All of them."""
        return Pick(tuple(entry for entries in classes.values() for entry in entries))
