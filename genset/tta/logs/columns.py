"""Which column of a table holds what."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.tta.logs.common import ReadAs, Sheet, moment, number, seconds, words_of
from genset.tta.logs.metrics import Score, choose, listed, named
from genset.tta.runs import Task

_UNITS = {
    3600.0: ("h", "hr", "hrs", "hour", "hours"),
    60.0: ("min", "mins", "minute", "minutes"),
    1.0: ("s", "sec", "secs", "second", "seconds"),
    0.001: ("ms", "msec", "millis", "millisecond", "milliseconds"),
}
_SECONDS = {word: unit for unit, words in _UNITS.items() for word in words}

# Names that say seconds by their writers' habit: ffcv's, W&B's.
_IN_SECONDS = {"relative_time", "relative_time_process", "relative_time_wall", "runtime"}

# What Composer's SpeedMonitor calls the hours since training began.
_COMPOSERS = "time/total"

# Time since training began goes before moments.
_SINCE = re.compile(
    "run_time|elapsed(_time)?|time_elapsed|((total|cumulative|train(ing)?)_)?time|time_total"
    "|wall_?clock(_total)?|wall_clock_time|time_since_(start|began)"
)
_MOMENTS = {"timestamp", "wall_time", "walltime", "datetime", "date_time"}

# Ten years: no training is as long, and moments in seconds since 1970 are later.
_TEN_YEARS = 315_360_000


@dataclass(frozen=True, slots=True)
class Clock:
    """The column of time: where it is, and how many seconds one of its numbers is."""

    column: int
    unit: float = 1.0
    stated: bool = True

    def read(self, text: str) -> float | None:
        """Seconds since training began, or since 1970 (`is_moment`); None if it is neither."""
        value = number(text)
        if value is not None:
            time = value * self.unit
            while time >= 1e11:  # since 1970 in milli-, micro- or nanoseconds
                time /= 1000
            return time
        if (day := moment(text)) is not None:
            return day.timestamp()
        return seconds(text)


def is_moment(time: float) -> bool:
    """Whether seconds are counted from 1970, not from a training's beginning."""
    return time >= _TEN_YEARS


def clock_named(at: int, name: str) -> Clock:
    """The clock of the column that a user names, by the unit in its name."""
    unit = 3600.0 if name == _COMPOSERS else _unit(name)
    return Clock(at, unit or 1.0, unit is not None or _base(name) in _IN_SECONDS | _MOMENTS)


def clocks(names: Sequence[str]) -> list[Clock]:
    """The columns that hold the time, by their names; moments only where there is nothing else."""
    bases = [_base(name) for name in names]
    since = [at for at, base in enumerate(bases) if base in _IN_SECONDS or _SINCE.fullmatch(base)]
    if since:
        return [clock_named(at, names[at]) for at in since]
    return [Clock(at) for at, base in enumerate(bases) if base in _MOMENTS]


def _unit(name: str) -> float | None:
    words = words_of(name)
    return _SECONDS.get(words[-1]) if words else None


def _base(name: str) -> str:
    """A name without its unit; hours alone are time."""
    words = words_of(name)
    if _unit(name) is not None:
        # "s" and "h" alone may be anything.
        return "_".join(words[:-1]) or ("time" if len(words[-1]) > 2 and words[-1] != "min" else "")
    return "_".join(words)


_EPOCHS = ("epoch", "epochs", "trainer_epoch", "current_epoch", "epoch_num", "training_iteration")
_STEPS = ("step", "global_step", "trainer_global_step", "iteration", "iter", "steps", "iterations")
_RUNS = ("uid", "run", "run_id", "run_name", "trial", "trial_id", "seed")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table has what.

    Attributes:
        task: of the table's runs.
        scores: the first is the one that counts.
        clock: the column of time.
        epoch: None if no column counts epochs or steps: then rows with a score are counted.
        run: what tells the table's runs apart; None if it is one run.
        settings: columns that describe a run, by name.
        time_named: the user, or the log's writer, says that this is the time since training began.
    """

    task: Task
    scores: tuple[Score, ...]
    clock: Clock
    epoch: int | None
    run: int | None
    settings: Mapping[str, int]
    time_named: bool
    remarks: tuple[str, ...]


def find_columns(
    sheet: Sheet,
    read_as: ReadAs,
    task: Task | None,
    no_time: str,
    described_by: Mapping[str, int] | None,
) -> Columns:
    """Find a table's columns, by what the user says and else by their names.

    See `genset.tta.logs.tables.trainings`.

    Raises:
        MalformedLog: the columns that it takes are not there, or several would do.
    """
    names = sheet.names
    epoch = _epoch(sheet, read_as)
    run = named(sheet, names, read_as.run) if read_as.run else _first(sheet, _RUNS)
    clock = _clock(sheet, read_as, no_time)
    taken = {epoch, run, clock.column}
    rest = ["" if at in taken else name for at, name in enumerate(names)]
    task, scores, found = choose(sheet, rest, read_as, task)
    for score in scores:
        named(sheet, names, names[score.column])
    remarks = [*found]
    if epoch is None:
        remarks.append("no column of epochs: its rows with a score are counted")
    elif _normal(names[epoch]) in _STEPS:
        remarks.append(f"its epochs are steps ({names[epoch]})")
    settings = _describing(names) if described_by is None else described_by
    return Columns(task, scores, clock, epoch, run, settings, bool(read_as.time), tuple(remarks))


def normal_names(names: Sequence[str]) -> set[str]:
    """Names in small letters with ``_`` for all else, as readers recognize a table by them."""
    return {_normal(name) for name in names}


def _clock(sheet: Sheet, read_as: ReadAs, no_time: str) -> Clock:
    if read_as.time:
        return clock_named(named(sheet, sheet.names, read_as.time), read_as.time)
    found = clocks(sheet.names)
    if len({sheet.names[clock.column] for clock in found}) > 1:
        several = listed([sheet.names[clock.column] for clock in found])
        sheet.refuse(f"several columns of time: say which with --time-column: {several}", 1)
    if not found:
        mend = no_time or (
            "name the column with the time since training began with --time-column; there are "
            + listed(sheet.names)
        )
        sheet.refuse(f"no column of time: {mend}", 1)
    named(sheet, sheet.names, sheet.names[found[0].column])
    return found[0]


def _epoch(sheet: Sheet, read_as: ReadAs) -> int | None:
    if read_as.epoch:
        return named(sheet, sheet.names, read_as.epoch)
    return _first(sheet, (*_EPOCHS, *_STEPS))


def _first(sheet: Sheet, known: Sequence[str]) -> int | None:
    """The column with the first of these names that is there."""
    names = [_normal(name) for name in sheet.names]
    at = next((names.index(name) for name in known if name in names), None)
    return None if at is None else named(sheet, sheet.names, sheet.names[at])


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


# What `About` has a place for, by the names that its columns go by.
_ABOUT = {
    "model": ("model", "arch", "architecture", "model_name", "net"),
    "framework": ("framework",),
    "hardware": ("hardware", "gpu", "device_name"),
    "author": ("author", "user"),
}
_ABOUT_OF = {name: field for field, names in _ABOUT.items() for name in names}

# What is the same from a run's beginning to its end: not a learning rate, which follows a
# schedule, and not seeds, paths, times and addresses.
_SETTINGS = re.compile(
    "((global|train)_)?batch_size|(max|num|total|warmup)_epochs|optim(izer)?|weight_decay|momentum"
    "|label_smoothing|(image|img)_size|resolution|dataset|precision|amp|world_size|num_gpus"
    "|(base|max|peak)_lr"
)


def _describing(names: Sequence[str]) -> dict[str, int]:
    """The columns that describe a run, each by its name."""
    return {
        name: at
        for at, name in enumerate(names)
        if _SETTINGS.fullmatch(_last(name)) or _last(name) in _ABOUT_OF
    }


def described(values: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Fields of `About`, and settings, of the values that describe a run, by name."""
    fields: dict[str, str] = {}
    settings: dict[str, str] = {}
    for name, text in values.items():
        field = _ABOUT_OF.get(_last(name))
        if text and field:
            fields.setdefault(field, text)
        elif text and _last(name) not in _RUNS:
            settings[name] = text
    return fields, settings


def _last(name: str) -> str:
    """A name without the groups before it: ``config/batch_size`` and ``training.batch_size``."""
    return re.sub(r"[ -]+", "_", re.split(r"[./]", name.lower())[-1])
