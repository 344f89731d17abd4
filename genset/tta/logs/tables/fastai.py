"""Reads fastai's CSVLogger, ``history.csv``: its time is each epoch's own, in whole seconds.

::

    epoch,train_loss,valid_loss,accuracy,time
    0,1.231,0.702,0.7812,01:12

Times are added up; a row that is there again is passed over. All of its scores but `train_loss` are
of the photos that were not trained on.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from genset.tta.logs.entries import Training
from genset.tta.logs.numbers import number
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tables.columns.find import find_columns
from genset.tta.logs.tables.sheets.open import names_of, open_sheet
from genset.tta.logs.tables.sheets.sheet import Sheet
from genset.tta.logs.tables.table import trainings

_COLUMNS = ["epoch", "train_loss", "valid_loss"]
_TIME = "time"
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d{2})", re.ASCII)


def is_fastai(path: Path, start: bytes) -> bool:
    """Whether a table has fastai's columns, and minutes with seconds in that of time."""
    names = names_of(path, start)
    if names[:3] != _COLUMNS or names[-1] != _TIME:
        return False
    second = start.decode("utf-8", errors="replace").splitlines()[1:2]
    return bool(second) and _CLOCK.fullmatch(second[0].split(",")[-1].strip()) is not None


def read_fastai(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the one run of a file.

    Raises:
        MalformedLog: it has no right reading.
    """
    sheet = AddedUp(open_sheet(path))
    columns = find_columns(sheet, read_as)
    sheet.remarks.append("its time is the sum of its epochs' whole seconds")
    return trainings(sheet, columns, path.stem)


class AddedUp:
    """Such a table with the seconds since training began in its last column."""

    def __init__(self, sheet: Sheet) -> None:
        self.path, self.remarks, self._sheet = sheet.path, sheet.remarks, sheet
        self.names = [*sheet.names[:-1], "seconds"]

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """See `Sheet.rows`."""
        time, seconds, last = len(self.names) - 1, 0, -1.0
        seen: set[tuple[str, ...]] = set()
        for at, row in self._sheet.rows(range(len(self.names))):
            if tuple(row) in seen:
                continue
            seen.add(tuple(row))
            cell, epoch = row[time], number(row[0])
            if not (match := _CLOCK.fullmatch(cell)):
                self.refuse(f"{_TIME} is no epoch's time: {cell[:40]!r}", at)
            # Without the epochs between, or in another order, the sum is no time.
            if epoch is None or epoch not in (last, last + 1):
                why = f"epoch {row[0][:40]!r} where {last + 1:g} is due"
                self.refuse(f"{why}: the time is the sum of all epochs' times, in their order", at)
            last = epoch
            hours, minutes, rest = (int(part or 0) for part in match.groups())
            seconds += 3600 * hours + 60 * minutes + rest
            yield at, [str(seconds) if column == time else row[column] for column in columns]

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """See `Sheet.refuse`."""
        self._sheet.refuse(reason, at)


FASTAI = Format("fastai", is_fastai, read_fastai)
