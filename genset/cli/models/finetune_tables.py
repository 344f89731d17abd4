"""What `genset finetune` prints: the paper's table, learning curves, notes."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from genset.core.numbers import NONE, bare_p, count, digits, percent, points, span
from genset.core.safe import clean
from genset.core.tables import Grid
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
from genset.reporting.format import interval

if TYPE_CHECKING:
    from genset.finetune.run import FinetuneResults

_OF_ONE = ("%", "95 % interval", "± seeds")


def grids(finished: "FinetuneResults", all_pairs: bool = False) -> list[Grid]:
    """Tables for a terminal or a document; all pairs have a table of their own."""
    rows = table(finished.runs, all_pairs=all_pairs)
    models = [run.record for row in rows for run in row.models]
    found = [*(_pairs(rows) if all_pairs else _against(rows)), *_alone(rows, all_pairs)]
    found += _curves(models)
    if notes := _notes(models):
        found.append(Grid("Notes", notes=notes))
    if finished.saved:
        found.append(Grid("Saved", notes=finished.saved))
    return found


def as_json(finished: "FinetuneResults", all_pairs: bool = False) -> dict[str, Any]:
    """Everything, as JSON. Shares are from 0 to 1."""
    rows = table(finished.runs, all_pairs=all_pairs)
    return {
        "tasks": [
            {
                "task": data.task,
                "name": data.name,
                "classes": data.classes,
                "train": len(data.indices("train")),
                "test": len(data.indices("test")),
                "split": data.split,
                "content_hash": data.content_hash,
                "excluded": data.excluded,
                "notes": data.notes,
            }
            for data in finished.tasks
        ],
        "runs": [_run(run) for run in finished.runs],
        "differences": [
            _difference(difference)
            for row in rows
            for difference in (*row.differences, *row.others)
        ],
        "saved": finished.saved,
    }


def _run(run: StoredRun) -> dict[str, Any]:
    record, predictions = run.record, load_predictions(run)
    return {
        "folder": str(run.folder),
        **asdict(record),
        "accuracy": record.accuracy,
        "spread": record.spread,
        "per_class": per_class(record, predictions),
        "worst_pairs": worst_pairs(record, predictions),
        "learning_curve": learning_curve(record.attempts),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return asdict(difference) | {"interval": difference.interval._asdict()}


def _against(rows: Sequence[Row]) -> list[Grid]:
    """The paper's table for each model except the baseline: one row per task."""
    titled: dict[tuple[str, str], list[list[str]]] = {}
    for row in rows:
        first, *others = [run.record for run in row.models]
        for other, found in zip(others, row.differences, strict=True):
            titled.setdefault((other.model, first.model), []).append(
                [
                    clean(row.task),
                    f"{found.photos:,}",
                    *_accuracy(first),
                    *_accuracy(other),
                    points(found.difference, digits(found.photos)),
                    span(found.interval, digits(found.photos)),
                    bare_p(found.p_value),
                    bare_p(found.holm),
                ]
            )
    return [
        Grid(
            f"{clean(model)} against {clean(baseline)}",
            [
                *("task", "photos", clean(baseline), *_OF_ONE[1:], clean(model), *_OF_ONE[1:]),
                *("points", "95 % interval", "p", "Holm's p"),
            ],
            cells,
        )
        for (model, baseline), cells in titled.items()
    ]


def _pairs(rows: Sequence[Row]) -> list[Grid]:
    """The differences between any two models of a task: a line for each."""
    cells = [
        [
            *(
                clean(row.task),
                f"{difference.photos:,}",
                clean(difference.model),
                clean(difference.baseline),
            ),
            points(difference.difference, digits(difference.photos)),
            span(difference.interval, digits(difference.photos)),
            *(f"{difference.only_model:,}", f"{difference.only_baseline:,}"),
            *(bare_p(difference.p_value), bare_p(difference.holm)),
        ]
        for row in rows
        for difference in (*row.differences, *row.others)
    ]
    head = ["task", "photos", "model", "against", "points", "95 % interval"]
    head += ["model alone", "other alone", "p", "Holm's p"]
    return [Grid("Differences between any two models", head, cells)] if cells else []


def _alone(rows: Sequence[Row], all_pairs: bool) -> list[Grid]:
    """The accuracy of each model, if all pairs have a table; else that of single models."""
    cells = [
        [clean(row.task), f"{record.test:,}", clean(record.model), *_accuracy(record)]
        for row in rows
        if all_pairs or not row.differences
        for record in (run.record for run in row.models)
    ]
    return [Grid("Accuracy", ["task", "photos", "model", *_OF_ONE], cells)] if cells else []


def _accuracy(record: FinetuneRun) -> list[str]:
    """Accuracy in per cent, its interval, and the spread over seeds."""
    found, spread = record.accuracy, record.spread
    shown = NONE if spread is None else percent(spread, found.photos)
    return [percent(found.share, found.photos), interval(found), shown]


def _curves(records: Sequence[FinetuneRun]) -> list[Grid]:
    curves = {record.key: learning_curve(record.attempts) for record in records}
    shots = {point.shots for curve in curves.values() for point in curve if point.shots}
    if not shots:
        return []
    columns = [*sorted(shots), None]
    cells = []
    for record in records:
        known = {point.shots: _point(point) for point in curves[record.key]}
        named = [clean(record.name), clean(record.model)]
        cells.append([*named, *(known.get(number, NONE) for number in columns)])
    head = ["task", "model", *(str(number or "all") for number in columns)]
    title = "Accuracy in % by training photos of each class, ± its spread over seeds"
    return [Grid(title, head, cells)]


def _point(point: CurvePoint) -> str:
    photos = point.accuracy.photos
    spread = "" if point.spread is None else f" ± {percent(point.spread, photos)}"
    return percent(point.accuracy.share, photos) + spread


def _notes(records: Sequence[FinetuneRun]) -> list[str]:
    """Photos that were left out, and other notes, each once for all models that it applies to."""
    models_of: dict[tuple[str, str], list[str]] = {}
    for record in records:
        notes = list(record.notes)
        if record.excluded:
            photo, why = next(iter(record.excluded.items()))
            excluded = count(len(record.excluded), "photo")
            notes.append(f"{excluded} left out, as {clean(photo)}: {clean(why)}")
        for note in notes:
            models_of.setdefault((record.name, note), []).append(record.model)
    of_task = {
        name: len({r.model for r in records if r.name == name})
        for name in {n for n, _ in models_of}
    }
    return [
        clean(
            f"{name}: {note}"
            if len(models) == of_task[name]
            else f"{name}, {', '.join(models)}: {note}",
            400,
        )
        for (name, note), models in models_of.items()
    ]
