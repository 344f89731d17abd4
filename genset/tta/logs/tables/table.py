"""Reads any other table of epochs: columns known by their names, or named by the user.

Keras' CSVLogger and Ray Tune's progress.csv are among those whose names are known, once they have a
column of time::

    epoch,time,val_acc,val_loss,batch_size
    1,61.2,0.4312,1.9,256

One file may hold several runs, told apart by a column `run`, `uid` or `seed`. Runs that differ by
their `seed` alone are one entry.
"""

from dataclasses import replace
from pathlib import Path

from genset.tta.logs.entries import About, Training
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tables.columns.clock import clocks
from genset.tta.logs.tables.columns.described import described, describing
from genset.tta.logs.tables.columns.find import Columns, find_columns, normal_names
from genset.tta.logs.tables.runs import Rows, read_rows
from genset.tta.logs.tables.sheets.open import is_table, names_of, open_sheet
from genset.tta.logs.tables.sheets.sheet import Sheet
from genset.tta.logs.tasks import SCORES

_DAWNBENCH = {score.lower() for score in SCORES}


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is a table; not one of tabs with the columns of DAWNBench's entries."""
    if path.suffix.lower() != ".tsv":
        return is_table(path, start)
    names = names_of(path, start)
    if len(names) < 3 or "" in names:
        return False
    plain = {name.replace("_", "") for name in normal_names(names)}
    if "hours" in plain:
        return "epoch" not in plain or _DAWNBENCH.isdisjoint(plain)
    return "epoch" in plain or bool(clocks(names))


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read a file's runs.

    Raises:
        MalformedLog: it has no right reading.
    """
    sheet = open_sheet(path)
    return trainings(sheet, find_columns(sheet, read_as), path.stem)


def trainings(
    sheet: Sheet, columns: Columns, name: str, said: dict[str, str] | None = None
) -> list[Training]:
    """A table's runs, with what its other columns say of them.

    Args:
        name: of the run; where there are several, what stands before the name of each.
        said: settings that stand elsewhere than in the table.

    Raises:
        MalformedLog: it has no right reading.
    """
    columns = replace(columns, settings=describing(sheet.names))
    runs, fractions = read_rows(sheet, columns)
    by_seed = columns.run is not None and sheet.names[columns.run].lower() == "seed"
    told = [described((said or {}) | run.settings) for run in runs]
    one_entry = by_seed and len(runs) > 1 and all(each == told[0] for each in told)
    found = []
    for run, (fields, settings) in zip(runs, told, strict=True):
        about = About(
            name=_name(name, run, by_seed),
            path=sheet.path,
            task=columns.choice.task,
            author=fields.get("author", ""),
            framework=fields.get("framework", ""),
            model=fields.get("model", ""),
            hardware=fields.get("hardware", ""),
            remarks=(*columns.remarks, *run.remarks, *sheet.remarks),
            entry=name if one_entry else "",
            settings=settings,
        )
        found.append(Training(about, run.epochs(columns, fractions)))
    return found


def _name(name: str, run: Rows, by_seed: bool) -> str:
    of_run = f"seed {run.name}" if by_seed else run.name
    return " ".join(part for part in (name, of_run) if part)


TABLE = Format("table", recognizes, read)
