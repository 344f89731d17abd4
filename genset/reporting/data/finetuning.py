"""Models with a new last layer, task by task."""

from dataclasses import dataclass

from genset.finetune.compare import ClassAccuracy, CurvePoint, Difference, Mistaken
from genset.finetune.runs import FinetuneRun


@dataclass(frozen=True, slots=True)
class FinetunedModel:
    """One model on one task.

    Attributes:
        label: as the report calls it.
        run: what was fitted on what; its `accuracy` and `spread` are the result.
        difference: from the task's baseline; None of the baseline itself.
        curve: accuracy by photos of each class.
        classes: accuracy by class, in the order of the task's classes.
        mistaken: pairs of classes, the most confused first.
    """

    label: str
    run: FinetuneRun
    difference: Difference | None
    curve: tuple[CurvePoint, ...]
    classes: tuple[ClassAccuracy, ...]
    mistaken: tuple[Mistaken, ...]


@dataclass(frozen=True, slots=True)
class FinetunedTask:
    """A task, with the models whose results on it can be compared: the baseline first.

    `task` is its name, with a number where the report has several tables of it.
    """

    task: str
    models: tuple[FinetunedModel, ...]

    @property
    def about(self) -> FinetuneRun:
        """A run that says what all of them share: photos, split, classes, way of fitting."""
        return self.models[0].run

    def find(self, label: str) -> FinetunedModel | None:
        """The model that the report calls so, if it has results on this task.

        One that was fitted in several ways (another precision or preprocessing) has the key of each
        behind its name; the first of these stands for it.
        """
        own = (m for m in self.models if m.label == label or m.label.startswith(f"{label} ["))
        return next(own, None)
