"""Reads the tables of ffcv-imagenet: all its runs in one CSV file, told apart by ``uid``.

One line an epoch, with seconds since training began and accuracies in fractions of 1::

    timestamp,relative_time,...,top_1,top_5,val_time,train_loss,epoch,uid,model.arch,...

The last epoch is there twice, since it is scored once more at the end; its first line counts. The
time includes that of validating.
"""

from dataclasses import replace
from pathlib import Path

from genset.tta.logs.entries import About, Training
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tables.columns.find import find_columns, normal_names
from genset.tta.logs.tables.runs import Rows, read_rows
from genset.tta.logs.tables.sheets.cells import moment
from genset.tta.logs.tables.sheets.open import names_of, open_sheet
from genset.tta.logs.tasks import TASKS

_ITS_OWN = {"relative_time", "top_1", "top_5", "epoch"}

# How a run was trained. Not where its files are, who listens where, and how loud it logs.
_MOMENT = "timestamp"
_FFCV_SETTINGS = ("training.", "model.", "lr.", "resolution.", "validation.", "dist.world_size")


def is_ffcv(path: Path, start: bytes) -> bool:
    """Whether a table has ffcv-imagenet's columns."""
    return normal_names(names_of(path, start)) >= _ITS_OWN


def read_ffcv(path: Path, read_as: ReadAs) -> list[Training]:
    """Read a file's runs. They are ImageNet's: its training script is for nothing else.

    Raises:
        MalformedLog: it has no right reading.
    """
    sheet = open_sheet(path)
    columns = find_columns(sheet, read_as, TASKS["imagenet"])
    said = [(name, at) for at, name in enumerate(sheet.names) if name.startswith(_FFCV_SETTINGS)]
    said += [(name, at) for at, name in enumerate(sheet.names) if name == _MOMENT]
    columns = replace(columns, settings=tuple(said))
    runs, fractions = read_rows(sheet, columns)
    began = [moment(run.settings.pop(_MOMENT, "")) for run in runs]
    recipes = [tuple(run.settings.items()) for run in runs]
    names = [_ffcv_name(path, run) for run in runs]
    trainings = []
    for run, name, recipe, day in zip(runs, names, recipes, began, strict=True):
        about = About(
            name=name,
            path=path,
            task=columns.choice.task,
            framework="PyTorch (ffcv)",
            model=run.settings.get("model.arch", ""),
            hardware=_hardware(run),
            submitted=day.date() if day else None,
            remarks=(*columns.remarks, *run.remarks, *sheet.remarks),
            # Runs of one recipe are one entry, which has the name of the first.
            entry=names[recipes.index(recipe)] if recipes.count(recipe) > 1 else "",
            settings=run.settings,
        )
        trainings.append(Training(about, run.epochs(columns, fractions)))
    return trainings


def _ffcv_name(path: Path, run: Rows) -> str:
    """Words that a person tells runs apart by, and the beginning of the uid."""
    planned = run.settings.get("training.epochs")
    words = [run.settings.get("model.arch", ""), f"{planned} epochs" if planned else ""]
    recipe = ", ".join(word for word in words if word)
    uid = f"({run.name[:8]})" if run.name else ""
    return " ".join(part for part in (path.stem, recipe, uid) if part)


def _hardware(run: Rows) -> str:
    gpus = run.settings.get("dist.world_size", "")
    return f"{gpus} GPU" if gpus else ""


FFCV = Format("ffcv", is_ffcv, read_ffcv)
