"""Reads what Weights & Biases exports: a run's history, or the CSV file of a chart.

A history (``run.scan_history()``, written with pandas) has W&B's own columns ``_step``,
``_runtime`` (seconds) and ``_timestamp`` (seconds since 1970) beside what was logged. A chart has a
column for each of its runs, and two for the lowest and highest value behind each point::

    "Relative Time (Process)","calm-sun-7 - val/acc","calm-sun-7 - val/acc__MIN",...

Only a chart over time says when. The form of both is that of W&B's documentation and of exports in
public repositories.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from genset.tta.logs.entries import MalformedLog, Training
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tables.columns.find import find_columns, normal_names
from genset.tta.logs.tables.sheets.open import names_of, open_sheet
from genset.tta.logs.tables.sheets.sheet import Sheet
from genset.tta.logs.tables.table import trainings

_BETWEEN = " - "
_ENDS = ("__MIN", "__MAX")
_OF_RUNS = {"name", "state", "runtime"}
_NO_CHART_TIME = (
    "choose Relative Time (Process) as the chart's x axis and export it again, or name a column "
    "with --time-column"
)


def is_wandb(path: Path, start: bytes) -> bool:
    """Whether a table has W&B's columns."""
    names = names_of(path, start)
    own = "_step" in names and ("_runtime" in names or "_timestamp" in names)
    return own or _is_chart(names) or normal_names(names) >= _OF_RUNS


def read_wandb(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the run of a history, or the runs of a chart.

    Raises:
        MalformedLog: it has no right reading.
    """
    sheet = open_sheet(path)
    if _is_chart(sheet.names):
        chart = Chart(sheet)
        named = replace(read_as, run=chart.names[-1])
        return trainings(chart, find_columns(chart, named, no_time=_NO_CHART_TIME), "")
    if normal_names(sheet.names) >= _OF_RUNS and "_step" not in sheet.names:
        why = "it has a line for each run, not for each epoch"
        raise MalformedLog(path, f"{why}: export a chart, or run.scan_history()", 1)
    own = next((name for name in ("_runtime", "_timestamp") if name in sheet.names), "")
    columns = find_columns(sheet, replace(read_as, time=read_as.time or own))
    return trainings(sheet, columns, path.stem)


def _is_chart(names: Sequence[str]) -> bool:
    """Whether all columns but the first name a run and what was logged of it."""
    return len(names) > 1 and all(_BETWEEN in name for name in names[1:])


class Chart:
    """A chart's file as a table with a column for each thing logged, and a last one for the run."""

    def __init__(self, sheet: Sheet) -> None:
        self.path, self.remarks, self._sheet = sheet.path, sheet.remarks, sheet
        # By run, where each thing that was logged stands.
        self._runs: dict[str, dict[str, int]] = {}
        for at, name in enumerate(sheet.names[1:], 1):
            run, logged = name.rsplit(_BETWEEN, 1)
            if logged.endswith(_ENDS):
                continue
            if logged in self._runs.setdefault(run, {}):
                sheet.refuse(f"two columns {name}", 1)
            self._runs[run][logged] = at
        logged_names = {name: None for columns in self._runs.values() for name in columns}
        self.names = [sheet.names[0], *logged_names, "name of the run"]

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """A row for each run that has a value in a row of the file."""
        names = [self.names[column] for column in columns]
        for at, cells in self._sheet.rows(range(len(self._sheet.names))):
            for run, places in self._runs.items():
                if any(cells[place] for place in places.values()):
                    of_run = {self.names[0]: cells[0], self.names[-1]: run}
                    of_run |= {name: cells[place] for name, place in places.items()}
                    yield at, [of_run.get(name, "") for name in names]

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """See `Sheet.refuse`."""
        self._sheet.refuse(reason, at)


WANDB = Format("wandb", is_wandb, read_wandb)
