"""Reads tables of epochs: of ffcv, Lightning, fastai and W&B, and any other.

Columns are known by their names, or named by the user. Keras' CSVLogger and Ray Tune's progress.csv
are among those whose names are known, once they have a column of time::

    epoch,time,val_acc,val_loss,batch_size
    1,61.2,0.4312,1.9,256

fastai's CSVLogger writes each epoch's own time, in whole seconds::

    epoch,train_loss,valid_loss,accuracy,time
    0,1.231,0.702,0.7812,01:12

These are added up; a row that is there again is passed over. All of its scores but `train_loss` are
of the photos that were not trained on.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from genset.tta.logs.columns import clocks, normal_names
from genset.tta.logs.common import (
    Format,
    ReadAs,
    Sheet,
    TextTable,
    moment,
    names_of,
    number,
    read_bytes,
)
from genset.tta.logs.tables import trainings
from genset.tta.runs import SCORES, TASKS, About, Training

_DAWNBENCH = {score.lower() for score in SCORES}


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is a table; not one of tabs with the columns of DAWNBench's entries."""
    if path.suffix.lower() != ".tsv":
        return path.suffix.lower() == ".csv"
    names = names_of(path)
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
    sheet = TextTable(path)
    known = normal_names(sheet.names)
    if known >= _FFCV:
        return _read_ffcv(sheet, read_as)
    if {"epoch", "step"} <= set(sheet.names) and (
        is_lightnings(path) or path.with_name(_HPARAMS).is_file()
    ):
        return trainings(
            sheet,
            read_as,
            _lightning_name(path),
            no_time=_NO_LIGHTNING_TIME,
            time_later=True,
            settings=_hparams(path.with_name(_HPARAMS)),
        )
    if _is_fastai(sheet):
        return trainings(AddedUp(path), read_as, path.stem)
    if len(sheet.names) > 1 and all(_BETWEEN in name for name in sheet.names[1:]):
        sheet = Chart(path)
        named = replace(read_as, run=sheet.names[-1])
        return trainings(sheet, named, "", no_time=_NO_CHART_TIME)
    if "_step" in sheet.names:
        time = next((name for name in ("_runtime", "_timestamp") if name in sheet.names), "")
        read_as = replace(read_as, time=read_as.time or time)
    elif known >= _OF_RUNS:
        why = "it has a line for each run, not for each epoch"
        sheet.refuse(f"{why}: export a chart, or run.scan_history()", 1)
    return trainings(sheet, read_as, path.stem)


TABLE = Format("table", recognizes, read)


# fastai

_COLUMNS = ["epoch", "train_loss", "valid_loss"]
_TIME = "time"
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d{2})", re.ASCII)


def _is_fastai(sheet: Sheet) -> bool:
    """Whether a table has fastai's columns, and minutes with seconds in that of time."""
    if sheet.names[:3] != _COLUMNS or sheet.names[-1] != _TIME:
        return False
    _, (time,) = next(sheet.rows([len(sheet.names) - 1]), (0, [""]))
    return _CLOCK.fullmatch(time) is not None


class AddedUp(TextTable):
    """fastai's table with the seconds since training began in its last column."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.names = [*self.names[:-1], "seconds"]
        self.remarks.append("its time is the sum of its epochs' whole seconds")

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """See `Sheet.rows`."""
        seconds, last = 0, -1.0
        seen: set[tuple[str, ...]] = set()
        for at, row in super().rows(range(len(self.names))):
            if tuple(row) in seen:
                continue
            seen.add(tuple(row))
            if not (match := _CLOCK.fullmatch(row[-1])):
                self.refuse(f"{_TIME} is no epoch's time: {row[-1][:40]!r}", at)
            # Without the epochs between, or in another order, the sum is no time.
            epoch = number(row[0])
            if epoch is None or epoch not in (last, last + 1):
                why = f"epoch {row[0][:40]!r} where {last + 1:g} is due"
                self.refuse(f"{why}: the time is the sum of all epochs' times, in their order", at)
            last = epoch
            hours, minutes, rest = (int(part or 0) for part in match.groups())
            seconds += 3600 * hours + 60 * minutes + rest
            row[-1] = str(seconds)
            yield at, [row[column] for column in columns]


# ffcv

_FFCV = {"relative_time", "top_1", "top_5", "epoch"}

# How a run was trained. Not where its files are, who listens where, and how loud it logs.
_MOMENT = "timestamp"
_FFCV_SETTINGS = ("training.", "model.", "lr.", "resolution.", "validation.", "dist.world_size")


def _read_ffcv(sheet: Sheet, read_as: ReadAs) -> list[Training]:
    """They are ImageNet's: ffcv's training script is for nothing else.

    Runs of one recipe are one entry, which has the name of the first.
    """
    settings = {
        name: at
        for at, name in enumerate(sheet.names)
        if name == _MOMENT or name.startswith(_FFCV_SETTINGS)
    }
    runs = trainings(sheet, read_as, "", task=TASKS["imagenet"], described_by=settings)
    abouts = [_ffcv_about(sheet.path, run.about) for run in runs]
    recipes = [(about.model, *about.settings.items()) for about in abouts]
    entries = [
        abouts[recipes.index(recipe)].name if recipes.count(recipe) > 1 else ""
        for recipe in recipes
    ]
    return [
        replace(run, about=replace(about, entry=entry))
        for run, about, entry in zip(runs, abouts, entries, strict=True)
    ]


def _ffcv_about(path: Path, about: About) -> About:
    """Named by words that a person tells runs apart by, and the beginning of the uid."""
    settings = dict(about.settings)
    began = moment(settings.pop(_MOMENT, ""))
    planned, gpus = settings.get("training.epochs"), settings.get("dist.world_size", "")
    words = [about.model] * bool(about.model) + [f"{planned} epochs"] * bool(planned)
    uid = f"({about.name[:8]})" * bool(about.name)
    return replace(
        about,
        name=" ".join(filter(None, [path.stem, ", ".join(words), uid])),
        framework="PyTorch (ffcv)",
        hardware=f"{gpus} GPU" if gpus else "",
        submitted=began.date() if began else None,
        settings=settings,
    )


# Lightning

_HPARAMS = "hparams.yaml"
_METRICS = "metrics.csv"
_OF_A_RUN = re.compile(r"seed|path|dir|folder|file|name$|host|port|resume", re.IGNORECASE)
_NO_LIGHTNING_TIME = (
    "Lightning logs none, so log it with the score, as in on_validation_epoch_end: "
    'self.log("seconds", time.monotonic() - self.began); or name a column with --time-column'
)


def is_lightnings(path: Path) -> bool:
    """Whether a file is a table of Lightning's CSVLogger, by its name."""
    return path.name == _METRICS


def _lightning_name(path: Path) -> str:
    """The logger's name and the version, from the folders that Lightning makes of them."""
    if not is_lightnings(path):
        return path.stem
    version, logger = path.absolute().parent, path.absolute().parent.parent
    return f"{logger.name} {version.name}" if version.name.startswith("version_") else version.name


def _hparams(path: Path) -> dict[str, str]:
    """The plain ``name: value`` lines of the hyperparameters; of YAML, no more is read.

    Without what may differ from run to run of one recipe: seeds and paths.
    """
    text = read_bytes(path).decode("utf-8-sig", "replace") if path.is_file() else ""
    pairs = (line.split(": ", 1) for line in text.splitlines() if not line.startswith((" ", "-")))
    found = {pair[0]: pair[1].strip("'\" ") for pair in pairs if len(pair) == 2}
    return {
        name: text for name, text in found.items() if "/" not in text and not _OF_A_RUN.search(name)
    }


# W&B

_BETWEEN = " - "
_GROUP = "Group: "
_BY_SETTING = re.compile(r"[\w.]+: ")  # as W&B calls runs that are grouped by a setting
_ENDS = ("__MIN", "__MAX")
_OF_RUNS = {"name", "state", "runtime"}
_NO_CHART_TIME = (
    "choose Relative Time (Process) as the chart's x axis and export it again, or name a column "
    "with --time-column"
)


class Chart(TextTable):
    """A chart's file as a table with a column for each thing logged, and a last one for the run."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        # By run, where each thing that was logged stands; of what may be groups, the ends of each.
        self._runs: dict[str, dict[str, int]] = {}
        self._ends: list[int] = []
        for at, name in enumerate(self.names[1:], 1):
            run, logged = name.rsplit(_BETWEEN, 1)
            if run.startswith(_GROUP):
                self._refuse_group(name)
            if logged.endswith(_ENDS):
                self._ends += [at] * bool(_BY_SETTING.match(run))
                continue
            if logged in self._runs.setdefault(run, {}):
                self.refuse(f"two columns {name}", 1)
            self._runs[run][logged] = at
        logged_names = {name: None for columns in self._runs.values() for name in columns}
        self.names = [self.names[0], *logged_names, "name of the run"]

    def _refuse_group(self, name: str) -> NoReturn:
        why = "is a mean over a group of runs, and no run"
        self.refuse(f"{name} {why}: ungroup the runs and export the chart again", 1)

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """A row for each run that has a value in a row of the file."""
        names = [self.names[column] for column in columns]
        for at, cells in super().rows(range(len(self._head))):
            for low, high in pairwise(self._ends):
                if high == low + 1 and cells[low] != cells[high]:
                    self._refuse_group(self._head[low].removesuffix(_ENDS[0]))
            for run, places in self._runs.items():
                if any(cells[place] for place in places.values()):
                    of_run = {self.names[0]: cells[0], self.names[-1]: run}
                    of_run |= {name: cells[place] for name, place in places.items()}
                    yield at, [of_run.get(name, "") for name in names]
