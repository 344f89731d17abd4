"""What is kept of the report's models with a new last layer, task by task."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from genset.finetune.compare import (
    ClassAccuracy,
    Row,
    learning_curve,
    per_class,
    table,
    worst_pairs,
)
from genset.finetune.runs import FinetuneRun, StoredRun, find_finetuned, load_predictions
from genset.reporting.data.finetuning import FinetunedModel, FinetunedTask
from genset.score.results.results import ModelAnswers, Results

_LISTED = 8
_FEW = 12  # classes that are all listed; of more, the ends
_HARDEST, _EASIEST = 6, 3


def gather_finetuned(results: Results, runs: Path, lower: str) -> tuple[FinetunedTask, ...]:
    """All results of fine-tuning the report's models.

    Args:
        results: the models of the report.
        runs: the folder of runs.
        lower: the baseline; "": task by task, the model that was fitted first.

    Raises:
        GensetError: a run's files are not what `genset finetune` wrote.
    """
    if not results.models:
        return ()
    found = [
        StoredRun(folder, replace(record, model=model.label))
        for folder, record in find_finetuned(runs)
        if (model := _same(results, record))
    ]
    baseline = results.find(lower).label if lower else ""
    rows = table(found, baseline)
    return tuple(map(_task, rows, _names(rows)))


def extremes(task: FinetunedTask) -> tuple[list[str], list[str]]:
    """The hardest and the easiest classes of a task; all are in the first where they are few.

    Of models that are seen together: hard is what has the lowest upper ends of Wilson's intervals,
    easy the highest lower ends, so that a class of one photo is neither by chance.
    """
    by_class = list(zip(*(model.classes for model in task.models), strict=True))

    def hope(own: Sequence[ClassAccuracy]) -> float:
        return sum(each.accuracy.high for each in own)

    def doubt(own: Sequence[ClassAccuracy]) -> float:
        return -sum(each.accuracy.low for each in own)

    hardest = [own[0].name for own in sorted(by_class, key=hope)]
    if len(hardest) <= _FEW:
        return hardest, []
    easiest = [own[0].name for own in sorted(by_class, key=doubt)]
    hardest = hardest[:_HARDEST]
    return hardest, [name for name in easiest if name not in hardest][:_EASIEST]


def confused(task: FinetunedTask) -> list[tuple[str, str]]:
    """The pairs of classes that its models, taken together, confuse most."""
    share: dict[tuple[str, str], float] = {}
    for model in task.models:
        for each in model.mistaken:
            pair = (each.name, each.other)
            share[pair] = share.get(pair, 0.0) + each.photos
    return sorted(share, key=lambda pair: (-share[pair], pair))[:_LISTED]


def _same(results: Results, record: FinetuneRun) -> ModelAnswers | None:
    """The report's model that has these weights.

    One of which only the answers are known can go by its name alone.
    """
    ours = [model for model in results.models if model.run.weights_hash == record.weights_hash]
    ours.sort(key=lambda model: model.run.preprocessing != record.preprocessing)
    answers = [model for model in results.models if not model.run.preprocessing]
    named = [model for model in answers if model.run.model == record.model]
    return next(iter([*ours, *named]), None)


def _names(rows: Sequence[Row]) -> list[str]:
    """The rows' tasks; where one was split or fitted in several ways, its further rows count on."""
    seen: Counter[str] = Counter()
    names = []
    for row in rows:
        seen[row.task] += 1
        names.append(row.task if seen[row.task] == 1 else f"{row.task} ({seen[row.task]})")
    return names


def _task(row: Row, name: str) -> FinetunedTask:
    differences = [None, *row.differences]
    return FinetunedTask(
        task=name,
        models=tuple(
            FinetunedModel(
                label=kept.record.model,
                run=kept.record,
                difference=difference,
                curve=learning_curve(kept.record.attempts),
                classes=per_class(kept.record, predictions := load_predictions(kept)),
                mistaken=worst_pairs(kept.record, predictions, most=len(kept.record.classes) ** 2),
            )
            for kept, difference in zip(row.models, differences, strict=True)
        ),
    )
