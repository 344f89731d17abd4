"""What a user says of how a log is to be read, and what a reader of logs is."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from genset.tta.runs import MalformedLog, Training


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What a user says of how logs are to be read. Empty, or None, where the content says it.

    Attributes:
        format: the `NAME` of a format.
        metric: the column, tag or key of the score that counts.
        epoch, time, run: the columns of a table of epochs with the epoch, the time since training
            began, and what tells its runs apart.
        lower_is_better: whether less of the metric is better.
        starts_at: seconds of training before a log begins that is the rest of a resumed run.
        pattern: what a console's lines say, as a regular expression with named groups, or its name.
    """

    format: str = ""
    metric: str = ""
    epoch: str = ""
    time: str = ""
    run: str = ""
    lower_is_better: bool | None = None
    starts_at: float | None = None
    pattern: str = ""


OPTIONS = {
    "metric": "--metric",
    "epoch": "--epoch-column",
    "time": "--time-column",
    "run": "--run-column",
    "lower_is_better": "--lower-is-better",
    "pattern": "--pattern",
}


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which logs are written.

    Attributes:
        name: the word that the user says.
        recognizes: whether a file of this name and with these first bytes is of this format.
        read: reads a file's runs, at least one, or raises `MalformedLog`.
        heeds: the fields of `ReadAs` that change what is read.
        ignores: why it heeds no others.
    """

    name: str
    recognizes: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadAs], list[Training]]
    heeds: frozenset[str] = frozenset(("metric", "epoch", "time", "run", "lower_is_better"))
    ignores: str = "it is a table"

    def check(self, path: Path, read_as: ReadAs) -> None:
        """Refuse an option that would change nothing.

        Raises:
            MalformedLog: there is one.
        """
        for name, option in OPTIONS.items():
            if getattr(read_as, name) not in ("", None) and name not in self.heeds:
                raise MalformedLog(path, f"{option} would change nothing: {self.ignores}")


_MOST_BYTES = 256 << 20
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def number(text: str) -> float | None:
    """The finite number that `text` is, or None: not "nan", "1,5", "1_000" or "12 h"."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def words_of(name: str) -> list[str]:
    """The words of a column's name: "valTop1 (%)" is val and top1."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return [word for word in re.split(r"[^a-z0-9]+", apart.lower()) if word]


def as_percent(fraction: float) -> float:
    """A fraction of 1 in per cent: 0.57 is 57, not 56.99999999999999."""
    return round(100 * fraction, 10)


def read_bytes(path: Path) -> bytes:
    """The first 256 MiB of a file, which is more than a log has."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise MalformedLog(path, f"it cannot be read: {error.strerror}") from None


def decoded(data: bytes) -> str | None:
    """UTF-8, with or without a byte order mark; None for anything else."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


# As many steps from row to row at least, and how even they are.
_FEWEST = 2
_EVEN, _UNEVEN = 1.2, 3.0
# What a training comes to, in fractions of 1 or in per cent.
_SCORES = ((0.2, 1.0), (20.0, 100.0))


def swapped(
    epochs: Sequence[float],
    times: Sequence[float],
    scores: Mapping[str, Sequence[float | None]],
    names: tuple[str, str] = ("epoch", "hours"),
) -> tuple[str, int] | None:
    """Why a log's columns look swapped, and in which row (from 0); None if they do not.

    Args:
        times: in the log's own unit, which scores under their name have.
        scores: by column; None where one was not measured.
        names: of the columns of epochs and of time.
    """
    epoch, clock = names
    measured = {name: _steps(values) for name, values in scores.items()}
    elapsed = _steps(times)
    odd = next((at for at, value in enumerate(epochs) if value % 1), None)
    if odd is not None:
        for name, steps in {clock: elapsed, **measured}.items():
            if len(steps) >= _FEWEST and set(steps) == {1.0}:
                why = f"{name} counts up by one and {epoch} does not"
                return f"{why}: are the two columns swapped?", odd
    for name, steps in measured.items():
        if len(steps) < 2 * _FEWEST:
            continue
        like_scores = any(low <= times[-1] <= high for low, high in _SCORES)
        if like_scores and elapsed[0] > _UNEVEN * elapsed[-1] and _spread(steps) < _EVEN:
            why = f"{name} rises evenly and {clock} does not"
            return f"{why}: are the two columns swapped?", len(times) - 1
    return None


def _steps(values: Sequence[float | None]) -> list[float]:
    """How much a column grows from row to row; empty if a row has nothing in it."""
    there = [value for value in values if value is not None]
    return [b - a for a, b in pairwise(there)] if len(there) == len(values) else []


def _spread(steps: list[float]) -> float:
    """How many times as large the largest step is as the smallest; endless if one is none."""
    return max(steps) / min(steps) if min(steps) > 0 else math.inf
