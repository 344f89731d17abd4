"""What is trained for: DAWNBench's tasks with the scores that its logs hold, and others."""

from dataclasses import dataclass
from math import isfinite

from genset.core.errors import BadInput

TOP1, TOP5, F1 = "top1Accuracy", "top5Accuracy", "f1Score"
SCORES = (TOP1, TOP5, F1)


@dataclass(frozen=True, slots=True)
class Task:
    """What is trained for.

    Attributes:
        name: as DAWNBench's folders are called, or as a log names it.
        score: the column that counts: one of `SCORES`, or another as its log calls it.
        threshold: the score that counts as reached, in the score's unit; None if none is agreed on.
        lower_is_better: reached is what is at or below the threshold, as of a loss.
        percent: the score is in per cent (0 to 100); else in a unit of its own, as a loss is.
    """

    name: str
    score: str
    threshold: float | None
    lower_is_better: bool = False
    percent: bool = True

    def reaches(self, score: float, threshold: float) -> bool:
        """Whether a score is as good as a threshold, or better."""
        return score <= threshold if self.lower_is_better else score >= threshold

    def threshold_or(self, asked: float | None) -> float:
        """The threshold to hold scores against: the one that was asked for, or the task's own.

        Raises:
            BadInput: there is neither, it is no finite number, it is not within 0 to 100 where
                scores are in per cent, or looks like a fraction of 1 there.
        """
        threshold = self.threshold if asked is None else self.asked(asked)
        if threshold is None:
            raise BadInput(f"{self.name} has no threshold of its own: say one with --threshold")
        return threshold

    def asked(self, threshold: float) -> float:
        """A threshold as a person said it.

        An accuracy of 0.94 % is never what is meant, and nearly every log reaches it; an error of
        0.94 % may be.

        Raises:
            BadInput: see `threshold_or`.
        """
        if not isfinite(threshold):
            raise BadInput(f"a threshold is a finite number, not {threshold:g}")
        if self.percent and not 0 <= threshold <= 100:
            raise BadInput(f"a threshold is from 0 to 100 per cent, not {threshold:g}")
        if self.percent and not self.lower_is_better and 0 < threshold < 1:
            raise BadInput(
                f"{self.name}: a threshold of {threshold:g} is {threshold:g} %; "
                f"for {100 * threshold:g} % say {100 * threshold:g}"
            )
        return threshold


# Source: DAWNBench's website. (The README of its entries says 0.73 for SQuAD in places.)
TASKS = {
    task.name.lower(): task
    for task in (Task("ImageNet", TOP5, 93.0), Task("CIFAR10", TOP1, 94.0), Task("SQuAD", F1, 75.0))
}
