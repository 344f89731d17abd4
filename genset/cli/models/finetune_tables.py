"""What `genset finetune` prints: the paper's table, learning curves, notes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from genset.core.numbers import bare_p, count, digits, percent, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table, interval_column
from genset.finetune.compare import Difference, Row, learning_curve, per_class, table, worst_pairs
from genset.finetune.runs import FinetuneRun, StoredRun, load_predictions, mean_accuracy, spread_of
from genset.reporting.format import interval_cell

if TYPE_CHECKING:
    from genset.finetune.run import FinetuneResults


def tables(finished: "FinetuneResults", all_pairs: bool = False) -> list[Table]:
    """Tables for a terminal or a document; all pairs have a table of their own."""
    tasks = table(finished.runs, all_pairs=all_pairs)
    models = [run.record for row in tasks for run in row.models]
    rows = [row for task in tasks for row in (*task.curve, task)]
    found = [*(_pairs(rows) if all_pairs else _against(rows)), *_alone(rows, all_pairs)]
    if notes := _notes(models):
        found.append(Table(title="Notes", notes=notes))
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


def _against(rows: Sequence[Row]) -> list[Table]:
    """The paper's table for each model except the baseline: one row per task."""
    titled: dict[tuple[str, str], list[list[Any]]] = {}
    for row in rows:
        first, *others = [run.record for run in row.models]
        for other, found in zip(others, row.differences, strict=True):
            titled.setdefault((other.model, first.model), []).append(
                [
                    *(clean(row.task), _shots(row), found.photos),
                    *_accuracy(first, row),
                    *_accuracy(other, row),
                    *_difference_cells(found),
                    *(found.p_value, found.holm),
                ]
            )
    return [
        _table(
            [
                *(_TASK, _SHOTS, _PHOTOS),
                *_accuracy_columns("baseline", clean(baseline)),
                *_accuracy_columns("model", clean(model)),
                *(*_DIFFERENCE, *_P_VALUES),
            ],
            cells,
            f"{clean(model)} against {clean(baseline)}",
        )
        for (model, baseline), cells in titled.items()
    ]


def _pairs(rows: Sequence[Row]) -> list[Table]:
    """The differences between any two models of a task: a line for each."""
    cells = [
        [
            *(clean(row.task), _shots(row), found.photos),
            *(clean(found.model), clean(found.baseline)),
            *_difference_cells(found),
            *(found.only_model, found.only_baseline, found.p_value, found.holm),
        ]
        for row in rows
        for found in (*row.differences, *row.others)
    ]
    columns = [_TASK, _SHOTS, _PHOTOS, _MODEL, Column("baseline", "against"), *_DIFFERENCE]
    columns += [Column("only_model", "model alone"), Column("only_baseline", "other alone")]
    title = "Differences between any two models"
    return [_table([*columns, *_P_VALUES], cells, title)] if cells else []


def _alone(rows: Sequence[Row], all_pairs: bool) -> list[Table]:
    """The accuracy of each model, if all pairs have a table; else that of single models."""
    cells = [
        [clean(row.task), _shots(row), record.test, clean(record.model), *_accuracy(record, row)]
        for row in rows
        if all_pairs or not row.differences
        for record in (run.record for run in row.models)
    ]
    columns = [_TASK, _SHOTS, _PHOTOS, _MODEL, *_accuracy_columns("top1", "%")]
    return [_table(columns, cells, "Accuracy")] if cells else []


def _table(columns: list[Column], cells: list[list[Any]], title: str) -> Table:
    """A table, without the column of shots where all heads are those on all photos."""
    place = columns.index(_SHOTS)
    if all(row[place] == "all" for row in cells):
        columns = columns[:place] + columns[place + 1 :]
        cells = [row[:place] + row[place + 1 :] for row in cells]
    return Table(columns, cells, title)


_TASK, _SHOTS, _MODEL = Column("task"), Column("shots"), Column("model")
_PHOTOS = Column("photos", format="{:,}".format)
_DIFFERENCE = (Column("difference", "points"), interval_column("interval"))
_P_VALUES = (Column("p_value", "p", format=bare_p), Column("holm", "Holm's p", format=bare_p))


def _accuracy_columns(name: str, title: str) -> list[Column]:
    return [
        Column(name, title),
        interval_column(f"{name}_interval"),
        Column(f"{name}_spread", "± seeds"),
    ]


def _shots(row: Row) -> str | int:
    return row.shots or "all"


def _accuracy(record: FinetuneRun, row: Row) -> list[Any]:
    """Accuracy in per cent, its interval, and the spread over seeds."""
    heads = record.of_shots(row.shots)
    found, spread = mean_accuracy([head.correct for head in heads], record.test), spread_of(heads)
    return [
        Cell(found.share, percent(found.share, found.photos)),
        interval_cell((found.low, found.high), found.photos),
        spread if spread is None else Cell(spread, percent(spread, found.photos)),
    ]


def _difference_cells(found: Difference) -> list[Cell]:
    places = digits(found.photos)
    return [
        Cell(found.difference, points(found.difference, places)),
        Cell(tuple(found.interval), span(found.interval, places)),
    ]


def _notes(records: Sequence[FinetuneRun]) -> list[str]:
    """Photos that were left out, and other notes, each once for all models that it applies to."""
    models_of: dict[tuple[str, str], list[str]] = {}
    for record in records:
        notes = list(record.notes)
        for photo, why in [*record.excluded.items()][:1]:
            excluded = count(len(record.excluded), "photo")
            notes.append(f"{excluded} left out, as {clean(photo)}: {clean(why)}")
        for note in notes:
            models_of.setdefault((record.name, note), []).append(record.model)
    of_task = Counter(name for name, _ in {(record.name, record.model) for record in records})
    return [
        clean(f"{', '.join([name, *(models if len(models) < of_task[name] else [])])}: {note}", 400)
        for (name, note), models in models_of.items()
    ]
