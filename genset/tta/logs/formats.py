"""The formats that training logs have, and which of them a file has.

The content says which; `--format` overrides. A format is a module of this room: to add one, write
the module with the three names of `Format` and put it into `FORMATS`.
"""

from collections.abc import Sequence
from pathlib import Path

from genset.core.errors import BadInput
from genset.tta.logs.dawnbench.files import DAWNBENCH
from genset.tta.logs.entries import MalformedLog
from genset.tta.logs.mlperf.files import MLPERF
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tables.fastai import FASTAI
from genset.tta.logs.tables.ffcv import FFCV
from genset.tta.logs.tables.lightning import LIGHTNING
from genset.tta.logs.tables.table import TABLE
from genset.tta.logs.tables.tensorboard import TENSORBOARD
from genset.tta.logs.tables.wandb import WANDB

# As much of a file as it takes to tell its format.
_START = 65_536


# The first that recognizes a file reads it.
FORMATS: tuple[Format, ...] = (
    MLPERF,
    TENSORBOARD,
    FFCV,
    LIGHTNING,
    FASTAI,
    WANDB,
    TABLE,
    DAWNBENCH,
)


def format_of(path: Path, read_as: ReadAs = ReadAs()) -> Format | None:  # noqa: B008 - immutable
    """The format that was asked for, or the one that recognizes the file; None if none does.

    Raises:
        BadInput: there is no format of the name that was asked for.
        MalformedLog: the file cannot be read.
    """
    if read_as.format:
        return _named(read_as.format)
    return _recognizing(path, FORMATS)


def format_in_folder(path: Path, read_as: ReadAs) -> Format | None:
    """The format of a file that nobody named: a folder holds others, which are none.

    Raises:
        BadInput: there is no format of the name that was asked for.
        MalformedLog: the file cannot be read.
    """
    return _recognizing(path, [_named(read_as.format)] if read_as.format else FORMATS)


def _named(name: str) -> Format:
    found = next((each for each in FORMATS if name == each.name), None)
    if found is None:
        names = ", ".join(each.name for each in FORMATS)
        raise BadInput(f"there is no format {name}: name one of {names}")
    return found


def _recognizing(path: Path, formats: Sequence[Format]) -> Format | None:
    try:
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError as error:
        raise MalformedLog(path, f"it cannot be read: {error.strerror}") from None
    return next((each for each in formats if each.recognizes(path, start)), None)
