"""Time and cost to accuracy of many entries, task by task, by DAWNBench's rules (see `rows`)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeVar

from genset.core.errors import BadInput
from genset.core.numbers import NONE, agree, count, dollars, duration
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.one_entry import framework_kind, hardware_kind
from genset.tta.rows import (
    Baseline,
    InferenceRow,
    TrainingRow,
    by_entry,
    check_names,
    entry_row,
    find_baseline,
    inference_row,
)
from genset.tta.runs import About, Entries, Inference, MalformedLog, Task, Training
from genset.tta.words import (
    factor,
    goal,
    level,
    metric,
    plain_number,
    refused_grids,
    remark_lines,
    score_text,
    short_name,
)

Row = TypeVar("Row", TrainingRow, InferenceRow)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which entries are counted, and what they are held against.

    Attributes:
        until: leave out what was submitted later, and what names no day.
        without: authors whose entries are left out. Upper and lower case are the same, and "*"
            stands for any letters.
        baselines: names of entries that the others of their task are held against, or "seed". One
            that is left out itself serves all the same.
    """

    until: date | None = None
    without: Sequence[str] = ()
    baselines: Sequence[str] = ()

    def takes(self, about: About) -> bool:
        """Whether an entry is counted."""
        return not self.is_by_one_left_out(about) and (
            self.until is None or (about.submitted is not None and about.submitted <= self.until)
        )

    def is_by_one_left_out(self, about: About) -> bool:
        """Whether its author's entries are left out."""
        return any(_is(author, about.author) for author in self.without)


@dataclass(frozen=True, slots=True)
class TaskTable:
    """All entries of one task: `trainings` and `inferences` from the fastest to the slowest.

    `never` are the training entries that stay short of the threshold, the best one first. Counts
    are by kind, of training entries and of inference entries. `training_baseline` and
    `inference_baseline` are what the entries are held against.
    """

    task: str
    score: str
    threshold: float
    trainings: list[TrainingRow] = field(default_factory=list)
    never: list[TrainingRow] = field(default_factory=list)
    inferences: list[InferenceRow] = field(default_factory=list)
    hardware: dict[str, dict[str, int]] = field(default_factory=dict)
    frameworks: dict[str, dict[str, int]] = field(default_factory=dict)
    percent: bool = True
    lower_is_better: bool = False
    training_baseline: Baseline | None = None
    inference_baseline: Baseline | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The tables of all tasks.

    `refused` are files that could not be counted; `left_out` are entries that name no day, where
    only those until a day were asked for; `by_author` are those whose authors were not wanted.
    """

    tasks: list[TaskTable]
    refused: list[MalformedLog]
    left_out: list[str]
    by_author: list[str]


def table(
    entries: Entries,
    thresholds: Mapping[str, float] | None = None,
    chosen: Chosen = Chosen(),
    by_cost: bool = False,
) -> Table:
    """Bring entries into tables.

    Args:
        entries: what `read_entries` read.
        thresholds: in the score's unit by a task's name, in place of its own; "" for all tasks.
        chosen: which entries are counted, and what they are held against.
        by_cost: the cheapest first, in place of the fastest; what has no price comes last.

    Raises:
        BadInput: a threshold is not within 0 to 100 per cent, or an author or a baseline was named
            that no entry has.
    """
    everything = [e.about for e in entries.trainings] + [e.about for e in entries.inferences]
    check_names(chosen.baselines, [about.entry or about.name for about in everything])
    _check_authors(chosen.without, everything)
    asked = {name.lower(): value for name, value in (thresholds or {}).items()}
    tasks = {about.task for about in everything if chosen.takes(about)}
    tables, refused = [], list(entries.refused)
    for task in sorted(tasks, key=lambda task: (task.name.lower(), task.score)):
        own = asked.get(task.name.lower(), asked.get(""))
        if own is None and task.threshold is None:
            reason = f"{task.name} has no threshold: say one, --threshold {task.name}=SCORE"
            mine = {a.path: None for a in everything if a.task == task and chosen.takes(a)}
            refused += [MalformedLog(path, reason) for path in mine]
            continue
        trainings = [entry for entry in entries.trainings if entry.about.task == task]
        inferences = [entry for entry in entries.inferences if entry.about.task == task]
        threshold = task.threshold_or(own)
        tables.append(_task_table(task, threshold, trainings, inferences, chosen, by_cost))
    without = {about.name: None for about in everything if chosen.is_by_one_left_out(about)}
    undated = [
        about.name
        for about in everything
        if chosen.until and about.submitted is None and about.name not in without
    ]
    return Table(tables, refused, undated, list(without))


def _is(wanted: str, author: str) -> bool:
    """Whether an author is meant by a name in which "*" stands for any letters."""
    names = (" ".join(name.split()).casefold() for name in (wanted, author))
    pattern, text = names
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


def _check_authors(wanted: Sequence[str], abouts: Sequence[About]) -> None:
    for name in wanted:
        if not any(_is(name, about.author) for about in abouts):
            counts = Counter(about.author for about in abouts if about.author).most_common(5)
            known = "; ".join(author for author, _ in counts)
            said = f"; among its authors are: {known}" if known else "; no entry names its author"
            raise BadInput(f"--exclude-author {name}: no entry is by this author{said}")


def _task_table(
    task: Task,
    threshold: float,
    trainings: Sequence[Training],
    inferences: Sequence[Inference],
    chosen: Chosen,
    by_cost: bool,
) -> TaskTable:
    # A baseline may be left out itself, so all entries are made rows.
    entries = [(runs[0].about, entry_row(runs, threshold)) for runs in by_entry(trainings)]
    measured = [(entry.about, inference_row(entry, threshold)) for entry in inferences]
    base = find_baseline(chosen.baselines, [row for _, row in entries])
    base_inference = find_baseline(chosen.baselines, [row for _, row in measured])
    kept = [(about, row) for about, row in entries if chosen.takes(about)]
    kept_inference = [(about, row) for about, row in measured if chosen.takes(about)]
    rows = [_held(row, base, row.hours, row.cost) for _, row in kept]
    shown = [_held(row, base_inference, row.latency, row.cost_10k) for _, row in kept_inference]
    reached = [row for row in rows if row.hours is not None]
    if by_cost:
        reached.sort(key=lambda row: _last_if_none(row.cost))
        shown.sort(key=lambda row: _last_if_none(row.cost_10k))
    else:
        reached.sort(key=lambda row: _last_if_none(row.hours))
        shown.sort(key=lambda row: _last_if_none(row.latency))
    better = 1 if task.lower_is_better else -1
    abouts = {"training": [a for a, _ in kept], "inference": [a for a, _ in kept_inference]}
    return TaskTable(
        task=task.name,
        score=task.score,
        threshold=threshold,
        trainings=reached,
        never=sorted((row for row in rows if row.hours is None), key=lambda row: better * row.best),
        inferences=shown,
        hardware={
            use: _counts(hardware_kind(about.hardware) for about in found)
            for use, found in abouts.items()
        },
        frameworks={
            use: _counts(framework_kind(about.framework) for about in found)
            for use, found in abouts.items()
        },
        percent=task.percent,
        lower_is_better=task.lower_is_better,
        training_baseline=base,
        inference_baseline=base_inference,
    )


def _held(row: Row, base: Baseline | None, time: float | None, cost: float | None) -> Row:
    """A row with how many times as fast and as cheap as the baseline it is."""
    if base is None:
        return row
    return replace(row, faster=base.faster(time), cheaper=base.cheaper(cost))


def _last_if_none(value: float | None) -> tuple[bool, float]:
    return value is None, value or 0.0


def _counts(kinds: Iterable[str]) -> dict[str, int]:
    return dict(Counter(kinds).most_common())


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
