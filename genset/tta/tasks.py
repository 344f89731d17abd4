"""DAWNBench's tasks, and the scores that its logs hold."""

from dataclasses import dataclass

TOP1, TOP5, F1 = "top1Accuracy", "top5Accuracy", "f1Score"
SCORES = (TOP1, TOP5, F1)


@dataclass(frozen=True, slots=True)
class Task:
    """What is trained for.

    Attributes:
        name: as DAWNBench's folders are called.
        score: the column that counts, one of `SCORES`.
        threshold: the least score, in per cent, that counts as reached; None if none is agreed on.
    """

    name: str
    score: str
    threshold: float | None


# Source: DAWNBench's website. (The README of its entries says 0.73 for SQuAD in places.)
TASKS = {
    task.name.lower(): task
    for task in (Task("ImageNet", TOP5, 93.0), Task("CIFAR10", TOP1, 94.0), Task("SQuAD", F1, 75.0))
}
