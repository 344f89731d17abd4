"""What DAWNBench logs hold, after they were read: one object for each entry."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from genset.errors import BadInput
from genset.tta.tasks import Task


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
        scores: by column, in per cent (0 to 100); a score that was not measured is not in it.
        communication: hours since training began that went into communication, if logged.
    """

    epoch: float
    hours: float
    scores: dict[str, float]
    communication: float | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What an entry's JSON file says of it. A text that it lacks is empty.

    Attributes:
        name: the file's name without its suffix.
        submitted: the day of ``timestamp``.
        cost_per_hour: US dollars for all machines together.
        remarks: what a reader should know of how the files were read, one line each.
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


@dataclass(frozen=True, slots=True)
class Training:
    """A training entry: its JSON and its TSV, at least one epoch."""

    about: About
    epochs: tuple[Epoch, ...]

    def first_at(self, threshold: float) -> Epoch | None:
        """The first epoch with a score at or over `threshold` (per cent): DAWNBench's rule."""
        score = self.about.task.score
        return next((e for e in self.epochs if e.scores.get(score, -1.0) >= threshold), None)

    def scores(self) -> list[float]:
        """The score that counts, epoch by epoch, in per cent, where it was measured."""
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
    """All that a folder holds; `refused` are the files that have no right reading."""

    trainings: list[Training] = field(default_factory=list)
    inferences: list[Inference] = field(default_factory=list)
    refused: list[MalformedLog] = field(default_factory=list)
