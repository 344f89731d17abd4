"""Training logs joined with the models that their training gave: fast, stable, general?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from genset.core.errors import BadInput
from genset.reporting.data.options import EntrySpec, ReportOptions
from genset.reporting.data.tta import JoinedEntry
from genset.reporting.gather.tta.identity import join_by_weights, names_differ
from genset.reporting.gather.tta.margins import hold_to_margins
from genset.score.results.results import ModelAnswers, Results
from genset.tta.logs.reading import read_file, read_runs
from genset.tta.one_entry import check_one_entry, counted, together
from genset.tta.rows import TrainingRow, training_row
from genset.tta.runs import MalformedLog, Training, one_task
from genset.tta.stability import stability


def join_entries(results: Results, options: ReportOptions) -> tuple[JoinedEntry, ...]:
    """Read each entry and find the model that it is held against, in the order asked for.

    Raises:
        BadInput: a model that was not scored on this set, an entry that is named twice, a log that
            is not there or has no right reading, a folder with runs of several entries, or a
            counterpart without a margin or the other way round.
    """
    found: dict[Path, JoinedEntry] = {}
    for each in options.tta:
        model = results.find(each.model)
        place = each.log.resolve()
        if place in found:
            raise BadInput(f"--tta names {each.log} twice: an entry's training gave one model")
        found[place] = _entry(each, model, options.tta_threshold)
    held = hold_to_margins(results, [entry.model for entry in found.values()], options)
    joined = [replace(entry, margins=held.get(entry.model, ())) for entry in found.values()]
    return tuple(_told_apart(joined))


def _entry(asked: EntrySpec, model: ModelAnswers, least: float | None) -> JoinedEntry:
    log = asked.log
    runs = _runs(log, least)
    task, about = one_task(runs), runs[0].about
    threshold = _threshold(log, runs, least)
    remarks = together(runs, threshold) if len(runs) > 1 else []
    runs = counted(runs, threshold) or runs
    rows = [training_row(run, threshold) for run in runs]
    several = stability(runs, threshold) if len(runs) > 1 else None
    reached = [row for row in rows if row.hours is not None]
    epochs = [row.epoch for row in reached if row.epoch is not None]
    bests = [row.best for row in rows]
    names = list(dict.fromkeys(run.about.model for run in runs if run.about.model))
    differing = [remark for name in names if (remark := names_differ(name, model.run))]
    return JoinedEntry(
        name=log.resolve().name if log.is_dir() else about.name,
        model=model.label,
        task=task.name,
        score=task.score,
        threshold=threshold,
        percent=task.percent,
        hardware=about.hardware,
        framework=about.framework,
        to_stop=any(run.stop for run in runs),
        runs=len(rows),
        reached=len(reached),
        share=several.share if several else None,
        hours=_mean([row.hours for row in reached]),
        cost=_mean([row.cost for row in reached]),
        epochs=(min(epochs), max(epochs)) if epochs else None,
        best=min(bests) if task.lower_is_better else max(bests),
        variation=several.variation if several else None,
        variation_interval=several.variation_interval if several else None,
        weights=join_by_weights(runs, model.run),
        margins=(),
        remarks=(*differing, *remarks, *_remarks(rows)),
    )


def _runs(log: Path, least: float | None) -> list[Training]:
    """The runs of one entry. All must be readable: what is left out would change how stable it is.

    Raises:
        BadInput: there is nothing to read, or it is of several entries.
    """
    if not log.is_dir():
        runs = read_file(log)
    else:
        refused: list[MalformedLog] = []
        try:
            runs = read_runs([log], refused)
            one_task(runs)
        except BadInput as error:
            raise refused[0] if refused else BadInput(f"{log}: {error}") from None
        if refused:
            raise refused[0]
    differences = check_one_entry(runs, _threshold(log, runs, least), mixed=True)
    if differences:
        raise BadInput(
            f"{log} holds runs of several entries ({'; '.join(differences[:2])}): name one entry's"
        )
    return runs


def _threshold(log: Path, runs: Sequence[Training], least: float | None) -> float:
    """The threshold that was asked for, or else the task's own."""
    task = one_task(runs)
    if least is None and task.threshold is None:
        raise BadInput(f"{log}: {task.name} has no threshold: say one with --tta-threshold")
    return task.threshold_or(least)


def _told_apart(entries: Sequence[JoinedEntry]) -> list[JoinedEntry]:
    """The entries, with a remark where one model stands for several."""
    times = Counter(entry.model for entry in entries)
    proven = {entry.model for entry in entries if entry.weights.kind == "same"}
    found = []
    for entry in entries:
        if times[entry.model] > 1 and entry.weights.kind != "same":
            why = "another one left its weights" if entry.model in proven else "one gave it at most"
            remark = f"{entry.model} stands for {times[entry.model]} trainings here: {why}"
            entry = replace(entry, remarks=(remark, *entry.remarks))
        found.append(entry)
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, where every value is known."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _remarks(rows: Sequence[TrainingRow]) -> tuple[str, ...]:
    """The runs' remarks; of several runs each says whose it is."""
    if len(rows) == 1:
        return rows[0].remarks
    return tuple(f"{row.name}: {remark}" for row in rows for remark in row.remarks)
