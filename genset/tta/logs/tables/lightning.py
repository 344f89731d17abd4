"""Reads Lightning's CSVLogger: ``NAME/version_0/metrics.csv``, with ``hparams.yaml`` beside it.

Its rows are sparse: training and validation write lines of their own, and of a line only what was
logged then is filled in::

    epoch,seconds,step,train_loss,val_acc
    0,,49,0.31,
    0,12.25,99,,0.913

Lightning logs no time by itself. Where the time stands in other lines than the score, the score has
the time of the next line with one.
"""

import re
from pathlib import Path

from genset.tta.logs.entries import Training
from genset.tta.logs.numbers import decoded
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tables.columns.find import find_columns
from genset.tta.logs.tables.sheets.open import names_of, open_sheet
from genset.tta.logs.tables.table import trainings

_HPARAMS = "hparams.yaml"
_MOST_BYTES = 1_000_000
_OF_A_RUN = re.compile(r"seed|path|dir|folder|file|name$|host|port|resume", re.IGNORECASE)
_NO_LIGHTNING_TIME = (
    "Lightning logs none, so log it with the score, as in on_validation_epoch_end: "
    'self.log("seconds", time.monotonic() - self.began); or name a column with --time-column'
)


def is_lightning(path: Path, start: bytes) -> bool:
    """Whether a file is named as Lightning names it and has its two columns."""
    lies = path.name == "metrics.csv" or path.with_name(_HPARAMS).is_file()
    return lies and {"epoch", "step"} <= set(names_of(path, start))


def read_lightning(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the one run of a file.

    Raises:
        MalformedLog: it has no right reading.
    """
    sheet = open_sheet(path)
    columns = find_columns(sheet, read_as, no_time=_NO_LIGHTNING_TIME, time_later=True)
    return trainings(sheet, columns, _lightning_name(path), _hparams(path.with_name(_HPARAMS)))


def _lightning_name(path: Path) -> str:
    """The logger's name and the version, from the folders that Lightning makes of them."""
    if path.name != "metrics.csv":
        return path.stem
    version, logger = path.absolute().parent, path.absolute().parent.parent
    return f"{logger.name} {version.name}" if version.name.startswith("version_") else version.name


def _hparams(path: Path) -> dict[str, str]:
    """The plain ``name: value`` lines of the hyperparameters; of YAML, no more is read.

    Without what may differ from run to run of one recipe: seeds and paths.
    """
    try:
        with path.open("rb") as file:
            text = decoded(file.read(_MOST_BYTES)) or ""
    except OSError:
        return {}
    pairs = (line.split(": ", 1) for line in text.splitlines() if not line.startswith((" ", "-")))
    found = {pair[0]: pair[1].strip("'\" ") for pair in pairs if len(pair) == 2}
    return {
        name: said for name, said in found.items() if "/" not in said and not _OF_A_RUN.search(name)
    }


LIGHTNING = Format("lightning", is_lightning, read_lightning)
