"""What `genset finetune` prints: tables, which the report has too, and JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from genset.core.numbers import bare_p, count, digits, ends, percent, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table, interval_column
from genset.finetune.compare import (
    CurvePoint,
    Difference,
    Row,
    learning_curve,
    per_class,
    table,
    worst_pairs,
)
from genset.finetune.runs import FinetuneRun, StoredRun, load_predictions

if TYPE_CHECKING:
    from genset.finetune.run import FinetuneResults

_TASK, _SHOTS = Column("task", "Task"), Column("shots", "Photos a class")
_TESTED = Column("photos", "Test photos", format="{:,}".format)
_DIFFERENCE = (
    Column("difference", "Difference", "points"),
    interval_column("interval", unit="points"),
    Column("p_value", "McNemar", "exact p", format=bare_p),
    Column("holm", "Holm", format=bare_p),
)


def accuracies(lines: Sequence[tuple[str, FinetuneRun, CurvePoint]]) -> Table:
    """A row for each task, model and number of photos, with the difference from the baseline.

    Args:
        lines: the task's name, the model's run, and its accuracy. Columns that they leave empty
            are left out.
    """
    fewer = any(point.shots for _, _, point in lines)
    columns = [
        *(_TASK, Column("model", "Model"), _SHOTS, _TESTED),
        Column("top1", "Top-1", "%"),
        interval_column("top1_interval"),
        Column("spread", "± seeds", "points", format=lambda spread: f"{100 * spread:.2f}"),
        Column("seeds", "Seeds"),
        *_DIFFERENCE,
    ]
    rows = [
        [
            *(clean(task), clean(run.model)),
            *((point.shots or "all") if fewer else None, run.test),
            Cell(found.share, percent(found.share, found.photos)),
            Cell((found.low, found.high), ends((found.low, found.high), found.photos)),
            *(point.spread, point.seeds),
            *_cells(point.difference),
        ]
        for task, run, point in lines
        for found in [point.accuracy]
    ]
    full = [n for n in range(len(columns)) if any(row[n] is not None for row in rows)]
    return Table([columns[n] for n in full], [[row[n] for n in full] for row in rows])


def pairs(found: Sequence[Difference]) -> Table:
    """The differences between any two models of a task: a row for each."""
    columns = [
        *(_TASK, _SHOTS, _TESTED, Column("model", "Model"), Column("baseline", "Against")),
        *_DIFFERENCE,
        Column("only_model", "Model alone right"),
        Column("only_baseline", "Other alone"),
    ]
    rows = [
        [
            *(clean(one.task), one.shots or "all", one.photos),
            *(clean(one.model), clean(one.baseline)),
            *_cells(one),
            *(one.only_model, one.only_baseline),
        ]
        for one in found
    ]
    return Table(columns, rows, "Differences between any two models")


def _cells(found: Difference | None) -> list[Cell | float | None]:
    """The difference in points with what it leaves open, its interval, its tests."""
    if found is None:
        return [None] * len(_DIFFERENCE)
    places, interval, doubt = digits(found.photos), found.interval, ""
    if found.too_few:
        doubt = "too few photos"
    elif interval.low <= 0 <= interval.high or found.holm >= 0.05:
        doubt = "cannot be told apart"
    return [
        Cell(found.difference, points(found.difference, places), doubt),
        Cell(tuple(interval), span(interval, places)),
        *(found.p_value, found.holm),
    ]


def notes(task: str, runs: Sequence[FinetuneRun]) -> list[str]:
    """What must stand beside a task's numbers; what is true of all its models names none."""
    models_of: dict[str, list[str]] = {}
    for record in runs:
        found = list(record.notes)
        for photo, why in [*record.excluded.items()][:1]:
            excluded = count(len(record.excluded), "photo")
            found.append(f"{excluded} left out, as {clean(photo)}: {clean(why)}")
        if record.precision != "float32":
            found.append(f"scored in {record.precision}")
        for note in found:
            models_of.setdefault(note.rstrip("."), []).append(record.model)
    return [
        clean(", ".join([task, *(models if len(models) < len(runs) else [])]) + f": {note}", 400)
        for note, models in models_of.items()
    ]


def tables(finished: "FinetuneResults", all_pairs: bool = False) -> list[Table]:
    """Tables for a terminal or a document; all pairs have a table of their own."""
    tasks = table(finished.runs, all_pairs=all_pairs)
    lines = [
        (task.task, run.record, point)
        for task in tasks
        for run in task.models
        for point in learning_curve(task, run)
    ]
    found = [accuracies(lines)]
    if all_pairs:
        rows = [row for task in tasks for row in (*task.curve, task)]
        found.append(pairs([one for row in rows for one in (*row.differences, *row.others)]))
    models = [(task.task, [run.record for run in task.models]) for task in tasks]
    if remarks := [each for name, runs in models for each in notes(name, runs)]:
        found.append(Table(title="Notes", notes=remarks))
    if finished.saved:
        found.append(Table(title="Saved", notes=finished.saved))
    return found


def document(finished: "FinetuneResults", all_pairs: bool = False) -> dict[str, Any]:
    """Everything, as JSON. Shares are from 0 to 1."""
    rows = table(finished.runs, all_pairs=all_pairs)
    return {
        "tasks": [
            {name: getattr(data, name) for name in ("task", "name", "classes")}
            | {part: len(data.indices(part)) for part in ("train", "test")}
            | {name: getattr(data, name) for name in _OF_DATA}
            for data in finished.tasks
        ],
        "runs": [_run(run, row) for row in rows for run in row.models],
        "differences": [
            asdict(difference) | {"interval": difference.interval._asdict()}
            for task in rows
            for row in (*task.curve, task)
            for difference in (*row.differences, *row.others)
        ],
        "saved": finished.saved,
    }


_OF_DATA = ("split", "overlap", "content_hash", "excluded", "notes")


def _run(run: StoredRun, row: Row) -> dict[str, Any]:
    record, predictions = run.record, load_predictions(run)
    return {
        "folder": str(run.folder),
        **asdict(record),
        "accuracy": record.accuracy,
        "spread": record.spread,
        "per_class": per_class(record, predictions),
        "worst_pairs": worst_pairs(record, predictions),
        "learning_curve": learning_curve(row, run),
    }
