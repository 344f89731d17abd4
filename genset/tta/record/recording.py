"""A training entry that grows epoch by epoch: its JSON and TSV are whole after each.

What is recorded is never overwritten by another run: a finished ``NAME`` is followed by
``NAME-2``, which `genset tta stability` takes for a further run. A ``NAME`` that did not finish is
gone on with where the next attempt tells of later epochs, and left as it is where the next attempt
begins from the start.

One of several runs that are asked for by number has one name, whatever becomes of it. There an
attempt that begins from the start takes the place of one that did not finish, which is kept in
``.attempts``: it is no further run.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace as replaced

from genset.core.errors import BadInput
from genset.core.files import locked, write_text
from genset.tta.logs.dawnbench import WATT_HOURS, read_json, read_run
from genset.tta.logs.dawnbench_json import Attempts
from genset.tta.record.energy import Meter
from genset.tta.record.header import Header, exists, names, recordings
from genset.tta.record.recorder import Line
from genset.tta.runs import SCORES, Epoch, Task

# Hidden, so that no table takes what lies there for runs.
ATTEMPTS = ".attempts"


class Recording:
    """One attempt at a training run, and the files that it is kept in.

    Args:
        output: the entry's path without ``.json`` or ``.tsv``.
        header: what the author says of it.
        facts: what else is known of the run, for ``misc``.
        in_place: this is the run `output` and no further one, whatever lies there unfinished.
        meter: of energy, counting since the command began; None if energy is not recorded.

    Attributes:
        path: the TSV file; None until the first epoch is logged.
        epochs: all of the run, also those of earlier attempts that it goes on from.
        refused: how many lines were wrong.
        late: whether several epochs came at once, so that times are bounds.
        before: the attempts before this one.
        facts: as given; what is added to them is written with the next epoch, or at the end.
    """

    def __init__(
        self,
        output: Path,
        header: Header,
        facts: Mapping[str, Any] | None = None,
        *,
        in_place: bool = False,
        meter: Meter | None = None,
    ) -> None:
        self._output, self._header, self._in_place = output, header, in_place
        self._meter, self._parts = meter, meter.parts if meter else ""
        self.facts = dict(facts or {})
        self._framework, self._versions = header.framework, ""
        self._began = datetime.now(UTC)
        self.before = Attempts()
        self.path: Path | None = None
        self.epochs: list[Epoch] = []
        self.refused = 0
        self.late = False

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
        hours = self.before.hours + seconds / 3600
        last = self.epochs[-1] if self.epochs else Epoch(0.0, 0.0, {})
        if line.epoch < last.epoch or hours < last.hours:
            raise ValueError("it comes before the last one, by its epoch or its seconds")
        self._framework = self._framework or line.framework
        self._versions = self._versions or line.versions
        energy = self._energy()
        self.epochs.append(Epoch(line.epoch, hours, line.scores, energy))
        self.write(elapsed)

    def write(self, elapsed: float, finished: bool = False, stopped: bool = False) -> None:
        """Write both files as they are after `elapsed` seconds of this attempt.

        Args:
            elapsed: in seconds.
            finished: whether it ended by itself.
            stopped: whether it was asked to end.
        """
        if self.path is None or not self.epochs:
            return
        spent = max(self.before.hours + elapsed / 3600, self.epochs[-1].hours)
        # The JSON first: alone it is told apart from an entry, which a TSV alone is not. It says
        # that all is there only when it is: the disk may take the one file and not the other.
        write_text(self.path.with_suffix(".json"), self._about(spent, stopped=stopped))
        scores = [name for name in SCORES if any(name in epoch.scores for epoch in self.epochs)]
        energy = any(epoch.watt_hours is not None for epoch in self.epochs)
        lines = [["epoch", "hours", *scores, *[WATT_HOURS] * energy]]
        for epoch in self.epochs:
            used = "" if epoch.watt_hours is None else f"{epoch.watt_hours:.9f}"
            cells = [f"{epoch.epoch:.10g}", f"{epoch.hours:.9f}"]
            cells += [f"{epoch.scores[n]:.10g}" if n in epoch.scores else "" for n in scores]
            lines.append([*cells, *[used] * energy])
        write_text(self.path, "".join("\t".join(line) + "\n" for line in lines))
        if finished:
            write_text(self.path.with_suffix(".json"), self._about(spent, finished=True))

    def reached(self) -> Epoch | None:
        """The first epoch as good as the task's threshold."""
        task = self._header.task
        least = task.threshold_or(None)
        good = (epoch for epoch in self.epochs if task.reaches(epoch.scores[task.score], least))
        return next(good, None)

    def _begin(self, line: Line) -> None:
        """Find out whether this goes on with the last run, or is a new one."""
        *taken, free = names(self._output)
        if self._in_place:
            taken, free = taken[:1], tsv_of(self._output)
        if taken and (last := _unfinished(taken[-1], self._header.task)):
            epochs, attempts = last
            if line.epoch > epochs[0].epoch:
                # Epochs that are trained again are logged again, but their time is spent.
                self.epochs = [epoch for epoch in epochs if epoch.epoch < line.epoch]
                hours, number = max(attempts.hours, epochs[-1].hours), attempts.interruptions + 1
                self.before = replaced(attempts, hours=hours, interruptions=number)
                same = attempts.watt_hours is not None and attempts.energy == self._parts
                if self._meter and not same:
                    self._meter.stop(f"{taken[-1]} was begun without that of {self._parts}")
                self.path = taken[-1]
                return
        if self._in_place and taken:
            number, hours = set_aside(free)
            self.before = Attempts(set_aside=number, set_aside_hours=hours)
        self.path = free

    def _energy(self) -> float | None:
        """Watt hours of all attempts until now."""
        used = self._meter.watt_hours() if self._meter else None
        return None if used is None else (self.before.watt_hours or 0.0) + used

    def _about(self, spent: float, finished: bool = False, stopped: bool = False) -> str:
        header = replace(self._header, framework=self._framework)
        misc = {
            "task": header.task.name,
            "score": header.task.score,
            "threshold": header.task.threshold,
            **self.facts,
            **({"versions": self._versions} if self._versions else {}),
            "recording": {
                "finished": finished,
                "interruptions": self.before.interruptions,
                "hours": spent,
                "refusedLines": self.refused,
                **({"late": True} if self.late else {}),
                "stopped": stopped,
                "setAside": self.before.set_aside,
                "setAsideHours": self.before.set_aside_hours,
                **({"energy": self._parts, "wattHours": self._energy()} if self._parts else {}),
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
    error = BadInput(f"another recording is writing {output}: wait for its end, or name another -o")
    with locked(output.with_name(f".{output.name}.lock"), error):
        yield


def set_aside(path: Path) -> tuple[int, float]:
    """Move an entry that did not finish, given by its TSV file, among its earlier attempts.

    Killed at any moment, it may be called again. The JSON file stays, to be written over: without
    epochs beside it, it is no entry.

    Returns:
        How many earlier attempts there are now, and the hours that they took.
    """
    *attempts, free = names(path.parent / ATTEMPTS / path.stem)
    if path.is_file():
        free.parent.mkdir(exist_ok=True)
        path.replace(free)
        attempts.append(free)
    about = path.with_suffix(".json")
    if attempts and about.is_file() and not attempts[-1].with_suffix(".json").is_file():
        write_text(attempts[-1].with_suffix(".json"), about.read_text("utf-8"))
    runs = (entry.recorded for entry in recordings(at.with_suffix(".json") for at in attempts))
    return len(attempts), sum(run.recording.hours for run in runs if run)


def recorded(output: Path) -> dict[str, Any] | None:
    """What ``misc`` says of the recording at `output`, given without suffix; None for none.

    Raises:
        BadInput: an entry is there that is no recording, or has no right reading.
    """
    path = tsv_of(output)
    if not exists(path):
        return None
    if path.with_suffix(".json").is_file():
        entry = read_json(path.with_suffix(".json"))
        if entry.recorded:
            return entry.misc
    raise BadInput(f"{path} is no recording: name another place for this one")


def tsv_of(output: Path) -> Path:
    """An entry's TSV file. (A name may have a dot in it, which is no suffix.)"""
    return output.with_name(f"{output.name}.tsv")


def _unfinished(path: Path, task: Task) -> tuple[list[Epoch], Attempts] | None:
    """What a recording that did not finish has; None for all else that lies at `path`."""
    try:
        run = read_run(path)
        recorded = read_json(path.with_suffix(".json")).recorded
    except BadInput:
        return None
    if recorded is None or recorded.recording.finished:
        return None
    # By name and score: a known task is read with its own threshold, whatever was asked for.
    if (run.about.task.name, run.about.task.score) != (task.name, task.score):
        return None
    return list(run.epochs), recorded.recording
