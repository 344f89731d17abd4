"""Tables of this room as people read them."""

from collections.abc import Sequence
from math import isinf

from genset.statistics.intervals import Interval
from genset.text.numbers import NONE, dollars, duration
from genset.text.safe import clean
from genset.text.tables import Grid
from genset.tta.entries import MalformedLog
from genset.tta.scaling import Scaling
from genset.tta.stability import Stability
from genset.tta.table import InferenceRow, Table, TaskTable, TrainingRow
from genset.tta.tasks import F1, TOP1, TOP5
from genset.tta.thresholds import Thresholds

_SCORES = {TOP1: "top-1", TOP5: "top-5", F1: "F1"}


def table_grids(found: Table) -> list[Grid]:
    """What `genset tta table` prints."""
    grids = [grid for task in found.tasks for grid in _task_grids(task)]
    if found.left_out:
        notes = [clean(name, 200) for name in found.left_out]
        grids.append(Grid("Left out, since they name no day", notes=notes))
    return grids + refused_grids(found.refused)


def refused_grids(refused: Sequence[MalformedLog]) -> list[Grid]:
    """The files that have no right reading."""
    notes = [clean(str(error), 400) for error in refused]
    return [Grid(f"Not counted: {len(refused)} files", notes=notes)] if refused else []


def stability_grids(found: Stability) -> list[Grid]:
    """What `genset tta stability` prints."""
    rows = [
        [
            _name(row.name),
            duration(row.hours),
            _number(row.epoch),
            _score(row.final),
            _score(row.best),
        ]
        for row in found.runs
    ]
    count = len(found.runs)
    notes = [
        f"{found.reached} of {count} runs reach {found.threshold:g} % "
        f"({_ends(found.share, 0)}, Clopper-Pearson)"
    ]
    if found.variation is not None:
        said = f"coefficient of variation {100 * found.variation:.1f} %"
        if found.variation_interval:
            said += f" ({_ends(found.variation_interval, 1)}, modified McKay)"
        notes.append(f"mean time {duration(found.hours)}; {said}")
    if found.variation == 0:
        notes.append("all times are equal, so they are logged too coarsely to say how they differ")
    if 0 < found.reached < count and found.variation is not None:
        notes.append("runs that never get there have no time: the variation is of the others")
    notes += _remarks(found.runs)
    head = ["run", f"time to {found.threshold:g} %", "epoch", "final", "best"]
    curve = [
        [
            _number(p.epoch),
            str(p.runs),
            duration(p.hours),
            *map(_score, (p.mean, p.lowest, p.highest)),
        ]
        for p in found.curve
    ]
    return [
        Grid(f"{_name(found.task)}: {count} runs, {_SCORES[found.score]}", head, rows, notes),
        Grid("Curve", ["epoch", "runs", "mean time", "mean", "lowest", "highest"], curve),
    ]


def thresholds_grids(found: Thresholds) -> list[Grid]:
    """What `genset tta thresholds` prints."""
    head = ["entry", *(f"{level:g} %" for level in found.thresholds), "best"]
    rows = [
        [_name(row.name), *(duration(hours) for hours in row.hours), _score(row.best)]
        for row in found.rows
    ]
    short = sum(row.hours[-1] is None for row in found.rows)
    last = f"{found.thresholds[-1]:g} %"
    notes = [f"{short} of {len(rows)} entries stop short of {last}"] if short else []
    title = f"{_name(found.task)}: time to {_SCORES[found.score]} accuracy"
    return [Grid(title, head, rows, notes)]


def scaling_grids(found: Scaling) -> list[Grid]:
    """What `genset tta scaling` prints."""
    head = ["workers", "log", "time per epoch", f"time to {found.threshold:g} %", "ideal"]
    head += ["speed-up per epoch", "speed-up to accuracy", "communication"]
    rows = [
        [
            str(row.workers),
            _name(row.name),
            duration(row.epoch_hours),
            duration(row.hours),
            f"{row.ideal:.3g}×",
            NONE if row.epoch_speedup is None else f"{row.epoch_speedup:.2f}×",
            NONE if row.speedup is None else f"{row.speedup:.2f}×",
            NONE if row.communication is None else f"{100 * row.communication:.0f} %",
        ]
        for row in found.rows
    ]
    notes = []
    if all(row.communication is None for row in found.rows):
        notes.append("no log says how long communication took (column communicationHours)")
    return [
        Grid(
            f"{_name(found.task)}: speed-up over {found.rows[0].workers} workers", head, rows, notes
        )
    ]


def _task_grids(table: TaskTable) -> list[Grid]:
    name, score = _name(table.task), _SCORES[table.score]
    goal = f"{table.threshold:g} % {score}"
    grids = []
    if table.trainings or table.never:
        head = ["entry", "model", "hardware", "framework", "date", "time", "cost", "epoch"]
        rows = [
            [*_who(row), duration(row.hours), dollars(row.cost), _number(row.epoch), *_both(row)]
            for row in table.trainings
        ]
        notes = [f"never: {_name(row.name)} (best {_score(row.best)})" for row in table.never]
        notes += _remarks([*table.trainings, *table.never])
        notes += _counts("hardware", table.hardware["training"])
        notes += _counts("framework", table.frameworks["training"])
        count = len(table.trainings) + len(table.never)
        title = f"{name}, training: {len(table.trainings)} of {count} entries reach {goal}"
        grids.append(Grid(title, [*head, "final", "best"], rows, notes))
    if table.inferences:
        head = ["entry", "model", "hardware", "framework", "date", "latency", "10,000 cost", score]
        shown = [
            [*_who(row), _latency(row.latency), dollars(row.cost_10k), _score(row.score)]
            for row in table.inferences
        ]
        below = [row for row in table.inferences if row.reaches is False]
        notes = [f"below {table.threshold:g} %: {_name(row.name)}" for row in below]
        notes += _remarks(table.inferences)
        notes += _counts("hardware", table.hardware["inference"])
        notes += _counts("framework", table.frameworks["inference"])
        reach = sum(row.reaches is True for row in table.inferences)
        title = f"{name}, inference: {reach} of {len(shown)} entries reach {goal}"
        grids.append(Grid(title, head, shown, notes))
    return grids


def _who(row: TrainingRow | InferenceRow) -> list[str]:
    day = row.submitted.isoformat() if row.submitted else NONE
    texts = (clean(text, 32) or NONE for text in (row.model, row.hardware, row.framework))
    return [_name(row.name), *texts, day]


def _name(text: str) -> str:
    """A stranger's name, as long as a column takes."""
    return clean(text, 60)


def _both(row: TrainingRow) -> list[str]:
    return [_score(row.final), _score(row.best)]


def _remarks(rows: Sequence[TrainingRow | InferenceRow]) -> list[str]:
    return [f"{_name(row.name)}: {remark}" for row in rows for remark in row.remarks]


def _counts(what: str, counts: dict[str, int]) -> list[str]:
    return [f"{what}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())]


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:g}"


def _score(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f} %"


def _latency(value: float | None) -> str:
    return NONE if value is None else f"{value:.4g} ms"


def _ends(interval: Interval, digits: int) -> str:
    """A 95 % interval in per cent."""
    high = "∞" if isinf(interval.high) else f"{100 * interval.high:.{digits}f} %"
    return f"95 %: {100 * interval.low:.{digits}f} to {high}"
