"""DAWNBench entries joined with the models that their training gave: fast, stable, general?"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from genset.errors import BadInput
from genset.evaluation.results.results import Results
from genset.statistics.intervals import Interval
from genset.tta.entries import MalformedLog, Training
from genset.tta.reading import one_task, read_run, read_runs, threshold_of
from genset.tta.stability import stability
from genset.tta.table import TrainingRow, training_row


@dataclass(frozen=True, slots=True)
class EntryOf:
    """An entry's log, or the folder of its runs, and the model that this training gave."""

    log: Path
    model: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What an entry's runs did, beside the model that is scored here.

    Attributes:
        name: of the log, or of the folder of runs.
        model: the label of the report's model.
        task: what it was trained for.
        score: the column that counts, as DAWNBench calls it.
        threshold: in per cent.
        hardware, framework: as the log says, or empty.
        runs: how many.
        reached: how many of them reach the threshold.
        share: the 95 % interval of that share (Clopper-Pearson); None of one run.
        hours: to the threshold: the mean over the runs that reach it, None if there are none.
        cost: US dollars to the threshold, likewise; None also where no price is known.
        epochs: the lowest and the highest epoch that reached it.
        best: the best score of any run, in per cent.
        variation: the coefficient of variation of the times; None where fewer than two have one.
        variation_interval: its 95 % interval (modified McKay), where there is one.
        remarks: what a reader must know of the logs.
    """

    name: str
    model: str
    task: str
    score: str
    threshold: float
    hardware: str
    framework: str
    runs: int
    reached: int
    share: Interval | None
    hours: float | None
    cost: float | None
    epochs: tuple[float, float] | None
    best: float
    variation: float | None
    variation_interval: Interval | None
    remarks: tuple[str, ...]


def read_words(words: str) -> EntryOf:
    """What ENTRY=MODEL asks for; the last "=" counts, since a path may hold others.

    Raises:
        BadInput: there is no "=" with words on both sides.
    """
    log, _, model = words.rpartition("=")
    if not (log and model):
        raise BadInput(f"--tta {words}: write ENTRY=MODEL, such as runs/fast.tsv=resnet50")
    return EntryOf(Path(log), model)


def join_entries(results: Results, asked: Sequence[EntryOf]) -> tuple[Entry, ...]:
    """Read each entry and find the model that it is held against, in the order asked for.

    Raises:
        BadInput: a model that was not scored on this set, an entry that is named twice, a log that
            is not there or has no right reading, or a folder with runs of several entries.
    """
    found: dict[Path, Entry] = {}
    for each in asked:
        model = results.find(each.model)
        place = each.log.resolve()
        if place in found:
            raise BadInput(f"--tta names {each.log} twice: an entry's training gave one model")
        found[place] = _entry(each.log, model.label)
    return tuple(found.values())


def _entry(log: Path, model: str) -> Entry:
    runs = _runs(log)
    task, about = one_task(runs), runs[0].about
    if task.threshold is None:
        raise BadInput(f"{log}: {task.name} has no threshold: add one under misc in its .json")
    threshold = threshold_of(task, None)
    rows = [training_row(run, threshold) for run in runs]
    several = stability(runs, threshold) if len(runs) > 1 else None
    reached = [row for row in rows if row.hours is not None]
    epochs = [row.epoch for row in reached if row.epoch is not None]
    return Entry(
        name=log.resolve().name if log.is_dir() else about.name,
        model=model,
        task=task.name,
        score=task.score,
        threshold=threshold,
        hardware=about.hardware,
        framework=about.framework,
        runs=len(rows),
        reached=len(reached),
        share=several.share if several else None,
        hours=_mean([row.hours for row in reached]),
        cost=_mean([row.cost for row in reached]),
        epochs=(min(epochs), max(epochs)) if epochs else None,
        best=max(row.best for row in rows),
        variation=several.variation if several else None,
        variation_interval=several.variation_interval if several else None,
        remarks=_remarks(rows),
    )


def _runs(log: Path) -> list[Training]:
    """The runs of one entry. All must be readable: what is left out would change how stable it is.

    Raises:
        BadInput: there is nothing to read, or it is of several entries.
    """
    if not log.is_dir():
        return [read_run(log)]
    refused: list[MalformedLog] = []
    try:
        runs = read_runs([log], refused)
        one_task(runs)
    except BadInput as error:
        raise refused[0] if refused else BadInput(f"{log}: {error}") from None
    if refused:
        raise refused[0]
    made = {(run.about.model, run.about.hardware) for run in runs} - {("", "")}
    if len(made) > 1:
        names = " and ".join(", ".join(filter(None, each)) for each in sorted(made)[:2])
        raise BadInput(f"{log} holds runs of several entries ({names}): name one entry's")
    return runs


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, where every value is known."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _remarks(rows: Sequence[TrainingRow]) -> tuple[str, ...]:
    """The runs' remarks; of several runs each says whose it is."""
    if len(rows) == 1:
        return rows[0].remarks
    return tuple(f"{row.name}: {remark}" for row in rows for remark in row.remarks)
