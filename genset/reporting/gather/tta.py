"""DAWNBench entries joined with the models that their training gave: fast, stable, general?"""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from genset.errors import BadInput
from genset.evaluation.results.results import Results
from genset.reporting.data.options import EntrySpec
from genset.reporting.data.tta import JoinedEntry
from genset.tta.entries import MalformedLog, Training
from genset.tta.reading import one_task, read_run, read_runs, threshold_of
from genset.tta.stability import stability
from genset.tta.table import TrainingRow, training_row


def join_entries(results: Results, asked: Sequence[EntrySpec]) -> tuple[JoinedEntry, ...]:
    """Read each entry and find the model that it is held against, in the order asked for.

    Raises:
        BadInput: a model that was not scored on this set, an entry that is named twice, a log that
            is not there or has no right reading, or a folder with runs of several entries.
    """
    found: dict[Path, JoinedEntry] = {}
    for each in asked:
        model = results.find(each.model)
        place = each.log.resolve()
        if place in found:
            raise BadInput(f"--tta names {each.log} twice: an entry's training gave one model")
        found[place] = _entry(each.log, model.label)
    return tuple(found.values())


def _entry(log: Path, model: str) -> JoinedEntry:
    runs = _runs(log)
    task, about = one_task(runs), runs[0].about
    if task.threshold is None:
        raise BadInput(f"{log}: {task.name} has no threshold: add one under misc in its .json")
    threshold = threshold_of(task, None)
    rows = [training_row(run, threshold) for run in runs]
    several = stability(runs, threshold) if len(runs) > 1 else None
    reached = [row for row in rows if row.hours is not None]
    epochs = [row.epoch for row in reached if row.epoch is not None]
    return JoinedEntry(
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
