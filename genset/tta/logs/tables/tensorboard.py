"""Reads TensorBoard's event files: the files of one folder are a run, as TensorBoard shows them.

Time counts from the first event, which writers write when they are made: make the writer before
training begins. Keras writes a folder `validation` beside a folder `train`; then it counts from the
first event of both. Epochs are those of a scalar ``epoch`` where one is logged, as Lightning does,
and steps elsewhere. The CSV file of one tag, that TensorBoard's page offers, is read as well: its
time counts from its first value.
"""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from genset.tta.logs.entries import MalformedLog, Training
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tables.columns.find import find_columns, normal_names
from genset.tta.logs.tables.event_files.sheet import EPOCH, RUN, TIME, EventSheet
from genset.tta.logs.tables.sheets.open import names_of, open_sheet
from genset.tta.logs.tables.table import trainings

_MARK = "tfevents"
_HELD_OUT = ("validation", "val", "eval", "test")
_MOST_FILES = 1000

# The columns of the CSV file that TensorBoard's page offers for a tag.
_VALUE = "Value"
_DOWNLOADED = {"wall_time", "step", "value"}


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is a folder's first event file: the others are read with it."""
    if normal_names(names_of(path, start)) == _DOWNLOADED:
        return True
    if not _is_event_file(path):
        return False
    beside = _event_files(path.parent)
    if path.parent.name == "train" and any(
        _event_files(path.parent.with_name(name)) for name in _HELD_OUT
    ):
        return False  # the training beside a folder of validation
    return not beside or path.name == beside[0].name


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the runs of a file's folder.

    Raises:
        MalformedLog: it has no right reading, or the `tensorboard` package is not installed.
    """
    if not _is_event_file(path) and path.suffix.lower() == ".csv":
        return _downloaded(path, read_as)
    if find_spec("tensorboard") is None:
        raise MalformedLog(path, "it needs tensorboard: pip install 'genset[tensorboard]'")
    folder = path.absolute().parent
    files = _event_files(path.parent) if _is_event_file(path) else [path]
    if len(files) > _MOST_FILES:
        raise MalformedLog(path, f"its folder has more than {_MOST_FILES} event files")
    before: list[Path] = []
    if folder.name in _HELD_OUT:
        before = _event_files(folder.with_name("train")) or _event_files(folder.parent)
        folder = folder.parent
    sheet = EventSheet(files, before, read_as.metric, read_as.epoch)
    run = RUN if sheet.several() else ""
    said = replace(read_as, metric=sheet.metric(), time=TIME, epoch=EPOCH, run=run)
    return trainings(sheet, find_columns(sheet, said), folder.name)


def _downloaded(path: Path, read_as: ReadAs) -> list[Training]:
    """Read what TensorBoard's page saves of one tag: ``run-NAME-tag-TAG.csv``."""
    sheet = open_sheet(path)
    run, mark, tag = path.stem.removeprefix("run-").rpartition("-tag-")
    value = tag if mark else _VALUE
    sheet.names = [value if name == _VALUE else name for name in sheet.names]
    metric = read_as.metric or value
    return trainings(sheet, find_columns(sheet, replace(read_as, metric=metric)), run or path.stem)


def _is_event_file(path: Path) -> bool:
    return _MARK in path.name and not path.name.endswith(".profile-empty")


def _event_files(folder: Path) -> list[Path]:
    """The event files in a folder, by name: their names begin with the second of their making."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _is_event_file(path) and path.is_file())


TENSORBOARD = Format("tensorboard", recognizes, read)
