"""Time and cost to accuracy of many entries, task by task, by DAWNBench's rules (see `rows`)."""

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from genset.core.errors import BadInput
from genset.core.numbers import agree, count, dollars, duration
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.tta import words
from genset.tta.one_entry import kind_of
from genset.tta.rows import (
    SEED,
    Baseline,
    InferenceRow,
    Row,
    TrainingRow,
    by_entry,
    check_baselines,
    entry_row,
    find_baseline,
    inference_row,
)
from genset.tta.runs import About, Entries, Inference, MalformedLog, Task, Training


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries are counted, and what they are compared with.

    Attributes:
        until: leave out what was submitted later, and what names no day.
        excluded: authors whose entries are left out, in upper or lower case; "*" stands for any
            letters.
        baselines: names of entries that the others of their task are compared with, or "seed". One
            that is left out itself serves all the same.
    """

    until: date | None = None
    excluded: Sequence[str] = ()
    baselines: Sequence[str] = ()

    def takes(self, about: About) -> bool:
        """Whether an entry is counted."""
        return not self.excludes_author(about) and (
            self.until is None or (about.submitted is not None and about.submitted <= self.until)
        )

    def excludes_author(self, about: About) -> bool:
        """Whether its author's entries are left out."""
        return any(_is(author, about.author) for author in self.excluded)


@dataclass(frozen=True, slots=True)
class TaskTable:
    """All entries of one task: `trainings` and `inferences` from the fastest to the slowest.

    Attributes:
        never: the training entries that do not reach the threshold, the best one first.
        doubtful: those of which nobody can tell.
        hardware, frameworks: counts by kind, of training entries and of inference entries.
        training_baseline, inference_baseline: what the entries are compared with.
    """

    task: str
    score: str
    threshold: float
    trainings: list[TrainingRow] = field(default_factory=list)
    never: list[TrainingRow] = field(default_factory=list)
    doubtful: list[TrainingRow] = field(default_factory=list)
    inferences: list[InferenceRow] = field(default_factory=list)
    hardware: dict[str, dict[str, int]] = field(default_factory=dict)
    frameworks: dict[str, dict[str, int]] = field(default_factory=dict)
    percent: bool = True
    lower_is_better: bool = False
    training_baseline: Baseline | None = None
    inference_baseline: Baseline | None = None


@dataclass(frozen=True, slots=True)
class EntryTables:
    """The tables of all tasks.

    Attributes:
        refused: files that cannot be counted.
        undated: names of entries without a day, if only those until a day are asked for.
        excluded: names of entries by excluded authors.
    """

    tasks: list[TaskTable]
    refused: list[MalformedLog]
    undated: list[str]
    excluded: list[str]


def table(
    entries: Entries,
    thresholds: Mapping[str, float] | None = None,
    selection: Selection = Selection(),
    by_cost: bool = False,
) -> EntryTables:
    """Bring entries into tables.

    Args:
        entries: what `read_entries` read.
        thresholds: in the score's unit by a task's name, in place of its own; "" for all tasks.
        selection: which entries are counted, and what they are compared with.
        by_cost: the cheapest first, in place of the fastest; what has no price comes last.

    Raises:
        BadInput: a threshold is not within 0 to 100 per cent, or no entry has the author, the
            baseline, the price or the day that is asked for.
    """
    abouts = [e.about for e in entries.trainings] + [e.about for e in entries.inferences]
    check_baselines(selection.baselines, [about.entry or about.name for about in abouts])
    _check_authors(selection.excluded, abouts)
    if by_cost and not any(a.cost_per_hour is not None for a in abouts) and not entries.inferences:
        raise BadInput("--by cost would change nothing: no entry has a price (costPerHour)")
    if SEED in selection.baselines and not any(about.submitted for about in abouts):
        raise BadInput(f"--baseline {SEED} finds none: no entry says its day (timestamp)")
    by_task = {name.lower(): value for name, value in (thresholds or {}).items()}
    tasks = {about.task for about in abouts if selection.takes(about)}
    tables, refused = [], list(entries.refused)
    for task in sorted(tasks, key=lambda task: (task.name.lower(), task.score)):
        threshold = by_task.get(task.name.lower(), by_task.get(""))
        if threshold is None and task.threshold is None:
            word = shlex.quote(f"{task.name}=SCORE")
            reason = f"{task.name} has no threshold: give one, --threshold {word}"
            paths = {a.path: None for a in abouts if a.task == task and selection.takes(a)}
            refused += [MalformedLog(path, reason) for path in paths]
            continue
        trainings = [entry for entry in entries.trainings if entry.about.task == task]
        inferences = [entry for entry in entries.inferences if entry.about.task == task]
        threshold = task.threshold_for(trainings, threshold)
        tables.append(_task_table(task, threshold, trainings, inferences, selection, by_cost))
    excluded = {about.name: None for about in abouts if selection.excludes_author(about)}
    undated = [
        about.name
        for about in abouts
        if selection.until and about.submitted is None and about.name not in excluded
    ]
    return EntryTables(tables, refused, undated, list(excluded))


def entry_tables(found: EntryTables) -> list[Table]:
    """What `genset tta table` prints."""
    tables = []
    for task in found.tasks:
        if task.trainings or task.never or task.doubtful:
            tables.append(_training_table(task))
        if task.inferences:
            tables.append(_inference_table(task))
    for title, names in (
        ("Left out: no day given", found.undated),
        ("Left out: excluded authors", found.excluded),
    ):
        if names:
            tables.append(Table(title=title, notes=[clean(name, 200) for name in names]))
    return tables + words.refused_tables(found.refused)


# Numbers


def _is(pattern: str, author: str) -> bool:
    """Whether an author is meant by a name in which "*" stands for any letters."""
    pattern, author = (" ".join(name.split()).casefold() for name in (pattern, author))
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), author) is not None


def _check_authors(names: Sequence[str], abouts: Sequence[About]) -> None:
    for name in names:
        if not any(_is(name, about.author) for about in abouts):
            counts = Counter(about.author for about in abouts if about.author).most_common(5)
            known = "; ".join(author for author, _ in counts)
            hint = f"; among the authors are: {known}" if known else "; no entry names its author"
            raise BadInput(f"--exclude-author {name}: no entry is by this author{hint}")


def _task_table(
    task: Task,
    threshold: float,
    trainings: Sequence[Training],
    inferences: Sequence[Inference],
    selection: Selection,
    by_cost: bool,
) -> TaskTable:
    entries = [(runs[0].about, entry_row(runs, threshold)) for runs in by_entry(trainings)]
    measured = [(entry.about, inference_row(entry, threshold)) for entry in inferences]
    baseline, rows = _compared(entries, selection)
    inference_baseline, inference_rows = _compared(measured, selection)
    reached = [row for row in rows if row.hours is not None]
    reached.sort(key=lambda row: _last_if_none(row.cost if by_cost else row.hours))
    inference_rows.sort(key=lambda row: _last_if_none(row.cost_10k if by_cost else row.latency))
    sign = 1 if task.lower_is_better else -1
    abouts = {
        use: [about for about, _ in of if selection.takes(about)]
        for use, of in (("training", entries), ("inference", measured))
    }
    return TaskTable(
        task=task.name,
        score=task.score,
        threshold=threshold,
        trainings=reached,
        never=sorted(
            (row for row in rows if row.hours is None and row.runs), key=lambda row: sign * row.best
        ),
        doubtful=[row for row in rows if not row.runs],
        inferences=inference_rows,
        hardware=_kinds(abouts, "hardware"),
        frameworks=_kinds(abouts, "framework"),
        percent=task.percent,
        lower_is_better=task.lower_is_better,
        training_baseline=baseline,
        inference_baseline=inference_baseline,
    )


def _compared(
    entries: Sequence[tuple[About, Row]], selection: Selection
) -> tuple[Baseline | None, list[Row]]:
    """The rows that are counted, compared with the baseline, which may be left out itself."""
    baseline = find_baseline(selection.baselines, [row for _, row in entries])
    rows = [row for about, row in entries if selection.takes(about)]
    return baseline, [baseline.compared(row) for row in rows] if baseline else rows


def _last_if_none(value: float | None) -> tuple[bool, float]:
    return value is None, value or 0.0


def _kinds(abouts: Mapping[str, Sequence[About]], what: str) -> dict[str, dict[str, int]]:
    kinds = {use: (kind_of(getattr(a, what), what) for a in of) for use, of in abouts.items()}
    return {use: dict(Counter(found).most_common()) for use, found in kinds.items()}


# Tables

_ENTRY = (
    words.name_column(),
    *(Column(name, format=lambda text: clean(text, 32)) for name in ("model", "hardware")),
    Column("framework", format=lambda text: clean(text, 32)),
    Column("submitted", "date"),
)
_COMPARED = (Column("faster", format=words.ratio), Column("cheaper", format=words.ratio))


def _training_table(table: TaskTable) -> Table:
    all_rows = [*table.trainings, *table.never, *table.doubtful]
    several = any(row.runs > 1 for row in all_rows)
    without_ends = any(row.hours_without_ends is not None for row in table.trainings)
    baseline = table.training_baseline
    columns = [
        *_ENTRY,
        Column("result"),
        *[Column("reached", "runs that reach", align="left")] * several,
        words.hours_column("hours", "time"),
        *[words.hours_column("hours_without_ends", "without ends")] * without_ends,
        Column("cost", format=dollars),
        *words.energy_columns(row.watt_hours for row in table.trainings),
        Column("epoch", format=lambda epoch: f"{round(epoch, 2):g}"),
        words.score_column("final", table.percent),
        words.score_column("best", table.percent),
        *(_COMPARED if baseline else ()),
    ]
    notes = []
    if several:
        notes.append("the time of several runs is the mean of those that reach the threshold")
    if without_ends:
        notes.append("without ends: without the fastest and the slowest run, as MLPerf counts")
    if baseline:
        notes.append(_baseline_line(baseline, duration(baseline.time)))
    notes += [*words.remark_lines(all_rows), *_kind_lines(table, "training")]
    counted = len(table.trainings) + len(table.never)
    title = _title(table, "training", len(table.trainings), counted)
    if table.doubtful:
        title += f"; cannot tell: {len(table.doubtful)}"
    rows = words.cells_of(
        columns,
        all_rows,
        result=_result,
        reached=lambda row: Cell(row.reached, f"{row.reached} of {row.runs}"),
        best=lambda row: Cell(row.best, _best(row, table)),
    )
    return Table(columns, rows, title, notes)


def _result(row: TrainingRow) -> str:
    if not row.runs:
        return "cannot tell"
    return "not reached" if row.hours is None else "reached"


def _best(row: TrainingRow, table: TaskTable) -> str:
    if row.hours is None:
        return words.short_of(row.best, table.threshold, table.percent)
    return words.amount(row.best, table.percent)


def _inference_table(table: TaskTable) -> Table:
    baseline = table.inference_baseline
    columns = [
        *_ENTRY,
        Column("latency", format=lambda latency: f"{latency:.4g} ms"),
        Column("cost_10k", "cost of 10,000", format=dollars),
        words.score_column("score", table.percent, words.metric(table.score)),
        *(_COMPARED if baseline else ()),
    ]
    rows = words.cells_of(columns, table.inferences)
    side = "above" if table.lower_is_better else "below"
    notes = []
    if baseline:
        latency = "unknown" if baseline.time is None else f"{baseline.time:.4g} ms"
        notes.append(_baseline_line(baseline, latency))
    notes += [
        f"{words.short_name(row.name)} is {side} {words.level(table.threshold, table.percent)}"
        for row in table.inferences
        if row.reaches is False
    ]
    notes += [*words.remark_lines(table.inferences), *_kind_lines(table, "inference")]
    reached = sum(row.reaches is True for row in table.inferences)
    return Table(columns, rows, _title(table, "inference", reached, len(rows)), notes)


def _title(table: TaskTable, use: str, reached: int, of: int) -> str:
    reach = agree(reached, "reaches", "reach")
    entries = count(of, "entry", "entries")
    name, goal = words.short_name(table.task), words.goal(table)
    return f"{name}, {use}: {reached} of {entries} {reach} {goal}"


def _baseline_line(baseline: Baseline, time: str) -> str:
    name, cost = words.short_name(baseline.name), dollars(baseline.cost)
    return f"faster and cheaper: compared with {name} ({time}, {cost})"


def _kind_lines(table: TaskTable, use: str) -> list[str]:
    return [
        f"entries by {what}: " + ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        for what, kinds in (("hardware", table.hardware[use]), ("framework", table.frameworks[use]))
    ]
