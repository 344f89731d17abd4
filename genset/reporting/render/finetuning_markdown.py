"""Models with a new last layer, as Markdown and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from genset.core.markdown import escape, table
from genset.core.numbers import percent
from genset.core.to_json import to_json
from genset.reporting.data.finetuning import FinetunedTask
from genset.reporting.format import interval
from genset.reporting.gather.finetuning import confused, extremes
from genset.reporting.narrative.finetuning import (
    NOTE,
    about,
    chance,
    difference,
    headline,
    labels,
    of_class,
    remarks,
    shares,
    taken,
)


def tasks_in_markdown(tasks: Sequence[FinetunedTask]) -> list[str]:
    """The paper's table, a row a task; then each task's curves, classes and confusions."""
    below = [". ".join([f"{task.task}: {about(task)}", *remarks(task)]) + "." for task in tasks]
    details = [part for task in tasks for part in _details(task)]
    return [
        *map(escape, headline(tasks)),
        _comparison(tasks),
        *map(escape, [*below, NOTE]),
        *details,
    ]


def tasks_to_json(tasks: Sequence[FinetunedTask]) -> list[dict[str, Any]]:
    """Tasks as JSON's own types."""
    return [
        to_json(
            {
                "task": task.task,
                "models": [
                    {**asdict(model), "accuracy": asdict(model.run.accuracy)}
                    | {"spread": model.run.spread}
                    for model in task.models
                ],
            }
        )
        for task in tasks
    ]


def _comparison(tasks: Sequence[FinetunedTask]) -> str:
    first, *others = labels(tasks)
    head = ["Task", f"{first} (%)"]
    for label in others:
        head += [f"{label} (%)", "Difference (points)", "McNemar"]
    rows = []
    for task in tasks:
        row = [task.task]
        for label in (first, *others):
            found = task.find(label)
            row.append("{} ({}) {}".format(*shares(found)) if found else "–")
            if label != first:
                held = found.difference if found else None
                row += ["{} ({})".format(*difference(held)), chance(held)] if held else ["–", "–"]
        rows.append(row)
    return table(head, rows)


def _details(task: FinetunedTask) -> list[str]:
    name, models = escape(task.task), [model.label for model in task.models]
    parts = []
    if any(len(model.curve) > 1 for model in task.models):
        rows = [
            (
                model.label,
                str(point.shots or "all"),
                percent(point.accuracy.share, point.accuracy.photos),
                interval(point.accuracy),
                "–" if point.spread is None else f"{100 * point.spread:.2f}",
                f"{point.seeds}",
            )
            for model in task.models
            for point in model.curve
        ]
        head = ("Model", "Photos a class", "Right (%)", "95 % interval", "± over seeds", "Seeds")
        parts += [f"#### {name}: learning curve", table(head, rows)]
    hardest, easiest = extremes(task)
    by_class = [
        (each, *("{} ({})".format(*of_class(model, each)) for model in task.models))
        for each in (*hardest, *easiest)
    ]
    which = f"{len(hardest)} hardest and {len(easiest)} easiest classes" if easiest else "classes"
    parts += [
        f"#### {name}: {which}",
        table(("Class", *(f"{model} (%)" for model in models)), by_class),
    ]
    if pairs := confused(task):
        mistaken = [
            (f"{one} taken for {other}", *(taken(model, one, other) for model in task.models))
            for one, other in pairs
        ]
        parts += [f"#### {name}: confusions", table(("Photos of", *models), mistaken)]
    return parts
