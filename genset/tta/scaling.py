"""What more workers bring: the time per epoch and to accuracy of one entry at several sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

from genset.core.errors import BadInput
from genset.core.numbers import agree, count
from genset.core.table import Cell, Column, Table
from genset.tta.figures import check_few, new_figure
from genset.tta.one_entry import check_one_entry
from genset.tta.rows import entry_row
from genset.tta.runs import Task, Training, one_task
from genset.tta.words import difference_tables, hours_column, level, ratio, short_name

# A speed-up may be a little over the ratio of the workers by chance, or by more memory in all.
_CHANCE = 1.05

_MARKERS = "sD^vPX*<>p"


@dataclass(frozen=True, slots=True)
class Reach:
    """One size at one threshold.

    Attributes:
        hours: the mean over the runs that reach it; None if none does.
        reached: how many do.
        runs: of how many, without those that a signal stopped before.
        speedup: over the smallest size.
    """

    threshold: float
    hours: float | None
    reached: int
    runs: int
    speedup: float | None


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """One size. Speed-ups are over the smallest size; `ideal` is the ratio of the workers.

    Attributes:
        name: the log's, or the logs' separated by commas.
        epoch_hours: the mean time of an epoch, without the first, which may hold the start-up;
            None of a log with one epoch that is counted from 0.
        efficiency: the speed-up per epoch as a share of the ideal one, 0 to 1.
        runs: how many logs there are of this size; numbers are means over them.
        at: the time to each of the thresholds.
    """

    workers: int
    name: str
    epoch_hours: float | None
    ideal: float
    epoch_speedup: float | None
    efficiency: float | None
    runs: int
    at: list[Reach]


@dataclass(frozen=True, slots=True)
class Scaling:
    """All sizes, the smallest first.

    Attributes:
        remarks: speed-ups that more workers alone do not explain, and runs that reach no threshold.
        differences: how the runs differ that `mixed` accepts as one entry's.
    """

    task: str
    score: str
    percent: bool
    thresholds: list[float]
    rows: list[ScalingRow]
    remarks: list[str]
    differences: list[str]


def scaling(
    runs: Mapping[int, Sequence[Training]],
    thresholds: Sequence[float] = (),
    mixed: bool = False,
) -> Scaling:
    """Compare logs of one entry by how many workers each had.

    Args:
        runs: one or several by workers (machines or accelerators, the same in all), at least two
            sizes.
        thresholds: in the score's unit, by default the task's own.
        mixed: accept runs of different entries as one's.

    Raises:
        BadInput: fewer than two sizes, different tasks or entries, no threshold, or one run
            at two sizes.
    """
    if len(runs) < 2:
        raise BadInput("scaling needs logs at two or more sizes: 4=four.tsv 8=eight.tsv")
    sized = [(workers, run) for workers, found in sorted(runs.items()) for run in found]
    everything = [run for _, run in sized]
    task = one_task(everything)
    requested: Sequence[float | None] = thresholds or [None]
    at = list(dict.fromkeys(task.threshold_for(everything, least) for least in requested))
    for (few, one), (many, other) in combinations(sized, 2):
        if few != many and one.epochs == other.epochs:
            raise BadInput(
                f"{one.about.path} for {count(few, 'worker')} and {other.about.path} for {many} "
                "have the same epochs: give each run once"
            )
    differences = check_one_entry(everything, at[0], mixed, sizes=True)
    rows: list[ScalingRow] = []
    for workers, found in sorted(runs.items()):
        rows.append(_row(workers, found, at, rows[0] if rows else None))
    remarks = [remark for row in rows for remark in _remarks(row, rows[0], task)]
    return Scaling(task.name, task.score, task.percent, at, rows, remarks, differences)


def scaling_tables(found: Scaling) -> list[Table]:
    """What `genset tta scaling` prints."""
    several = any(row.runs > 1 for row in found.rows)
    levels = [level(threshold, found.percent) for threshold in found.thresholds]
    titles = levels if len(levels) > 1 else ["accuracy"]
    goals = list(zip([f"{at:g}" for at in found.thresholds], levels, titles, strict=True))
    columns = [
        Column("workers"),
        Column("logs" if several else "log"),
        hours_column("epoch_hours", "time per epoch"),
        *(hours_column(f"hours_to_{at}", f"time to {words}") for at, words, _ in goals),
        Column("ideal", format=ratio),
        Column("epoch_speedup", "speed-up per epoch", format=ratio),
        *(Column(f"speedup_to_{at}", f"speed-up to {to}", format=ratio) for at, _, to in goals),
        Column("efficiency", format=lambda share: f"{100 * share:.0f} %"),
    ]
    rows = [
        [
            row.workers,
            Cell(row.name, f"{row.runs} runs" if row.runs > 1 else short_name(row.name)),
            row.epoch_hours,
            *(reach.hours for reach in row.at),
            row.ideal,
            row.epoch_speedup,
            *(reach.speedup for reach in row.at),
            row.efficiency,
        ]
        for row in found.rows
    ]
    notes = [*found.remarks]
    if several:
        notes.append("of several runs: means, of times to accuracy over the runs that reach it")
    title = f"{short_name(found.task)}: speed-up over {count(found.rows[0].workers, 'worker')}"
    return [Table(columns, rows, title, notes), *difference_tables(found.differences)]


def draw_scaling(found: Scaling, runs: Mapping[int, Sequence[Training]], path: Path) -> None:
    """Speed-up against workers with the ideal; `runs` as `scaling` takes them."""
    from matplotlib.ticker import NullLocator, ScalarFormatter

    check_few(len(found.thresholds), "thresholds")
    workers = [row.workers for row in found.rows]
    lines = [("time per epoch", "o-", [row.epoch_speedup for row in found.rows])]
    several = len(found.thresholds) > 1
    for at, threshold in enumerate(found.thresholds):
        goal = level(threshold, found.percent) if several else "accuracy"
        marker = f"{_MARKERS[at % len(_MARKERS)]}--"
        lines.append((f"time to {goal}", marker, [row.at[at].speedup for row in found.rows]))
    with new_figure(path, 6, 4.2) as figure:
        axes = figure.subplots()
        axes.loglog(workers, [row.ideal for row in found.rows], ":", color="0.35", label="ideal")
        for label, marker, values in lines:
            points = [(w, v) for w, v in zip(workers, values, strict=True) if v is not None]
            if points:
                axes.plot(*zip(*points, strict=True), marker, label=label)
        axes.set_xticks(workers)
        axes.set_yticks([row.ideal for row in found.rows])
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(ScalarFormatter())
        axes.set(xlabel="workers", ylabel="speed-up")
        axes.legend(fontsize=9)


def _row(
    workers: int, runs: Sequence[Training], thresholds: Sequence[float], base: ScalingRow | None
) -> ScalingRow:
    """A size, compared with the smallest; without `base`, it is the smallest."""
    epochs = [run.epoch_hours() for run in runs]
    epoch_hours = fmean(known) if (known := [e for e in epochs if e is not None]) else None
    ideal = workers / base.workers if base else 1.0
    speedup = _ratio(base.epoch_hours if base else epoch_hours, epoch_hours)
    at = []
    for place, threshold in enumerate(thresholds):
        row = entry_row(runs, threshold)
        reached = _ratio(base.at[place].hours if base else row.hours, row.hours)
        at.append(Reach(threshold, row.hours, row.reached, row.runs, reached))
    return ScalingRow(
        workers=workers,
        name=", ".join(run.about.name for run in runs),
        epoch_hours=epoch_hours,
        ideal=ideal,
        epoch_speedup=speedup,
        efficiency=speedup and speedup / ideal,
        runs=len(runs),
        at=at,
    )


def _remarks(row: ScalingRow, base: ScalingRow, task: Task) -> list[str]:
    remarks = []
    speedups = [("per epoch", row.epoch_speedup)]
    speedups += [(f"to {level(r.threshold, task.percent)}", r.speedup) for r in row.at]
    over = [(what, s) for what, s in speedups if s is not None and s > _CHANCE * row.ideal]
    if over:
        what, times = over[0]
        remarks.append(
            f"{row.workers} workers are {times:.3g} times as fast {what} as {base.workers}, more "
            f"than {row.ideal:.3g} times the workers explain: are the logs of the same training?"
        )
    workers = count(row.workers, "worker")
    for reach in row.at:
        threshold = level(reach.threshold, task.percent)
        if missed := reach.runs - reach.reached:
            runs = f"{missed} of {count(reach.runs, 'run')} of {workers}"
            remarks.append(f"{runs} {agree(missed, 'does', 'do')} not reach {threshold}")
        if stopped := row.runs - reach.runs:
            runs = f"{stopped} of {count(row.runs, 'run')} of {workers}"
            remarks.append(f"{runs}: cannot tell whether they reach {threshold}, not counted")
    return remarks


def _ratio(base: float | None, value: float | None) -> float | None:
    return base / value if base and value else None
