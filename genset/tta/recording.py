"""A training entry that grows epoch by epoch: its JSON and TSV are whole after each.

What is recorded is never overwritten by another run: a finished ``NAME`` is followed by
``NAME-2``, which `genset tta stability` takes for a further run. A ``NAME`` that did not finish is
gone on with where the next attempt tells of later epochs, and left as it is where the next attempt
begins from the start.
"""

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from genset.errors import BadInput
from genset.files import write_text
from genset.tta.curve import COMMUNICATION
from genset.tta.entries import Epoch
from genset.tta.fields import Fields
from genset.tta.lines import Line
from genset.tta.reading import read_run
from genset.tta.tasks import SCORES, Task


@dataclass(frozen=True, slots=True)
class Header:
    """What the author says of an entry; empty where nothing is said."""

    task: Task
    author: str
    author_email: str
    model: str
    hardware: str
    framework: str = ""
    code_url: str = ""
    cost_per_hour: float | None = None

    def as_json(self, day: date, misc: Mapping[str, Any], **measured: float | None) -> str:
        """The JSON file of an entry of this day, without what is not known."""
        fields: dict[str, Any] = {
            "version": "v1.0",
            "author": self.author,
            "authorEmail": self.author_email,
            "framework": self.framework,
            "codeURL": self.code_url,
            "model": self.model,
            "hardware": self.hardware,
            "costPerHour": self.cost_per_hour,
            **measured,
            "timestamp": day.isoformat(),
            "misc": misc,
        }
        kept = {name: value for name, value in fields.items() if value not in ("", None)}
        return json.dumps(kept, indent=4, ensure_ascii=False) + "\n"


class Recording:
    """One attempt at a training run, and the files that it is kept in.

    Attributes:
        path: the TSV file; None until the first epoch is told.
        epochs: all of the run, also those of earlier attempts that it goes on from.
        refused: how many lines were wrong.
    """

    def __init__(self, output: Path, header: Header) -> None:
        self._output, self._header = output, header
        self._framework = header.framework
        self._began = datetime.now(UTC)
        self._base_hours = self._base_communication = 0.0
        self._interruptions = 0
        self.path: Path | None = None
        self.epochs: list[Epoch] = []
        self.refused = 0

    @property
    def interruptions(self) -> int:
        """How many attempts came before this one."""
        return self._interruptions

    def add(self, line: Line, elapsed: float) -> None:
        """Keep one epoch, `elapsed` seconds after the command began.

        Raises:
            ValueError: it cannot be an epoch of this run; nothing of it is kept.
            OSError: it could not be written. It is kept, and written with the next.
        """
        if self._header.task.score not in line.scores:
            raise ValueError(f"no {self._header.task.score}, which the task is judged by")
        if self.path is None:
            self._begin(line)
        seconds = elapsed if line.seconds is None else line.seconds
        hours = self._base_hours + seconds / 3600
        communication = None
        if line.communication is not None:
            communication = self._base_communication + line.communication / 3600
        last = self.epochs[-1] if self.epochs else Epoch(0.0, 0.0, {})
        if line.epoch < last.epoch or hours < last.hours:
            raise ValueError("it comes before the last one, by its epoch or its seconds")
        if communication is not None and not self._communicated() <= communication <= hours:
            raise ValueError("communication runs backwards, or is more than all of the time")
        self._framework = self._framework or line.framework
        self.epochs.append(Epoch(line.epoch, hours, line.scores, communication))
        self.write(elapsed)

    def write(self, elapsed: float, finished: bool = False) -> None:
        """Write both files as they are after `elapsed` seconds of this attempt."""
        if self.path is None or not self.epochs:
            return
        # The JSON first: alone it is told apart from an entry, which a TSV alone is not.
        spent = max(self._base_hours + elapsed / 3600, self.epochs[-1].hours)
        write_text(self.path.with_suffix(".json"), self._about(spent, finished))
        write_text(self.path, _as_tsv(self.epochs))

    def _begin(self, line: Line) -> None:
        """Find out whether this goes on with the last run, or is a new one."""
        *taken, free = names(self._output)
        if taken and (last := _unfinished(taken[-1], self._header.task)):
            epochs, recording = last
            if line.epoch > epochs[0].epoch:
                spent = recording.get("hours")
                told = float(spent) if isinstance(spent, int | float) else 0.0
                # Epochs that are trained again are told again, but their time is spent.
                self.epochs = [epoch for epoch in epochs if epoch.epoch < line.epoch]
                self._base_hours = max(told, epochs[-1].hours)
                self._base_communication = max(e.communication or 0.0 for e in epochs)
                self._interruptions = int(recording.get("interruptions") or 0) + 1
                self.path = taken[-1]
                return
        self.path = free

    def _communicated(self) -> float:
        return max((epoch.communication or 0.0 for epoch in self.epochs), default=0.0)

    def _about(self, spent: float, finished: bool) -> str:
        header = replace(self._header, framework=self._framework)
        misc = {
            "task": header.task.name,
            "score": header.task.score,
            "threshold": header.task.threshold,
            "recording": {
                "finished": finished,
                "interruptions": self._interruptions,
                "hours": spent,
                "refusedLines": self.refused,
            },
        }
        return header.as_json(self._began.date(), misc)


@contextmanager
def reserved(output: Path) -> Iterator[None]:
    """Have `output` for oneself: two recordings of one name would write over each other.

    Raises:
        BadInput: another recording has it, or it is a folder.
        OSError: its folder cannot be written to.
    """
    if output.is_dir():
        raise BadInput(f"{output} is a folder: name an entry in it, {output / 'NAME'}")
    output.parent.mkdir(parents=True, exist_ok=True)
    lock = output.with_name(f".{output.name}.lock")
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"another recording is writing {output}: give this one a name") from None
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def names(output: Path) -> Iterator[Path]:
    """``NAME.tsv``, ``NAME-2.tsv``, ... as far as there are entries, and the first that is free."""
    number = 1
    while True:
        path = output.with_name(f"{output.name}{'' if number == 1 else f'-{number}'}.tsv")
        yield path
        if not _exists(path):
            return
        number += 1


def _exists(path: Path) -> bool:
    return path.exists() or path.with_suffix(".json").exists()


def _unfinished(path: Path, task: Task) -> tuple[list[Epoch], dict[str, Any]] | None:
    """What a recording that did not finish has; None for all else that lies at `path`."""
    try:
        run = read_run(path)
        recording = Fields(path, path.with_suffix(".json").read_bytes()).recording()
    except (BadInput, OSError):
        return None
    if recording is None or recording.get("finished") is True or run.about.task != task:
        return None
    return list(run.epochs), recording


def _as_tsv(epochs: list[Epoch]) -> str:
    scores = [name for name in SCORES if any(name in epoch.scores for epoch in epochs)]
    communicated = any(epoch.communication is not None for epoch in epochs)
    lines = [["epoch", "hours", *scores, *([COMMUNICATION] if communicated else [])]]
    for epoch in epochs:
        cells = [f"{epoch.epoch:.10g}", f"{epoch.hours:.9f}"]
        cells += [f"{epoch.scores[n]:.10g}" if n in epoch.scores else "" for n in scores]
        if communicated:
            cells.append("" if epoch.communication is None else f"{epoch.communication:.9f}")
        lines.append(cells)
    return "".join("\t".join(line) + "\n" for line in lines)
