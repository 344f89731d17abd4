"""What `genset tta table` prints."""

from genset.core.numbers import NONE, agree, count, dollars, duration
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.analysis.rows import InferenceRow, TrainingRow
from genset.tta.analysis.table import Table, TaskTable
from genset.tta.analysis.units import goal, level, metric
from genset.tta.show.words import (
    factor,
    plain_number,
    refused_grids,
    remark_lines,
    score_text,
    short_name,
)


def table_grids(found: Table) -> list[Grid]:
    """What `genset tta table` prints."""
    grids = [grid for task in found.tasks for grid in _task_grids(task)]
    if found.left_out:
        notes = [clean(name, 200) for name in found.left_out]
        grids.append(Grid("Left out, since they name no day", notes=notes))
    if found.by_author:
        notes = [clean(name, 200) for name in found.by_author]
        grids.append(Grid("Left out, by their authors", notes=notes))
    return grids + refused_grids(found.refused)


def _task_grids(table: TaskTable) -> list[Grid]:
    grids = []
    if table.trainings or table.never:
        grids.append(_trainings(table))
    if table.inferences:
        grids.append(_inferences(table))
    return grids


def _trainings(table: TaskTable) -> Grid:
    several = any(row.runs > 1 for row in [*table.trainings, *table.never])
    without_ends = any(row.hours_without_ends is not None for row in table.trainings)
    head = ["entry", "model", "hardware", "framework", "date"]
    head += ["runs that reach"] * several + ["time"] + ["without ends"] * without_ends
    head += ["cost", "epoch", "final", "best", *_against(table.training_baseline is not None)]
    rows = [
        [
            *_who(row),
            *[f"{row.reached} of {row.runs}"] * several,
            duration(row.hours),
            *[duration(row.hours_without_ends)] * without_ends,
            dollars(row.cost),
            plain_number(row.epoch if row.epoch is None else round(row.epoch, 2)),
            score_text(row.final, table.percent),
            score_text(row.best, table.percent),
            *_ratios(row, table.training_baseline is not None),
        ]
        for row in table.trainings
    ]
    notes = []
    if several:
        notes.append("the time of several runs is the mean of those that reach the threshold")
    if without_ends:
        notes.append("without ends: without the fastest and the slowest run, as MLPerf counts")
    if base := table.training_baseline:
        notes.append(_base(base.name, duration(base.time), dollars(base.cost)))
    for row in table.never:
        notes.append(f"never: {short_name(row.name)} (best {score_text(row.best, table.percent)})")
    notes += remark_lines([*table.trainings, *table.never])
    notes += _counts_line("hardware", table.hardware["training"])
    notes += _counts_line("framework", table.frameworks["training"])
    reach = _reach(len(table.trainings), len(table.trainings) + len(table.never))
    return Grid(f"{short_name(table.task)}, training: {reach} {goal(table)}", head, rows, notes)


def _inferences(table: TaskTable) -> Grid:
    head = ["entry", "model", "hardware", "framework", "date", "latency", "10,000 cost"]
    head += [metric(table.score), *_against(table.inference_baseline is not None)]
    rows = [
        [
            *_who(row),
            _latency(row.latency),
            dollars(row.cost_10k),
            score_text(row.score, table.percent),
            *_ratios(row, table.inference_baseline is not None),
        ]
        for row in table.inferences
    ]
    short = [row for row in table.inferences if row.reaches is False]
    side = "above" if table.lower_is_better else "below"
    least = level(table.threshold, table.percent)
    notes = []
    if base := table.inference_baseline:
        notes.append(_base(base.name, _latency(base.time), dollars(base.cost)))
    notes += [f"{side} {least}: {short_name(row.name)}" for row in short]
    notes += remark_lines(table.inferences)
    notes += _counts_line("hardware", table.hardware["inference"])
    notes += _counts_line("framework", table.frameworks["inference"])
    reach = _reach(sum(row.reaches is True for row in table.inferences), len(rows))
    return Grid(f"{short_name(table.task)}, inference: {reach} {goal(table)}", head, rows, notes)


def _reach(some: int, of: int) -> str:
    return f"{some} of {count(of, 'entry', 'entries')} {agree(some, 'reaches', 'reach')}"


def _who(row: TrainingRow | InferenceRow) -> list[str]:
    day = row.submitted.isoformat() if row.submitted else NONE
    texts = (clean(text, 32) or NONE for text in (row.model, row.hardware, row.framework))
    return [short_name(row.name), *texts, day]


def _against(held: bool) -> list[str]:
    return ["faster", "cheaper"] * held


def _ratios(row: TrainingRow | InferenceRow, held: bool) -> list[str]:
    return [factor(row.faster), factor(row.cheaper)] * held


def _base(entry: str, time: str, cost: str) -> str:
    return f"faster and cheaper: over {short_name(entry)} ({time}, {cost})"


def _counts_line(what: str, counts: dict[str, int]) -> list[str]:
    return [f"entries by {what}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())]


def _latency(value: float | None) -> str:
    return NONE if value is None else f"{value:.4g} ms"
