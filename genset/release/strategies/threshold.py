"""A number of random photos of each class, from those with a high selection frequency."""

from dataclasses import dataclass
from typing import ClassVar

from genset.db import Verdict
from genset.release.candidates import CandidateRow
from genset.release.strategies.strategy import Classes, Draws, Pick, Reason, Strategy, unfit


@dataclass(frozen=True)
class Threshold(Strategy):
    """Draw `per_class` of the candidates whose selection frequency is at least `threshold`.

    A candidate that is ruled correct in review passes whatever its votes are. With `relax`, the
    threshold of a class with too few candidates is lowered to the highest value that fills it.
    Candidates that a majority does not call correct are still not taken.

    Source: ImageNetV2's "Threshold0.7" in Recht et al., "Do ImageNet Classifiers Generalize to
    ImageNet?", 2019, section 3.
    """

    per_class: int = 10
    threshold: float = 0.7
    relax: bool = False
    min_labels: int = 1
    name: ClassVar[str] = "threshold"

    def refusal(self, entry: CandidateRow) -> str | None:
        """A selection frequency that is too low, or too few votes."""
        if reason := unfit(entry, self.min_labels):
            return reason
        if self._level(entry) >= self.threshold or (self.relax and entry.is_correct):
            return None
        return f"selection frequency below {self.threshold:g}"

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """Draw, and report classes that are short and thresholds that were lowered."""
        picked: list[CandidateRow] = []
        short: dict[str, int] = {}
        lowered: dict[str, float] = {}
        for wnid, entries in sorted(classes.items()):
            levels = sorted((self._level(entry) for entry in entries), reverse=True)
            used = min([self.threshold, *levels[: self.per_class][-1:]])
            if used < self.threshold:
                lowered[wnid] = used
            passing = [entry for entry in entries if self._level(entry) >= used]
            picked += draws.order(passing)[: self.per_class]
            if len(entries) < self.per_class:
                short[wnid] = self.per_class - len(entries)
        relaxed = Reason("lowered thresholds", "--relax")
        return Pick(tuple(picked), short, {relaxed: lowered} if lowered else {})

    def _level(self, entry: CandidateRow) -> float:
        return 1.0 if entry.ruling is Verdict.CORRECT else entry.frequency
