"""Time and cost to accuracy of many entries, task by task.

The rules are DAWNBench's: an entry's time is that of the first epoch at or over the threshold, even
if it falls below afterwards; its cost is the hours times the price of an hour.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from genset.tta.entries import About, Entries, Inference, MalformedLog, Training
from genset.tta.kinds import framework_kind, hardware_kind
from genset.tta.reading import threshold_of
from genset.tta.tasks import Task


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """One training entry. `hours`, `cost` and `epoch` are None where it never got there.

    Attributes:
        hours: to the threshold.
        cost: US dollars to the threshold; None also where no price is known.
        epoch: as the log counts.
        final, best: scores in per cent.
    """

    name: str
    model: str
    author: str
    hardware: str
    framework: str
    submitted: date | None
    hours: float | None
    cost: float | None
    epoch: float | None
    final: float
    best: float
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InferenceRow:
    """One inference entry.

    Attributes:
        latency: milliseconds for one.
        cost_10k: US dollars for 10,000.
        score: in per cent.
        reaches: whether the score is at or over the threshold; None if it is not known.
    """

    name: str
    model: str
    author: str
    hardware: str
    framework: str
    submitted: date | None
    latency: float | None
    cost_10k: float | None
    score: float | None
    reaches: bool | None
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskTable:
    """All entries of one task: `trainings` and `inferences` from the fastest to the slowest.

    `never` are the training entries that stay below the threshold, the best one first. Counts are
    by kind, of training entries and of inference entries.
    """

    task: str
    score: str
    threshold: float
    trainings: list[TrainingRow] = field(default_factory=list)
    never: list[TrainingRow] = field(default_factory=list)
    inferences: list[InferenceRow] = field(default_factory=list)
    hardware: dict[str, dict[str, int]] = field(default_factory=dict)
    frameworks: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """The tables of all tasks.

    `refused` are files that could not be counted; `left_out` are entries that name no day, where
    only those until a day were asked for.
    """

    tasks: list[TaskTable]
    refused: list[MalformedLog]
    left_out: list[str]


def table(
    entries: Entries,
    thresholds: Mapping[str, float] | None = None,
    until: date | None = None,
    by_cost: bool = False,
) -> Table:
    """Bring entries into tables.

    Args:
        entries: what `read_entries` read.
        thresholds: per cent by a task's name, in place of its own; "" for all tasks.
        until: leave out what was submitted later.
        by_cost: the cheapest first, in place of the fastest; what has no price comes last.

    Raises:
        BadInput: a threshold is not within 0 to 100.
    """
    asked = {name.lower(): value for name, value in (thresholds or {}).items()}
    trainings = [entry for entry in entries.trainings if _in_time(entry.about, until)]
    inferences = [entry for entry in entries.inferences if _in_time(entry.about, until)]
    abouts = [entry.about for entry in trainings] + [entry.about for entry in inferences]
    tasks = {about.task for about in abouts}
    tables, refused = [], list(entries.refused)
    for task in sorted(tasks, key=lambda task: (task.name.lower(), task.score)):
        own = asked.get(task.name.lower(), asked.get(""))
        if own is None and task.threshold is None:
            reason = f"{task.name} has no threshold: say one, --threshold {task.name}=90"
            refused += [MalformedLog(a.path, reason) for a in abouts if a.task == task]
            continue
        threshold = threshold_of(task, own)
        tables.append(
            _task_table(
                task,
                threshold,
                [entry for entry in trainings if entry.about.task == task],
                [entry for entry in inferences if entry.about.task == task],
                by_cost,
            )
        )
    everything = [e.about for e in entries.trainings] + [e.about for e in entries.inferences]
    undated = [about.name for about in everything if until and about.submitted is None]
    return Table(tables, refused, undated)


def training_row(entry: Training, threshold: float) -> TrainingRow:
    """One training entry at a threshold (per cent)."""
    about, scores = entry.about, entry.scores()
    remarks = list(about.remarks)
    reached = entry.first_at(threshold)
    cost = None
    if reached and about.cost_per_hour is not None:
        cost = reached.hours * about.cost_per_hour
    if reached and scores[-1] < threshold:
        remarks.append(f"ends at {scores[-1]:.2f} %, below the threshold that it had reached")
    return TrainingRow(
        name=about.name,
        model=about.model,
        author=about.author,
        hardware=about.hardware,
        framework=about.framework,
        submitted=about.submitted,
        hours=reached.hours if reached else None,
        cost=cost,
        epoch=reached.epoch if reached else None,
        final=scores[-1],
        best=max(scores),
        remarks=tuple(remarks),
    )


def _in_time(about: About, until: date | None) -> bool:
    return until is None or (about.submitted is not None and about.submitted <= until)


def _task_table(
    task: Task,
    threshold: float,
    trainings: Sequence[Training],
    inferences: Sequence[Inference],
    by_cost: bool,
) -> TaskTable:
    rows = [training_row(entry, threshold) for entry in trainings]
    shown = [_inference_row(entry, threshold) for entry in inferences]
    reached = [row for row in rows if row.hours is not None]
    if by_cost:
        reached.sort(key=lambda row: _last_if_none(row.cost))
        shown.sort(key=lambda row: _last_if_none(row.cost_10k))
    else:
        reached.sort(key=lambda row: _last_if_none(row.hours))
        shown.sort(key=lambda row: _last_if_none(row.latency))
    never = sorted((row for row in rows if row.hours is None), key=lambda row: -row.best)
    abouts = {
        "training": [entry.about for entry in trainings],
        "inference": [entry.about for entry in inferences],
    }
    return TaskTable(
        task=task.name,
        score=task.score,
        threshold=threshold,
        trainings=reached,
        never=never,
        inferences=shown,
        hardware={
            use: _counts(hardware_kind(about.hardware) for about in found)
            for use, found in abouts.items()
        },
        frameworks={
            use: _counts(framework_kind(about.framework) for about in found)
            for use, found in abouts.items()
        },
    )


def _inference_row(entry: Inference, threshold: float) -> InferenceRow:
    about = entry.about
    return InferenceRow(
        name=about.name,
        model=about.model,
        author=about.author,
        hardware=about.hardware,
        framework=about.framework,
        submitted=about.submitted,
        latency=entry.latency,
        cost_10k=None if entry.cost is None else 10_000 * entry.cost,
        score=entry.score,
        reaches=None if entry.score is None else entry.score >= threshold,
        remarks=about.remarks,
    )


def _last_if_none(value: float | None) -> tuple[bool, float]:
    return value is None, value or 0.0


def _counts(kinds: Iterable[str]) -> dict[str, int]:
    return dict(Counter(kinds).most_common())
