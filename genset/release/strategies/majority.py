"""All that labelers called correct: the rule of the DAWNBench analysis."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from genset.release.strategies.contract import Classes, Pick, unfit
from genset.release.table import CandidateRow


@dataclass(frozen=True, slots=True)
class Majority:
    """Take every candidate that more labelers call correct than incorrect or broken.

    Unsure counts for neither side; where a reviewer ruled on it, the ruling alone decides.
    `min_labels` is how many labelers must have seen a candidate, at least 1.

    Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning
    Performance Benchmark", 2019, section 4.2, with one labeler a photo.
    """

    min_labels: int = 1
    name: ClassVar[str] = "majority"

    def parameters(self) -> dict[str, Any]:
        """What it was told."""
        return asdict(self)

    def refusal(self, entry: CandidateRow) -> str | None:
        """Votes that are not for it, or too few."""
        if reason := unfit(entry, self.min_labels):
            return reason
        return None if entry.is_correct else "not called correct by a majority"

    def pick(self, classes: Classes, seed: int) -> Pick:
        """All of them."""
        return Pick(tuple(entry for entries in classes.values() for entry in entries))
