"""The photos of each class with the highest selection frequencies."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from genset.release.strategies.contract import Classes, Pick, shuffled, unfit
from genset.release.table import CandidateRow


@dataclass(frozen=True, slots=True)
class Top:
    """Take the `per_class` highest by selection frequency, then by number of labels.

    Ties are drawn at random. A candidate that nobody called correct is not taken.

    Source: ImageNetV2's "TopImages" in Recht et al., "Do ImageNet Classifiers Generalize to
    ImageNet?", 2019, section 3.
    """

    per_class: int = 10
    min_labels: int = 1
    name: ClassVar[str] = "top"

    def parameters(self) -> dict[str, Any]:
        """Its parameters."""
        return asdict(self)

    def refusal(self, entry: CandidateRow) -> str | None:
        """No votes, or none for it."""
        if reason := unfit(entry, self.min_labels):
            return reason
        if entry.labels == 0:
            return "not labeled"
        return None if entry.correct else "called correct by nobody"

    def pick(self, classes: Classes, seed: int) -> Pick:
        """Rank each class, and report classes that are short."""
        picked: list[CandidateRow] = []
        short: dict[str, int] = {}
        for wnid, entries in sorted(classes.items()):
            ranked = sorted(
                shuffled(entries, seed), key=lambda e: (e.frequency, e.labels), reverse=True
            )
            picked += ranked[: self.per_class]
            if len(ranked) < self.per_class:
                short[wnid] = self.per_class - len(ranked)
        return Pick(tuple(picked), short)
