"""Training runs as every log is read: a task, epochs with times and scores, and their origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from math import isfinite
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.numbers import duration

TOP1, TOP5, F1 = "top1Accuracy", "top5Accuracy", "f1Score"
SCORES = (TOP1, TOP5, F1)


@dataclass(frozen=True, slots=True)
class Task:
    """What is trained for.

    Attributes:
        name: as DAWNBench's folders are called, or as a log names it.
        score: the column that counts: one of `SCORES`, or another as its log calls it.
        threshold: the score that counts as reached, in the score's unit; None if none is agreed on.
        lower_is_better: reached is what is at or below the threshold, as of a loss.
        percent: the score is in per cent (0 to 100); else in a unit of its own, as a loss is.
    """

    name: str
    score: str
    threshold: float | None
    lower_is_better: bool = False
    percent: bool = True

    def reaches(self, score: float, threshold: float) -> bool:
        """Whether a score is as good as a threshold, or better."""
        return score <= threshold if self.lower_is_better else score >= threshold

    def best(self, scores: Sequence[float]) -> float:
        """The best of several scores."""
        return min(scores) if self.lower_is_better else max(scores)

    def threshold_or(self, threshold: float | None) -> float:
        """A threshold that a person gave, or else the task's own.

        Raises:
            BadInput: there is neither, or see `checked`.
        """
        if threshold is not None:
            return self.checked(threshold)
        if self.threshold is None:
            raise BadInput(f"{self.name} has no threshold of its own: give one with --threshold")
        return self.threshold

    def threshold_for(self, runs: "Sequence[Training]", threshold: float | None) -> float:
        """See `threshold_or`; one that no score of the runs comes near is a question.

        Raises:
            BadInput: there is none, it cannot be meant (`checked`), or all scores are ten times as
                high or as low.
        """
        least = self.threshold_or(threshold)
        scores = sorted(abs(score) for run in runs for score in run.scores())
        if scores and not self.percent and not scores[0] / 10 <= abs(least) <= scores[-1] * 10:
            raise BadInput(
                f"the threshold {least:g} is far from all {self.score}, {scores[0]:g} to "
                f"{scores[-1]:g}: give it in the same unit, or name another --metric"
            )
        if scores and self.percent and self.lower_is_better and 0 < least < 1 < scores[0]:
            raise self._fraction(least)
        return least

    def _fraction(self, threshold: float) -> BadInput:
        return BadInput(
            f"{self.name}: the threshold {threshold:g} means {threshold:g} %; "
            f"for {100 * threshold:g} % write {100 * threshold:g}"
        )

    def checked(self, threshold: float) -> float:
        """A threshold that a person gave, if it can be meant.

        An accuracy of 0.94 % is never meant, and nearly every log reaches it; an error of 0.94 %
        may be.

        Raises:
            BadInput: it is not finite, not within 0 to 100 where scores are in per cent, or looks
                like a fraction of 1 there.
        """
        if not isfinite(threshold):
            raise BadInput(f"the threshold must be a finite number, not {threshold:g}")
        if self.percent and not 0 <= threshold <= 100:
            raise BadInput(f"the threshold must be from 0 to 100 per cent, not {threshold:g}")
        if self.percent and not self.lower_is_better and 0 < threshold < 1:
            raise self._fraction(threshold)
        return threshold


# Source: DAWNBench's website. (The README of its entries says 0.73 for SQuAD in places.)
TASKS = {
    task.name.lower(): task
    for task in (Task("ImageNet", TOP5, 93.0), Task("CIFAR10", TOP1, 94.0), Task("SQuAD", F1, 75.0))
}


# Hours that the clocks of a run's workers may differ by: in no published log of MLPerf they do.
CLOCKS_APART = 10 / 3600

FAILED = "failed"  # or cut off by something unknown
STOPPED = "stopped"  # by a signal


class MalformedLog(BadInput):
    """A log has no right reading. `reason` says why, `line` (from 1) where, if it is one line."""

    def __init__(self, path: Path, reason: str, line: int | None = None) -> None:
        place = f", line {line}" if line else ""
        super().__init__(f"{path}{place}: {reason}")
        self.path, self.reason, self.line = path, reason, line

    def as_json(self) -> dict[str, object]:
        """Where and why."""
        return {"file": self.path, "line": self.line, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Epoch:
    """One line of a training log.

    Attributes:
        epoch: as logged: from 0 or from 1, also between whole numbers, also repeated.
        hours: since training began; never less than on the line before.
        scores: by column, in per cent (0 to 100), or in the unit of a task that is not judged in
            per cent; a score that was not measured is not in it.
        watt_hours: used since training began, if logged.
    """

    epoch: float
    hours: float
    scores: dict[str, float]
    watt_hours: float | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What a log, or the JSON file of its entry, says of a run. Unknown texts are empty.

    Attributes:
        name: of the run: the file's name without its suffix, or what the log calls it.
        entry: what several runs of one recipe have in common; empty if the run is one by itself.
        settings: what the log says of how it was trained, by name: batch size, epochs planned,
            learning rate. Not what may differ from run to run of one entry: seeds, paths, times.
        submitted: the day of ``timestamp``.
        cost_per_hour: US dollars for all machines together.
        remarks: what a reader should know of how the files were read, one line each.
        checkpoint: the sha256 of the file of weights that the run left, 64 hexadecimal digits;
            empty where that is not known.
        origin: "commit" and "command" of a recorded run. Runs of one entry may differ in it, but
            that is worth a remark.
        ending: `FAILED` or `STOPPED` of a recorded run that did not finish; else empty.
    """

    name: str
    path: Path
    task: Task
    author: str = ""
    framework: str = ""
    model: str = ""
    hardware: str = ""
    submitted: date | None = None
    cost_per_hour: float | None = None
    remarks: tuple[str, ...] = ()
    entry: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    checkpoint: str = ""
    origin: Mapping[str, str] = field(default_factory=dict)
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """How a run ended as its log says, by MLPerf's ``run_stop``.

    Attributes:
        hours: from its start to its stop.
        succeeded: whether it reached the log's own threshold; None if the log does not say.
        watt_hours: used from start to stop, if that is known.
    """

    hours: float
    succeeded: bool | None = None
    watt_hours: float | None = None


@dataclass(frozen=True, slots=True)
class Training:
    """One training run: at least one epoch, in the order of time.

    A threshold is reached (`first_at`), not reached, or nobody can tell (`doubt`).

    Attributes:
        stop: there where the log's rules count time from start to stop, as MLPerf's do.
        cut_off: the log ends before the run did, or may.
        resumed: the log begins later than the run did, and its times count from the run's start.
    """

    about: About
    epochs: tuple[Epoch, ...]
    stop: Stop | None = None
    cut_off: bool = False
    resumed: bool = False

    def resumed_at(self, hours: float) -> "Training":
        """The run whose rest this is, after so many hours of training before its log."""
        epochs = tuple(replace(epoch, hours=epoch.hours + hours) for epoch in self.epochs)
        return replace(self, epochs=epochs, resumed=True)

    def bound(self, threshold: float) -> str:
        """Why the time to a threshold is an upper bound; empty if it is none."""
        if self.resumed and self.about.task.reaches(self.scores()[0], threshold):
            return "its log begins at the threshold or beyond: its time is a bound"
        return ""

    def first_at(self, threshold: float) -> Epoch | None:
        """The first epoch with a score as good as `threshold`: DAWNBench's rule.

        For the log's own threshold, the `stop` decides if there is one: whether the threshold was
        reached, and after how many hours. Nothing is reached where it is not known when training
        began.
        """
        task = self.about.task
        if self.is_rest():
            return None
        found = (e for e in self.epochs if task.score in e.scores)
        first = next((e for e in found if task.reaches(e.scores[task.score], threshold)), None)
        if first is None or self.stop is None:
            return first
        if threshold != task.threshold:
            return None if self._is_late(first) else first
        end = replace(first, hours=self.stop.hours, watt_hours=self.stop.watt_hours)
        return None if self.stop.succeeded is False else end

    def doubt(self, threshold: float) -> str:
        """Why nobody can tell whether, or when, a threshold was reached; empty if one can."""
        first = self.epochs[0]
        if self.is_rest():
            return (
                f"it begins at epoch {first.epoch:g} after {duration(first.hours)}: the rest of a "
                "resumed run, and how long that had trained before is said by --starts-at"
            )
        if self.first_at(threshold):
            return ""
        if threshold != self.about.task.threshold and self._is_late(self.epochs[-1]):
            return "scored after it stopped: when it reached another threshold is not in its log"
        if self.cut_off:
            return "its end is missing: the last line is cut off, or no line says that it ended"
        return "stopped before the threshold" if self.about.ending == STOPPED else ""

    def _is_late(self, epoch: Epoch) -> bool:
        """Whether it was measured after a stop in the log, as MLPerf's rules let some be."""
        stop = None if self.cut_off else self.stop
        return stop is not None and epoch.hours - stop.hours > 0.9 * CLOCKS_APART

    def is_rest(self) -> bool:
        """Whether it is what a resumed run logged: late epochs, and too little time for them."""
        first = self.epochs[0]
        steps = [b.epoch - a.epoch for a, b in pairwise(self.epochs) if b.epoch > a.epoch]
        hours = self.epoch_hours()
        if self.stop or not steps or not hours:
            return False
        step = min(steps)
        return first.epoch >= 2 * step and first.hours <= hours * first.epoch / 2

    def hours_by_epoch(self) -> list[float]:
        """The hours of each epoch but the first; where only some are logged, the mean between."""
        logged = {epoch.epoch: epoch.hours for epoch in reversed(self.epochs)}  # its first line
        pairs = pairwise(sorted(logged.items()))
        return [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairs]

    def epoch_hours(self) -> float | None:
        """The mean time of an epoch, without the first; None of a log with one that is epoch 0."""
        first, last = self.epochs[0], self.epochs[-1]
        if last.epoch > first.epoch:
            return (last.hours - first.hours) / (last.epoch - first.epoch)
        return last.hours / last.epoch if last.epoch > 0 else None

    def best(self) -> float:
        """The best score that counts, in its unit."""
        return self.about.task.best(self.scores())

    def scores(self) -> list[float]:
        """The score that counts, epoch by epoch, in its unit, where it was measured."""
        name = self.about.task.score
        return [epoch.scores[name] for epoch in self.epochs if name in epoch.scores]


@dataclass(frozen=True, slots=True)
class Inference:
    """An inference entry.

    Attributes:
        latency: milliseconds for one photo (or question) at a time.
        cost: US dollars for one.
        score: of the task, in per cent.
    """

    about: About
    latency: float | None
    cost: float | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Entries:
    """All that was read.

    Attributes:
        refused: the files that have no right reading, or are copies.
        found: the log that each file belongs to: of an entry's two files, the first.
    """

    trainings: list[Training] = field(default_factory=list)
    inferences: list[Inference] = field(default_factory=list)
    refused: list[MalformedLog] = field(default_factory=list)
    found: dict[Path, Path] = field(default_factory=dict)


def one_task(runs: Sequence[Training]) -> Task:
    """The task that all runs are for.

    Raises:
        BadInput: they are for different ones.
    """
    tasks = {run.about.task for run in runs}
    if len(tasks) > 1:
        names = ", ".join(sorted(map(_description, tasks)))
        raise BadInput(f"the runs are for different tasks: {names}")
    return tasks.pop()


def _description(task: Task) -> str:
    """A task as an error names it: ``ImageNet (top5Accuracy, 93 %)``, ``val_loss``."""
    unit = " %" if task.percent else ""
    threshold = "" if task.threshold is None else f"{task.threshold:g}{unit}"
    parts = [part for part in (task.score, threshold) if part and part != task.name]
    return f"{task.name} ({', '.join(parts)})" if parts else task.name
