"""What more workers bring: the time per epoch and to accuracy of one entry at several sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

from genset.core.errors import BadInput
from genset.core.numbers import NONE, agree, count, duration
from genset.core.tables import Grid
from genset.tta.figures import check_few, label_axes, write_figure
from genset.tta.one_entry import check_one_entry, counted
from genset.tta.profile.by_workers import ByWorkers, draw_communication
from genset.tta.runs import Task, Training, one_task
from genset.tta.words import differing_grids, level, short_name

# A speed-up may be a little over the ratio of the workers by chance, or by more memory in all.
_CHANCE = 1.05


@dataclass(frozen=True, slots=True)
class Reach:
    """One size at one threshold.

    Attributes:
        hours: the mean over the runs that get there; None if none does.
        reached: how many do.
        runs: of how many, without those that were asked to end before.
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
        name: the log's, or the logs' one after the other.
        epoch_hours: the mean time of an epoch, without the first, which may hold the start-up;
            None of a log with one epoch that is counted from 0.
        hours, speedup: to the first threshold; None if it is never reached.
        communication: the share of time in communication, 0 to 1; None if it is not logged.
        runs: how many logs there are of this size; numbers are means over them.
        at: the time to each of the thresholds.
    """

    workers: int
    name: str
    epoch_hours: float | None
    hours: float | None
    ideal: float
    epoch_speedup: float | None
    speedup: float | None
    communication: float | None
    runs: int
    at: list[Reach]


@dataclass(frozen=True, slots=True)
class Scaling:
    """All sizes, the smallest first.

    Attributes:
        threshold: the first of `thresholds`.
        remarks: speed-ups that more workers alone do not explain, and runs that never get there.
        differences: in what runs differ that were taken for one entry's by the user's word.
    """

    task: str
    score: str
    threshold: float
    rows: list[ScalingRow]
    percent: bool
    thresholds: list[float]
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
        mixed: take runs of different entries for one's.

    Raises:
        BadInput: fewer than two sizes, different tasks or entries, no threshold, or one size's log
            is a copy of another's.
    """
    if len(runs) < 2:
        raise BadInput("scaling takes logs at two or more sizes: 4=four.tsv 8=eight.tsv")
    everything = [run for found in runs.values() for run in found]
    task = one_task(everything)
    wanted: Sequence[float | None] = thresholds or [None]
    asked = list(dict.fromkeys(task.threshold_or(each) for each in wanted))
    _no_copies(runs)
    differences = check_one_entry(everything, asked[0], mixed, sizes=True)
    rows: list[ScalingRow] = []
    for workers, found in sorted(runs.items()):
        rows.append(_row(workers, found, asked, rows[0] if rows else None))
    remarks = [remark for row in rows for remark in _remarks(row, rows[0], task)]
    return Scaling(task.name, task.score, asked[0], rows, task.percent, asked, remarks, differences)


def _no_copies(runs: Mapping[int, Sequence[Training]]) -> None:
    """Refuse a run that stands at two sizes."""
    everything = [(workers, run) for workers, found in sorted(runs.items()) for run in found]
    for (few, one), (many, other) in combinations(everything, 2):
        if few != many and one.epochs == other.epochs:
            raise BadInput(
                f"{one.about.path} for {count(few, 'worker')} and {other.about.path} for {many} "
                "hold the same epochs: name each run once"
            )


def _row(
    workers: int, runs: Sequence[Training], thresholds: Sequence[float], base: ScalingRow | None
) -> ScalingRow:
    """A size, held against the smallest, which is held against itself."""
    epochs = [run.epoch_hours() for run in runs]
    shares = [share for run in runs if (share := _communication(run)) is not None]
    epoch_hours = fmean(known) if (known := [e for e in epochs if e is not None]) else None
    at = []
    for place, threshold in enumerate(thresholds):
        points = [point for run in runs if (point := run.first_at(threshold))]
        hours = fmean(point.hours for point in points) if points else None
        before = base.at[place].hours if base else hours
        held = len(counted(runs, threshold))
        at.append(Reach(threshold, hours, len(points), held, _ratio(before, hours)))
    return ScalingRow(
        workers=workers,
        name=", ".join(run.about.name for run in runs),
        epoch_hours=epoch_hours,
        hours=at[0].hours,
        ideal=workers / base.workers if base else 1.0,
        epoch_speedup=_ratio(base.epoch_hours if base else epoch_hours, epoch_hours),
        speedup=at[0].speedup,
        communication=fmean(shares) if shares else None,
        runs=len(runs),
        at=at,
    )


def _remarks(row: ScalingRow, base: ScalingRow, task: Task) -> list[str]:
    said = []
    speedups = [("per epoch", row.epoch_speedup)]
    speedups += [(f"to {level(a.threshold, task.percent)}", a.speedup) for a in row.at]
    over = [(what, s) for what, s in speedups if s is not None and s > _CHANCE * row.ideal]
    if over:
        what, ratio = over[0]
        said.append(
            f"{row.workers} workers are {ratio:.3g} times as fast {what} as {base.workers}, which "
            f"{row.ideal:.3g} times the workers do not explain: are the logs of the same training?"
        )
    workers = count(row.workers, "worker")
    for each in row.at:
        least = level(each.threshold, task.percent)
        if never := each.runs - each.reached:
            runs = f"{never} of {count(each.runs, 'run')} of {workers}"
            said.append(f"{runs} never {agree(never, 'reaches', 'reach')} {least}")
        if stopped := row.runs - each.runs:
            runs = f"{stopped} of {count(row.runs, 'run')} of {workers}"
            were, are = agree(stopped, "was", "were"), agree(stopped, "is", "are")
            said.append(f"{runs} {were} stopped before {least}, and {are} not held against it")
    return said


def _communication(run: Training) -> float | None:
    logged = [e for e in run.epochs if e.communication is not None and e.hours > 0]
    return (logged[-1].communication or 0.0) / logged[-1].hours if logged else None


def _ratio(base: float | None, value: float | None) -> float | None:
    return base / value if base and value else None


def scaling_grids(found: Scaling) -> list[Grid]:
    """What `genset tta scaling` prints."""
    several = any(row.runs > 1 for row in found.rows)
    levels = [level(threshold, found.percent) for threshold in found.thresholds]
    head = ["workers", f"log{'s' * several}", "time per epoch"]
    head += [f"time to {level}" for level in levels]
    head += ["ideal", "speed-up per epoch"]
    more = len(levels) > 1
    head += [f"speed-up to {level}" for level in levels] if more else ["speed-up to accuracy"]
    head += ["communication"]
    rows = [
        [
            str(row.workers),
            f"{row.runs} runs" if row.runs > 1 else short_name(row.name),
            duration(row.epoch_hours),
            *(duration(each.hours) for each in row.at),
            f"{row.ideal:.3g}×",
            _speedup(row.epoch_speedup),
            *(_speedup(each.speedup) for each in row.at),
            NONE if row.communication is None else f"{100 * row.communication:.0f} %",
        ]
        for row in found.rows
    ]
    notes = [*found.remarks]
    if several:
        notes.append("numbers of several runs are means, times to accuracy of those that get there")
    if all(row.communication is None for row in found.rows):
        notes.append("no log says how long communication took (column communicationHours)")
    title = f"{short_name(found.task)}: speed-up over {count(found.rows[0].workers, 'worker')}"
    return [Grid(title, head, rows, notes), *differing_grids(found.differences)]


def _speedup(ratio: float | None) -> str:
    return NONE if ratio is None else f"{ratio:.2f}×"


_MARKERS = "sD^vPX*<>p"


def draw_scaling(found: Scaling, path: Path, talk: ByWorkers | None = None) -> None:
    """Speed-up against workers, beside the ideal, and the share of time in communication.

    Args:
        talk: communication as traces tell it.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    check_few(len(found.thresholds), "thresholds")
    shares = [row for row in found.rows if row.communication is not None]
    panels = 1 + bool(shares) + bool(talk)
    figure = Figure(figsize=((6, 9, 13)[panels - 1], 4.2), layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False)[0]
    workers = [row.workers for row in found.rows]
    axes[0].plot(workers, [row.ideal for row in found.rows], ":", color="0.35", label="ideal")
    lines = [("time per epoch", "o-", [row.epoch_speedup for row in found.rows])]
    for at, threshold in enumerate(found.thresholds):
        several = len(found.thresholds) > 1
        label = f"time to {level(threshold, found.percent)}" if several else "time to accuracy"
        marker = f"{_MARKERS[at % len(_MARKERS)]}--"
        lines.append((label, marker, [row.at[at].speedup for row in found.rows]))
    for label, marker, values in lines:
        points = [(w, v) for w, v in zip(workers, values, strict=True) if v is not None]
        if points:
            axes[0].plot(*zip(*points, strict=True), marker, label=label)
    axes[0].set_xscale("log")
    axes[0].set_yscale("log")
    for axis in (axes[0].xaxis, axes[0].yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(ScalarFormatter())
    axes[0].xaxis.set_major_locator(FixedLocator(workers))
    axes[0].yaxis.set_major_locator(FixedLocator([row.ideal for row in found.rows]))
    label_axes(axes[0], "workers", "speed-up")
    axes[0].legend(frameon=False, fontsize=9)
    if shares:
        names = [str(row.workers) for row in found.rows]
        bars = axes[1].bar(names, [100 * (row.communication or 0.0) for row in found.rows])
        said = ["not logged" if row.communication is None else "" for row in found.rows]
        axes[1].bar_label(bars, said, padding=3, fontsize=9)
        axes[1].set_ylim(0, 100)
        label_axes(axes[1], "workers", "time in communication, %")
    if talk:
        draw_communication(axes[-1], talk)
    write_figure(figure, path)
