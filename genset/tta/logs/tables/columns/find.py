"""Which column of a table holds what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from genset.tta.logs.read_as import ReadAs
from genset.tta.logs.tables.columns.clock import Clock, clock_named, clocks
from genset.tta.logs.tables.columns.metrics import Choice, NoChoice, choose, listed
from genset.tta.logs.tables.sheets.sheet import Sheet
from genset.tta.logs.tasks import Task

_EPOCHS = ("epoch", "epochs", "trainer_epoch", "current_epoch", "epoch_num", "training_iteration")
_STEPS = ("step", "global_step", "trainer_global_step", "iteration", "iter", "steps", "iterations")
_RUNS = ("uid", "run", "run_id", "run_name", "trial", "trial_id", "seed")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table has what.

    Attributes:
        choice: the task, and the columns of its scores.
        clock: the column of time.
        epoch: None if no column counts epochs or steps: then rows with a score are counted.
        run: what tells the table's runs apart; None if it is one run.
        settings: columns that say how a run was trained, by the setting's name.
        time_named: the user, or the log's writer, says that this is the time since training began.
        time_later: a score may stand in a row without a time: the time is that of the next row
            that has one.
    """

    choice: Choice
    clock: Clock
    epoch: int | None
    run: int | None = None
    settings: tuple[tuple[str, int], ...] = ()
    time_named: bool = False
    time_later: bool = False
    remarks: tuple[str, ...] = ()


def find_columns(
    sheet: Sheet,
    read_as: ReadAs,
    task: Task | None = None,
    no_time: str = "",
    time_later: bool = False,
) -> Columns:
    """Find a table's columns, by what the user says and else by their names.

    Args:
        task: what the log's writer is known to be for.
        no_time: what to do where no column holds the time, if the log's writer says that.
        time_later: see `Columns`.

    Raises:
        MalformedLog: the columns that it takes are not there, or several would do.
    """
    names = sheet.names
    epoch = _epoch(sheet, read_as)
    run = _named(sheet, read_as.run) if read_as.run else _first(sheet, _RUNS)
    clock = _clock(sheet, read_as, no_time)
    taken = {epoch, run, clock.column}
    rest = ["" if at in taken else name for at, name in enumerate(names)]
    try:
        choice = choose(rest, read_as, sheet.path, task)
    except NoChoice as why:
        sheet.refuse(str(why), 1)
    for column in (score.column for score in choice.scores):
        _once(sheet, column)
    remarks = [*choice.remarks]
    if epoch is None:
        remarks.append("no column of epochs: its rows with a score are counted")
    elif _normal(names[epoch]) in _STEPS:
        remarks.append(f"its epochs are steps ({names[epoch]})")
    named = bool(read_as.time)
    return Columns(
        choice, clock, epoch, run, time_named=named, time_later=time_later, remarks=tuple(remarks)
    )


def normal_names(names: Sequence[str]) -> set[str]:
    """Names in small letters with ``_`` for all else, as readers recognize a table by them."""
    return {_normal(name) for name in names}


def _clock(sheet: Sheet, read_as: ReadAs, no_time: str) -> Clock:
    if read_as.time:
        at = _named(sheet, read_as.time)
        return clock_named(at, sheet.names[at])
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
    _once(sheet, found[0].column)
    return found[0]


def _epoch(sheet: Sheet, read_as: ReadAs) -> int | None:
    if read_as.epoch:
        return _named(sheet, read_as.epoch)
    return _first(sheet, (*_EPOCHS, *_STEPS))


def _first(sheet: Sheet, known: Sequence[str]) -> int | None:
    """The column with the first of these names that is there."""
    names = [_normal(name) for name in sheet.names]
    at = next((names.index(name) for name in known if name in names), None)
    if at is not None:
        _once(sheet, at)
    return at


def _named(sheet: Sheet, name: str) -> int:
    if name not in sheet.names:
        sheet.refuse(f"no column {name}; there are {listed(sheet.names)}", 1)
    at = sheet.names.index(name)
    _once(sheet, at)
    return at


def _once(sheet: Sheet, at: int) -> None:
    if sheet.names.count(sheet.names[at]) > 1:
        sheet.refuse(f"two columns {sheet.names[at]}", 1)


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
