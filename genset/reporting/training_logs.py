"""Training logs joined with the models that they gave.

Whether a log's training gave a model is known by the hash of the weights; else it is the word of
whoever asked for the report.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from genset.core.errors import BadInput
from genset.reporting.margins import MarginTest
from genset.score.results.results import ModelAnswers
from genset.score.results.runs import Run
from genset.statistics.intervals import Interval
from genset.tta.logs.reading import read_runs
from genset.tta.one_entry import counted, differences
from genset.tta.rows import entry_row
from genset.tta.runs import MalformedLog, Training, one_task
from genset.tta.stability import stability

_SHOWN = 12  # digits of a hash


@dataclass(frozen=True, slots=True)
class WeightsJoin:
    """What says that a log's training gave the model.

    Attributes:
        kind: "same": the model was scored from a checkpoint that the training wrote, by its sha256;
            "other": it was scored from another file; "unknown": from which file is not known;
            "word": the log knows of no checkpoint, and whoever asked for the report says so.
        run: of several runs, the one that wrote it; else "".
        written, scored: where these differ, how the two files' hashes begin; else "".
    """

    kind: Literal["same", "other", "unknown", "word"]
    run: str = ""
    written: str = ""
    scored: str = ""

    @property
    def remark(self) -> str:
        """What the hash says of the model; "" if nothing."""
        if self.kind == "same":
            training = f"the run {self.run}" if self.run else "this training"
            return f"scored from the checkpoint that {training} left, by its sha256"
        if self.kind == "other":
            return (
                "not scored from the checkpoint that this training left: that file has sha256 "
                f"{self.written}…, the scored one {self.scored}…"
            )
        if self.kind == "unknown":
            return (
                "this training left a checkpoint; which file was scored is not known: score the "
                "checkpoint with genset evaluate"
            )
        return ""


@dataclass(frozen=True, slots=True)
class JoinedEntry:
    """What an entry's runs did, beside the model that is scored here.

    Attributes:
        name: of the log, or of the folder of runs.
        model: the label of the report's model.
        task: what it was trained for.
        score: the column that counts, as DAWNBench calls it.
        threshold: in the score's unit.
        percent: whether that is per cent.
        hardware, framework: as the log says, or empty.
        to_stop: whether its logs count time to the stop of a run, as MLPerf's do.
        runs: how many.
        reached: how many of them reach the threshold.
        share: the 95 % interval of that share (Clopper-Pearson); None of one run.
        hours: to the threshold: the mean over the runs that reach it, None if there are none.
        cost: US dollars to the threshold, likewise; None also where no price is known.
        watt_hours: to the threshold, likewise; None also where no energy was measured.
        epochs: the lowest and the highest epoch that reached it.
        best: the best score of any run, in its unit.
        variation: the coefficient of variation of the times; None where fewer than two have one.
        variation_interval: its 95 % interval (modified McKay), where there is one.
        weights: what says that its training gave the model.
        margins: the model compared with its pretrained counterpart, in top-1 and top-5; none where
            no counterpart was named.
        remarks: what a reader must know of the logs, and of how they fit the model.
    """

    name: str
    model: str
    task: str
    score: str
    threshold: float
    percent: bool
    hardware: str
    framework: str
    to_stop: bool
    runs: int
    reached: int
    share: Interval | None
    hours: float | None
    cost: float | None
    watt_hours: float | None
    epochs: tuple[float, float] | None
    best: float
    variation: float | None
    variation_interval: Interval | None
    weights: WeightsJoin
    margins: tuple[MarginTest, ...]
    remarks: tuple[str, ...]


def join_entry(log: Path, model: ModelAnswers, least: float | None) -> JoinedEntry:
    """Read an entry's runs, beside the model that its training gave.

    Args:
        log: its log, or the folder of its runs.
        model: as it was scored on the report's set.
        least: the threshold; None: the task's own.

    Raises:
        BadInput: a log is not there or has no right reading, or runs are of several entries.
    """
    runs = _runs(log, least)
    task, about = one_task(runs), runs[0].about
    threshold = _threshold(log, runs, least)
    row = entry_row(runs, threshold)
    runs = counted(runs, threshold) or runs
    several = stability(runs, threshold) if len(runs) > 1 else None
    epochs = [point.epoch for run in runs if (point := run.first_at(threshold))]
    weights = join_by_weights(runs, model.run)
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
        runs=len(runs),
        reached=row.reached,
        share=several.share if several else None,
        hours=row.hours,
        cost=row.cost,
        watt_hours=row.watt_hours,
        epochs=(min(epochs), max(epochs)) if epochs else None,
        best=row.best,
        variation=several.variation if several else None,
        variation_interval=several.variation_interval if several else None,
        weights=weights,
        margins=(),
        remarks=(*filter(None, [weights.remark]), *row.remarks),
    )


def _runs(log: Path, least: float | None) -> list[Training]:
    """The runs of one entry. All must be readable: without some it would be as stable as others.

    Raises:
        BadInput: there is nothing to read, or it is of several entries.
    """
    refused: list[MalformedLog] = []
    try:
        runs = read_runs([log], refused)
        one_task(runs)
    except BadInput as error:
        where = f"{log}: " * log.is_dir()
        raise refused[0] if refused else BadInput(f"{where}{error}") from None
    if refused:
        raise refused[0]
    if differing := differences(runs, _threshold(log, runs, least)):
        raise BadInput(
            f"{log} holds runs of several entries ({'; '.join(differing[:2])}): name one entry's"
        )
    return runs


def _threshold(log: Path, runs: Sequence[Training], least: float | None) -> float:
    """The threshold that was asked for, or else the task's own."""
    task = one_task(runs)
    if least is None and task.threshold is None:
        raise BadInput(f"{log}: {task.name} has no threshold: say one with --tta-threshold")
    return task.threshold_or(least)


def tell_apart(entries: Sequence[JoinedEntry]) -> Iterator[JoinedEntry]:
    """The entries, with a remark where one model stands for several."""
    times = Counter(entry.model for entry in entries)
    proven = {entry.model for entry in entries if entry.weights.kind == "same"}
    for entry in entries:
        if times[entry.model] > 1 and entry.weights.kind != "same":
            why = "another one left its weights" if entry.model in proven else "one gave it at most"
            remark = f"{entry.model} stands for {times[entry.model]} trainings here: {why}"
            yield replace(entry, remarks=(remark, *entry.remarks))
        else:
            yield entry


def join_by_weights(runs: Sequence[Training], run: Run) -> WeightsJoin:
    """Whether a run of `genset evaluate` scored weights that one of these trainings wrote."""
    written = {run.about.checkpoint: run.about.name for run in runs if run.about.checkpoint}
    if not written:
        return WeightsJoin("word")
    scored = [*run.checkpoints, run.weights_hash.removeprefix("sha256:")]
    for digest in scored:
        if digest in written:
            return WeightsJoin("same", run=written[digest] if len(runs) > 1 else "")
    # Of these the hash of the weights is that of the file they lie in.
    of_a_file = "onnx:", "torchscript:", "export:"
    if not (run.checkpoints or run.spec.startswith(of_a_file)):
        return WeightsJoin("unknown")
    other = (run.checkpoints or scored)[-1]
    return WeightsJoin("other", written=next(iter(written))[:_SHOWN], scored=other[:_SHOWN])
