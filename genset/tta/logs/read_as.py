"""What a user says of how a log is to be read, and what a reader of logs is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from genset.tta.logs.entries import Training


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What a user says of how logs are to be read. Empty, or None, where the content says it.

    Attributes:
        format: the `NAME` of a format.
        metric: the column, tag or key of the score that counts.
        epoch, time, run: the columns of a table of epochs with the epoch, the time since training
            began, and what tells its runs apart.
        lower_is_better: whether less of the metric is better.
    """

    format: str = ""
    metric: str = ""
    epoch: str = ""
    time: str = ""
    run: str = ""
    lower_is_better: bool | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which logs are written.

    Attributes:
        name: the word that the user says.
        recognizes: whether a file of this name and with these first bytes is of this format.
        read: reads a file's runs, at least one, or raises `MalformedLog`.
    """

    name: str
    recognizes: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadAs], list[Training]]
