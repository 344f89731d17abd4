"""Entries as rows of a table: time and cost to a threshold, scores, remarks.

An entry's time is that of the first epoch at or over the threshold, even if it falls below
afterwards; its cost is the hours times the price of an hour. An entry of several runs has the means
of those that reach the threshold.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from statistics import fmean
from typing import Any, TypeVar

from genset.core.errors import BadInput
from genset.core.numbers import agree
from genset.statistics.small_samples import mean_without_ends
from genset.tta.one_entry import counted, together
from genset.tta.runs import About, Inference, Task, Training
from genset.tta.words import amount

# MLPerf asks for at least so many runs of an entry, and leaves out the fastest and the slowest; of
# U-Net 3D's 40 runs, whose times differ much, the four fastest and slowest.
_FEWEST = 5
_MANY, _MANY_ENDS = 40, 4

# The word for the entry that a task began with.
SEED = "seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """What training and inference entries have in common.

    Attributes:
        faster, cheaper: the baseline's time and cost divided by this one's.
    """

    name: str
    model: str
    author: str
    hardware: str
    framework: str
    submitted: date | None
    remarks: tuple[str, ...]
    faster: float | None = None
    cheaper: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRow(EntryRow):
    """One training entry. `hours`, `cost` and `epoch` are None if it never reaches the threshold.

    Attributes:
        hours: to the threshold; of several runs the mean over those that reach it.
        cost: US dollars to the threshold; None also if no price is known.
        watt_hours: to the threshold; None also if a run's energy is not known.
        epoch: as the log counts; of several runs the mean.
        final, best: scores in the task's unit; of several runs the mean and the best of all.
        runs, reached: how many runs count, and how many of them reach the threshold.
        doubtful: of how many further runs nobody can tell whether they reach it.
        hours_without_ends: the mean time without the fastest and the slowest run, as MLPerf counts;
            None of fewer than 5 runs, or if more than one never reaches the threshold.
    """

    hours: float | None
    cost: float | None
    epoch: float | None
    final: float
    best: float
    runs: int = 1
    reached: int = 0
    doubtful: int = 0
    hours_without_ends: float | None = None
    watt_hours: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceRow(EntryRow):
    """One inference entry.

    Attributes:
        latency: milliseconds for one.
        cost_10k: US dollars for 10,000.
        score: in per cent.
        reaches: whether the score is at or over the threshold; None if it is not known.
    """

    latency: float | None
    cost_10k: float | None
    score: float | None
    reaches: bool | None


Row = TypeVar("Row", TrainingRow, InferenceRow)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entry that others are compared with. A number that it lacks gives no ratio.

    Attributes:
        time: hours to the threshold, or milliseconds of one inference.
        cost: US dollars to the threshold, or of 10,000 inferences.
    """

    name: str
    time: float | None
    cost: float | None

    def compared(self, row: "Row") -> "Row":
        """A row with how many times as fast and as cheap as this it is."""
        other = baseline_of(row)
        faster = self.time / other.time if self.time and other.time else None
        cheaper = self.cost / other.cost if self.cost and other.cost else None
        return replace(row, faster=faster, cheaper=cheaper)


def training_row(run: Training, threshold: float) -> TrainingRow:
    """One run at a threshold, in its task's unit."""
    return replace(entry_row([run], threshold), name=run.about.name)


def entry_row(runs: Sequence[Training], threshold: float) -> TrainingRow:
    """An entry of one run or of several at a threshold, in its task's unit."""
    remarks = together(runs, threshold) if len(runs) > 1 else [runs[0].doubt(threshold)]
    counting = counted(runs, threshold)
    doubtful, runs, about = len(runs) - len(counting), counting or runs, runs[0].about
    found = [(run, point) for run in runs if (point := run.first_at(threshold))]
    hours = [point.hours for _, point in found]
    prices = [run.about.cost_per_hour for run, _ in found]
    misses = len(runs) - len(found)
    return TrainingRow(
        **_about(about) | {"name": entry_name(runs)},
        remarks=(*filter(None, remarks), *_remarks(runs, threshold, misses)),
        hours=mean(hours),
        cost=mean([p and p * time for p, time in zip(prices, hours, strict=True)]),
        epoch=mean([point.epoch for _, point in found]),
        final=fmean(run.scores()[-1] for run in runs),
        best=about.task.best([run.best() for run in runs]),
        runs=len(counting),
        reached=len(found),
        doubtful=doubtful,
        hours_without_ends=_without_ends(about.task, hours, misses),
        watt_hours=mean([point.watt_hours for _, point in found]),
    )


def mean(values: Sequence[float | None]) -> float | None:
    """The mean; None without a value, and where one of them is not known."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def entry_name(runs: Sequence[Training]) -> str:
    """What the entry of one run or of several is called."""
    return runs[0].about.entry or runs[0].about.name


def _without_ends(task: Task, hours: list[float], misses: int) -> float | None:
    """The mean time without the fastest and the slowest runs, as MLPerf counts.

    Args:
        task: what the runs are for.
        hours: of the runs that reach the threshold.
        misses: how many do not. One counts as the slowest; with more there is no result.

    Returns:
        None also of fewer runs than MLPerf asks for.
    """
    runs = len(hours) + misses
    if runs < _FEWEST:
        return None
    many = runs == _MANY and task.name.lower().endswith("unet3d")
    return mean_without_ends(hours, misses, _MANY_ENDS if many else 1)


def inference_row(entry: Inference, threshold: float) -> InferenceRow:
    """An inference entry at a threshold, in its task's unit."""
    score, task = entry.score, entry.about.task
    return InferenceRow(
        **_about(entry.about),
        remarks=entry.about.remarks,
        latency=entry.latency,
        cost_10k=None if entry.cost is None else 10_000 * entry.cost,
        score=score,
        reaches=None if score is None else task.reaches(score, threshold),
    )


def by_entry(runs: Sequence[Training]) -> list[list[Training]]:
    """Runs that name one entry together, the others each by itself, in their order."""
    found: dict[object, list[Training]] = {}
    for at, run in enumerate(runs):
        key = (run.about.entry, run.about.task) if run.about.entry else at
        found.setdefault(key, []).append(run)
    return list(found.values())


def find_baseline(names: Sequence[str], rows: Sequence[Row]) -> Baseline | None:
    """The entry of `rows` that has one of the names, or is meant by `SEED`; None if none is.

    The seed entry is the earliest; of several of that day, the fastest. Without any day there is
    none.

    Raises:
        BadInput: several entries have the name.
    """
    for name in names:
        matches = [row for row in rows if row.name.casefold() == name.casefold()]
        if len(matches) > 1:
            raise BadInput(f"--baseline {name}: {len(matches)} entries of one task have this name")
        if matches:
            return baseline_of(matches[0])
    days = [row.submitted for row in rows if row.submitted is not None]
    if SEED in map(str.casefold, names) and days:
        first = [baseline_of(row) for row in rows if row.submitted == min(days)]
        return min(first, key=lambda found: (found.time is None, found.time or 0.0))
    return None


def check_baselines(baselines: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a baseline that is no entry's name.

    Raises:
        BadInput: no entry has one of the names.
    """
    known = {name.casefold(): name for name in names}
    for name in baselines:
        if name.casefold() not in (*known, SEED):
            near = get_close_matches(name.casefold(), known, n=3, cutoff=0.5)
            mend = f": did you mean {', '.join(known[key] for key in near)}?" if near else ""
            raise BadInput(f"--baseline {name}: no entry has this name{mend}")


def baseline_of(row: TrainingRow | InferenceRow) -> Baseline:
    """What others are compared with, if it is this row."""
    if isinstance(row, TrainingRow):
        return Baseline(row.name, row.hours, row.cost)
    return Baseline(row.name, row.latency, row.cost_10k)


def _about(about: About) -> dict[str, Any]:
    names = ("name", "model", "author", "hardware", "framework", "submitted")
    return {name: getattr(about, name) for name in names}


def _remarks(runs: Sequence[Training], threshold: float, misses: int) -> list[str]:
    """The remarks of an entry's runs, each once."""
    by_run = [[*run.about.remarks, *_on_the_time(run, threshold)] for run in runs]
    if len(runs) == 1:
        return by_run[0]
    counts = Counter(remark for remarks in by_run for remark in set(remarks))
    remarks = [
        remark if number == len(runs) else f"{number} of {len(runs)} runs: {remark}"
        for remark, number in sorted(counts.items())
    ]
    if 0 < misses < len(runs):
        reach = agree(misses, "does", "do")
        remarks.append(
            f"{misses} of {len(runs)} runs {reach} not reach the threshold: the time is of the "
            "others"
        )
    return remarks


def _on_the_time(run: Training, threshold: float) -> Iterator[str]:
    """Remarks on a run that had reached the threshold before its log, or did not stay there."""
    if bound := run.bound(threshold):
        yield bound
    final, task = run.scores()[-1], run.about.task
    if run.first_at(threshold) and not task.reaches(final, threshold):
        side = "above" if task.lower_is_better else "below"
        words = amount(final, task.percent)
        yield f"ends at {words}, {side} the threshold that it had reached"
