"""Fine-tuning: the report's models with a new last layer, task by task."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from genset.core.numbers import bare_p, count, digits, p_value, percent, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.core.to_json import to_json
from genset.finetune.compare import CurvePoint, Difference, Row, learning_curve, table
from genset.finetune.runs import FinetuneRun, StoredRun, find_finetuned
from genset.reporting.blocks import Block, Figure, Figures, Grid, Heading, Part, sentences
from genset.reporting.figures.learning import learning_plots
from genset.reporting.format import interval, share
from genset.reporting.report import Inputs, ReportData, Section
from genset.score.results.results import ModelAnswers, Results

_NOTE = (
    "Only the last layer is fitted anew. Accuracies are means over seeds with Wilson’s 95 % "
    "interval on the test photos; ± is the standard deviation over seeds. Differences have Tango’s "
    "95 % interval, paired by photo; p is McNemar’s exact test on the first seed, and Holm adjusts "
    "it for all differences here."
)
_CURVES = (
    "Solid: the model named first; dashed: the baseline. Bars are Wilson’s 95 % intervals, bands "
    "one standard deviation over seeds. Axes need not start at 0. A difference on fewer photos has "
    "the wider of Tango’s interval and Student’s over seeds, which draw the photos, and the larger "
    "p; Holm adjusts it for all differences of these curves."
)


@dataclass(frozen=True, slots=True)
class FinetunedModel:
    """One model on one task.

    Attributes:
        label: as the report calls it.
        run: what was fitted on what; its `accuracy` and `spread` are the result.
        difference: from the task's baseline; None of the baseline itself.
        curve: accuracy by photos of each class.
    """

    label: str
    run: FinetuneRun
    difference: Difference | None
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class FinetunedTask:
    """A task, with the models whose results on it can be compared: the baseline first.

    `task` is its name, with a number where the report has several tables of it.
    """

    task: str
    models: tuple[FinetunedModel, ...]

    def find(self, label: str) -> FinetunedModel | None:
        """The model that the report calls so, if it has results on this task.

        One that was fitted in several ways (another precision or preprocessing) has the key of each
        behind its name; the first of these stands for it.
        """
        of_model = (m for m in self.models if m.label == label or m.label.startswith(f"{label} ["))
        return next(of_model, None)


# The numbers


def gather(inputs: Inputs, data: ReportData) -> tuple[FinetunedTask, ...]:
    """All results of fine-tuning the report's models.

    The baseline is the model that the report's options call the lower one; without one it is, task
    by task, the model that was fitted first.
    """
    results, lower = inputs.results, data.options.lower
    if not results.models:
        return ()
    found = [
        StoredRun(folder, replace(record, model=model.label))
        for folder, record in find_finetuned(inputs.runs)
        if (model := _same(results, record))
    ]
    rows = table(found, results.find(lower).label if lower else "")
    return tuple(map(_task, rows, _names(rows)))


def _same(results: Results, record: FinetuneRun) -> ModelAnswers | None:
    """The report's model that has these weights.

    One of which only the answers are known can go by its name alone.
    """
    same = [model for model in results.models if model.run.weights_hash == record.weights_hash]
    same.sort(key=lambda model: model.run.preprocessing != record.preprocessing)
    answers = [model for model in results.models if not model.run.preprocessing]
    by_name = [model for model in answers if model.run.model == record.model]
    return next(iter([*same, *by_name]), None)


def _names(rows: Sequence[Row]) -> list[str]:
    """The rows' tasks; where one was split or fitted in several ways, its further rows count on."""
    tasks = [row.task for row in rows]
    times = [tasks[: n + 1].count(task) for n, task in enumerate(tasks)]
    return [task if n == 1 else f"{task} ({n})" for task, n in zip(tasks, times, strict=True)]


def _task(row: Row, name: str) -> FinetunedTask:
    differences = [None, *row.differences]
    return FinetunedTask(
        task=name,
        models=tuple(
            FinetunedModel(
                label=stored.record.model,
                run=stored.record,
                difference=difference,
                curve=learning_curve(row, stored),
            )
            for stored, difference in zip(row.models, differences, strict=True)
        ),
    )


def _json(found: Sequence[FinetunedTask], _: ReportData) -> dict[str, Any]:
    tasks = [
        {
            "task": task.task,
            "models": [
                asdict(model) | {"accuracy": asdict(model.run.accuracy), "spread": model.run.spread}
                for model in task.models
            ],
        }
        for task in found
    ]
    return {"finetuning": to_json(tasks)} if tasks else {}


# What is shown


def show(found: Sequence[FinetunedTask], _: ReportData) -> Iterator[Part]:
    """The paper's table, a row a task; then each task's curves."""
    if not found:
        return
    labels = dict.fromkeys(model.label for task in found for model in task.models)
    about = [". ".join([f"{task.task}: {_about(task)}", *_remarks(task)]) + "." for task in found]
    blocks: list[Block] = [
        *sentences([_claim(found, label) for label in labels]),
        Grid(_comparison(found)),
        *sentences([*about, _NOTE], "note"),
        *_curves(found),
    ]
    yield Part("fine-tuning", "Fine-tuning", blocks)


def _comparison(tasks: Sequence[FinetunedTask]) -> Table:
    baselines = [task.models[0].label for task in tasks]
    labels = [*baselines, *(model.label for task in tasks for model in task.models)]
    first, *others = dict.fromkeys(labels)
    columns = [Column("task", "Task"), Column(first, first, "%")]
    for label in others:
        columns += [
            Column(label, label, "%"),
            Column(f"{label}_difference", "Difference", "points; McNemar"),
        ]
    rows = []
    for task in tasks:
        row: list[object] = [task.task]
        for label in (first, *others):
            model = task.find(label)
            row.append(_accuracy(model) if model else None)
            if label != first:
                found = model.difference if model else None
                row.append(difference(found, tested=True) if found else None)
        rows.append(row)
    return Table(columns, rows)


def _accuracy(found: FinetunedModel) -> Cell:
    """Its accuracy with the interval, and how far seeds differ."""
    accuracy = found.run.accuracy
    seeds = count(len(found.run.of_shots(None)), "seed")
    if found.run.spread is not None:
        seeds = f"± {100 * found.run.spread:.2f} over {seeds}"
    text = percent(accuracy.share, accuracy.photos)
    return Cell(accuracy.share, text, f"{interval(accuracy)}, {seeds}")


def difference(found: Difference, *, tested: bool = False) -> Cell:
    """The difference from the baseline and its interval, in points; `tested`: with p-values."""
    places = digits(found.photos)
    tests = f"; {p_value(found.p_value)}, Holm {bare_p(found.holm)}" if tested else ""
    note = f"{span(found.interval, places)}{tests}"
    return Cell(found.difference, points(found.difference, places), note)


def against_baseline(found: FinetunedModel) -> tuple[str, str]:
    """A model's difference from the baseline in points, and its interval."""
    if found.difference is None:
        return "the baseline", ""
    cell = difference(found.difference)
    return cell.text, cell.note


def _claim(tasks: Sequence[FinetunedTask], label: str) -> str:
    """How a model compares on every task; "" for one that is only a baseline."""
    compared = [
        (task, model.difference)
        for task in tasks
        if (model := task.find(label)) and model.difference
    ]
    if not compared:
        return ""
    texts = []
    for task, found in compared:
        cell, ends = difference(found), found.interval
        is_apart = not ends.low <= 0 <= ends.high and found.holm < 0.05
        doubt = "" if is_apart else ", not to be told apart"
        if found.too_few:
            doubt = f", where these {count(found.photos, 'photo')} cannot tell which is better"
        texts.append(f"{cell.text} points on {clean(task.task)} ({cell.note}{doubt})")
    baselines = " or ".join(dict.fromkeys(clean(found.baseline) for _, found in compared))
    return f"{clean(label)} against {baselines}, with a new last layer: {'; '.join(texts)}."


def _about(task: FinetunedTask) -> str:
    """What the models of a row share."""
    run = task.models[0].run
    out = f", {len(run.excluded):,} left out" if run.excluded else ""
    return (
        f"{count(len(run.classes), 'class', 'classes')}, {run.train:,} training and "
        f"{count(run.test, 'test photo')}{out}; split: {clean(run.split)}"
    )


def _remarks(task: FinetunedTask) -> list[str]:
    """What must stand beside a task's numbers; what is true of all its models names none."""
    labels_of: dict[str, list[str]] = {}
    for model in task.models:
        is_float = model.run.precision == "float32"
        notes = [*([] if is_float else [f"scored in {model.run.precision}"]), *model.run.notes]
        for note in notes:
            labels_of.setdefault(clean(note, 300).rstrip("."), []).append(clean(model.label))
    return [
        note if len(labels) == len(task.models) else f"{', '.join(labels)}: {note}"
        for note, labels in labels_of.items()
    ]


# Learning curves


def _curves(tasks: Sequence[FinetunedTask]) -> Iterator[Block]:
    """A figure for each model on each task, where heads were fitted on fewer photos too."""
    if not any(len(model.curve) > 1 for task in tasks for model in task.models):
        return
    columns = [
        Column("model", "Task and model"),
        Column("photos", "Photos a class"),
        Column("right", "Right", "%"),
        Column("spread", "± over seeds", format=lambda spread: f"{100 * spread:.2f}"),
        Column("seeds", "Seeds"),
        Column("difference", "Difference", "points"),
    ]
    rows = [
        [
            f"{task.task}, {model.label}",
            str(point.shots or "all"),
            share(point.accuracy),
            point.spread,
            point.seeds,
            difference(point.difference, tested=True) if point.difference else None,
        ]
        for task in tasks
        for model in task.models
        if len(model.curve) > 1
        for point in model.curve
    ]
    yield Heading("Learning curves")
    yield Figures(lambda: [figure for task in tasks for figure in _figures(task)], _CURVES)
    yield Grid(Table(columns, rows), "The learning curves in numbers")


def _figures(task: FinetunedTask) -> list[Figure]:
    curves = {model.label: model.curve for model in task.models}
    return learning_plots(clean(task.task, 40), curves)


SECTION = Section("finetuning", gather, show, _json)
