"""How the time to accuracy depends on the accuracy that is asked for.

Schedules tuned for one threshold are often over soon after it: such an entry has a time for 93 %
and none for 93.5 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.numbers import agree, count, duration
from genset.core.table import Cell, Table
from genset.tta import words
from genset.tta.figures import MOST_LINES, legend, line_style, logarithmic, new_figure, time_unit
from genset.tta.rows import by_entry, entry_name, mean
from genset.tta.runs import TOP1, TOP5, Task, Training, one_task

# By default thresholds begin so far below the task's own.
_POINTS = 3.0
_STEPS = 1000
_DRAWN = 200  # steps of a line in the figure


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """One entry.

    Attributes:
        hours: to each of the thresholds, of several runs the mean over those that reach it; None
            if none does.
        watt_hours: that these used until then; None also if a run's energy is not known.
        best: the best score of all runs.
        reached: how many runs reach each of the thresholds.
        doubtful: of how many nobody can tell, by threshold.
        bounds: of how many the time is an upper bound (`Training.bound`), by threshold.
    """

    name: str
    hours: list[float | None]
    watt_hours: list[float | None]
    best: float
    runs: int
    reached: list[int]
    doubtful: list[int]
    bounds: list[int]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Entries that get farthest first, of those that get as far the fastest.

    `thresholds` are from the easiest to the hardest: falling where lower is better.
    """

    task: str
    score: str
    thresholds: list[float]
    rows: list[ThresholdRow]
    percent: bool
    lower_is_better: bool


def thresholds(
    runs: Sequence[Training],
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
) -> Thresholds:
    """The time of each entry to each threshold; see `_levels`.

    Raises:
        BadInput: the entries are for different tasks, or there are no thresholds.
    """
    task = one_task(runs)
    at = _levels(task, low, high, step)
    rows = sorted((_row(entry, at) for entry in by_entry(runs)), key=_far_and_fast)
    return Thresholds(task.name, task.score, at, rows, task.percent, task.lower_is_better)


def thresholds_tables(found: Thresholds) -> list[Table]:
    """What `genset tta thresholds` prints."""
    levels = [words.level(threshold, found.percent) for threshold in found.thresholds]
    columns = [
        words.name_column(),
        *(
            words.hours_column(f"hours_to_{threshold:g}", title)
            for threshold, title in zip(found.thresholds, levels, strict=True)
        ),
        words.score_column("best", found.percent),
    ]
    places = range(len(levels))
    rows = [[row.name, *(_cell(row, at) for at in places), row.best] for row in found.rows]
    short = sum(row.hours[-1] is None and not row.doubtful[-1] for row in found.rows)
    entries, reach = count(len(rows), "entry", "entries"), agree(short, "does", "do")
    notes = [f"{short} of {entries} {reach} not reach {levels[-1]}"] if short else []
    if any(row.runs > 1 for row in found.rows):
        notes.append("of several runs: the mean of those that reach the threshold")
    what = words.metric(found.score) + (" accuracy" if found.score in (TOP1, TOP5) else "")
    if found.task == found.score:  # a task that is called as its column
        what = "each threshold"
    return [Table(columns, rows, f"{words.short_name(found.task)}: time to {what}", notes)]


def draw_thresholds(found: Thresholds, runs: Sequence[Training], path: Path) -> None:
    """Time against threshold, in steps; a line that gets no farther ends in a cross.

    Of many entries the best: that get farthest, and there the fastest.
    """
    first, last = found.thresholds[0], found.thresholds[-1]
    fine = thresholds(runs, first, last, abs(last - first) / _DRAWN or None)
    rows = [row for row in fine.rows[:MOST_LINES] if row.reached[0]]
    if not rows:
        least = words.level(first, found.percent)
        raise BadInput(f"no entry reaches {least}: there is nothing to draw")
    unit, hours_of_one = time_unit(max(h for row in rows for h in row.hours if h is not None))
    drawn: list[tuple[float, int]] = []
    with new_figure(path, 9, 5) as figure:
        axes = figure.subplots()
        for at, row in enumerate(rows):
            colour, dash = line_style(at)
            times = [hours / hours_of_one for hours in row.hours if hours is not None]
            xs = fine.thresholds[: len(times)]
            drawn.append((times[-1], at))
            axes.step(xs, times, where="pre", color=colour, linestyle=dash, linewidth=1.6)
            if row.hours[-1] is None:
                axes.plot(xs[-1], times[-1], "x", color=colour, markersize=8, markeredgewidth=2.5)
        logarithmic(axes, "y")
        margin = max(0.1 if found.percent else 0.0, 0.03 * abs(last - first)) or 0.1
        way = -1 if found.lower_is_better else 1  # harder to the right
        axes.set_xlim(first - way * margin, last + way * margin)
        percent = ", %" if found.percent else ""
        axes.set_xlabel(f"threshold, {words.metric(found.score)}{percent}")
        axes.set_ylabel(f"{unit} to reach it")
        fewer = len(rows) < len(found.rows)
        notes = [f"the best {len(rows)} of {len(found.rows)} entries"] * fewer
        if any(row.hours[-1] is None for row in rows):
            notes.append("×: an entry gets no farther")
        axes.set_title("; ".join(notes))
        # The slowest comes first, as in the figure.
        drawn.sort(reverse=True)
        legend(axes, [(at, rows[at].name) for _, at in drawn])


def _levels(task: Task, low: float | None, high: float | None, step: float | None) -> list[float]:
    """Thresholds from one end to the other, both in it, the easiest first: 90, 90.5, ..., 93.

    Without an end, the task's own threshold is the hardest, and three points from it the easiest.
    Without a step there are about eight, in per cent half a point apart or more.

    Raises:
        BadInput: an end is neither given nor known, or is no threshold (`Task.checked`), they do
            not rise, or the steps are none or over 1,000.
    """
    low, high = (None if end is None else task.checked(end) for end in (low, high))
    high = task.threshold if high is None else high
    if low is None and high is not None and task.percent:
        low = min(high + _POINTS, 100.0) if task.lower_is_better else max(high - _POINTS, 0.0)
    if low is None or high is None:
        raise BadInput(f"{task.name}: give the first and last {task.score} with --from and --to")
    if task.lower_is_better and low < high:
        low, high = high, low  # the easiest first, whichever way they were said
    span, way = abs(high - low), -1 if high < low else 1
    if way < 0 and not task.lower_is_better:
        raise BadInput(f"thresholds from {low:g} to {high:g} do not rise: swap --from and --to")
    if step is None:
        step = float(f"{span / (8 if task.percent else 5):.1g}") or 1.0  # one digit: 0.5 of 3.7
        step = max(step, 0.5) if task.percent else step
    if not step > 0 or not span / step <= _STEPS:
        raise BadInput(f"a step of {step:g} is too small: at most 1,000 thresholds")
    count = int(span / step + 1e-9)
    found = [round(low + way * at * step, 6) for at in range(count + 1)]
    return found if found[-1] == high else [*found, high]


def _row(runs: Sequence[Training], at: Sequence[float]) -> ThresholdRow:
    task = runs[0].about.task
    points = [[point for run in runs if (point := run.first_at(one))] for one in at]
    return ThresholdRow(
        name=entry_name(runs),
        hours=[mean([point.hours for point in found]) for found in points],
        watt_hours=[mean([point.watt_hours for point in found]) for found in points],
        best=task.best([run.best() for run in runs]),
        runs=len(runs),
        reached=[len(found) for found in points],
        doubtful=[sum(bool(run.doubt(threshold)) for run in runs) for threshold in at],
        bounds=[sum(bool(run.bound(threshold)) for run in runs) for threshold in at],
    )


def _far_and_fast(row: ThresholdRow) -> tuple[int, float]:
    reached = [hours for hours in row.hours if hours is not None]
    return -len(reached), reached[-1] if reached else 0.0


def _cell(row: ThresholdRow, at: int) -> Cell | None:
    """The time, with how many runs reach the threshold if only some do, and the energy used."""
    hours, energy = row.hours[at], row.watt_hours[at]
    if hours is None:
        return Cell(None, "cannot tell") if row.doubtful[at] else None
    notes = [f"{row.reached[at]} of {row.runs - row.doubtful[at]}"] * (row.reached[at] < row.runs)
    notes += ["or earlier"] * bool(row.bounds[at])
    notes += [] if energy is None else [words.quantity(energy, "Wh")]
    return Cell(hours, duration(hours), ", ".join(notes))
