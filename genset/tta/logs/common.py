"""What a user says of how a log is to be read, what a reader of logs is, and tables as text."""

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TextIO

from genset.core.numbers import count
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


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Refuse a log that the block cannot read."""
    try:
        yield
    except OSError as error:
        raise MalformedLog(path, f"it cannot be read: {error.strerror}") from None


def read_bytes(path: Path) -> bytes:
    """The first 256 MiB of a file, which is more than a log has."""
    with readable(path), path.open("rb") as file:
        return file.read(_MOST_BYTES)


def decoded(path: Path, data: bytes) -> str:
    """A file's bytes as UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MalformedLog(path, "it is not UTF-8 text") from None


# A row's place in its file (from 1; 0 where it has none), and its texts by the columns' places.
Cells = Iterable[tuple[int, Any]]


class Sheet:
    """An open table: its columns' names, and its rows, each with its place in the file.

    Attributes:
        path: of its file.
        names: of its columns, without spaces around them; they may repeat.
        remarks: what a reader should know of the file, once all rows were read.
        cut_off: its last line is not whole, and not among the rows, once all were read.
    """

    cut_off: bool = False

    def __init__(self, path: Path, names: Iterable[str], cells: Cells = ()) -> None:
        self.path, self.names, self._cells = path, list(names), cells
        self.remarks: list[str] = []

    def cells(self) -> Cells:
        """Each row's place in the file (from 1) and all of its cells, as texts."""
        return self._cells

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """Each row's place in the file (from 1) and its cells of these columns, as texts.

        A cell that is not there is empty.

        Raises:
            MalformedLog: the file has no right reading.
        """
        return ((at, [cells[column] for column in columns]) for at, cells in self.cells())

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """Raise `MalformedLog`: `at` is the row's place as `rows` gives it."""
        raise MalformedLog(self.path, reason, at)


def sheet_of(path: Path, rows: Sequence[Mapping[str, Any]]) -> Sheet:
    """Rows that are objects as a table."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [["" if row.get(name) is None else str(row[name]) for name in names] for row in rows]
    return Sheet(path, names, list(enumerate(cells, 1)))


_NOT_MEASURED = {"nan", "null", "none", "na", "n/a", "inf", "infinity", "-inf", "-infinity"}
_CLOCK = re.compile(r"(?:(\d+) days?,? )?(\d+):(\d{2}):(\d{2}(?:\.\d+)?)", re.ASCII)


def is_nothing(text: str) -> bool:
    """Whether a cell says that there is no number: "nan" and its like, where a run diverged."""
    return text.lower() in _NOT_MEASURED


# So many numbers with as many decimals each are written with a fixed number of them.
_ALIKE = 5


def is_whole(last: str, above: Sequence[str]) -> bool:
    """Whether a file's last number, behind which no line ends, has the form of those above it."""
    forms = [text.partition(".")[::2] for text in (*above[-_ALIKE:], last)]
    decimals = {len(digits) for _, digits in forms}
    return len(forms) > _ALIKE and len(decimals) == 1 and len(forms[-1][0]) >= len(forms[-2][0])


def seconds(text: str) -> float | None:
    """Seconds that are written as 1:02:03.5, or as 2 days, 1:02:03."""
    if not (match := _CLOCK.fullmatch(text)):
        return None
    days, hours, minutes, rest = match.groups()
    return 86_400 * int(days or 0) + 3600 * int(hours) + 60 * int(minutes) + float(rest)


def moment(text: str) -> datetime | None:
    """A day with its time, as 2022-01-17 20:07:37.567685120; without a zone it is in UTC."""
    if not re.match(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", text):
        return None
    try:
        found = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def shortest(value: float) -> float:
    """The number that was meant where one was kept in 32 bits: 0.9399999976158142 is 0.94.

    Frameworks compute accuracies in 32 bits and write them with 15 or 17 digits. Left so, 94 %
    would not reach 94 %.
    """
    import numpy as np  # not for a training program that imports the recorder

    if not abs(value) < 3e38:
        return value
    stored = np.float32(value)
    return float(str(stored)) if f"{stored:.15g}" == f"{value:.15g}" else value


_MOST_CHARACTERS = 1_000_000
_MOST_COLUMNS = 20_000
_DELIMITERS = ("\t", ",", ";")


class TextTable(Sheet):
    """A text file as a table: see `Sheet`."""

    def __init__(self, path: Path) -> None:
        """Read the names.

        Raises:
            MalformedLog: the file cannot be read, or begins with no line of names.
        """
        self.path = path
        self._head = [name.strip() for name in next(self._all(), (0, []))[1]]
        super().__init__(path, self._head)
        if not self.names:
            self.refuse("it is empty")
        if len(self.names) > _MOST_COLUMNS:
            self.refuse(f"more than {_MOST_COLUMNS:,} columns", 1)

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """See `Sheet.rows`.

        A last line without an end that lacks cells is passed over: `cut_off` says so. So is one
        that looks complete, if its last cell is one of `columns` and has not the form of the one
        above it: 17 may be the beginning of 1722.
        """
        rows, width = self._all(), len(self._head)
        next(rows)
        above: list[str] = []
        for at, cells in rows:
            cut = self._cut_off
            if len(cells) < width and cut:
                self.cut_off = True
                return
            # Some writers end each line with a delimiter.
            if len(cells) < width or any(map(str.strip, cells[width:])):
                self.refuse(f"{count(len(cells), 'cell')} for {count(width, 'column')}", at)
            if [cell.strip() for cell in cells[:width]] == self._head:
                why = "the line of names again: a further run was written into the same file"
                self.refuse(f"{why}; put each run into a file of its own", at)
            last = cells[width - 1].strip()
            if cut and width - 1 in columns and last:
                if not is_whole(last, above):
                    self.cut_off = True
                    return
                self.remarks.append("its last line has no end, and is taken to be whole")
            above = [*above[-_ALIKE:], last]
            yield at, [cells[column].strip() for column in columns]

    def _all(self) -> Iterator[tuple[int, list[str]]]:
        """Every row that is not blank, with the line that it begins on."""
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                yield from self._parsed(file)
        except UnicodeDecodeError:
            self.refuse("it is not UTF-8 text: save it as CSV in UTF-8")

    def _parsed(self, file: TextIO) -> Iterator[tuple[int, list[str]]]:
        lines = self._lines(file)
        first = next((line for line in lines if line.strip()), "")
        if not first:
            return
        began = self._line
        # What divides the names is the sign that is there most often.
        delimiter = max(_DELIMITERS, key="".join(first.split('"')[::2]).count)
        reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                if self._cut_off:  # within quotes
                    self.cut_off = True
                    return
                self.refuse(f"it is no table: {error}", began)
            if cells is None:
                return
            if any(map(str.strip, cells)):
                yield began, cells
            began = self._line + 1

    def _lines(self, file: TextIO) -> Iterator[str]:
        self._line, self._cut_off = 0, False
        while line := file.readline(_MOST_CHARACTERS + 1):
            self._line += 1
            if len(line) > _MOST_CHARACTERS:
                self.refuse(f"a line of more than {_MOST_CHARACTERS:,} characters", self._line)
            if "\0" in line:
                self.refuse("it is no text", self._line)
            self._cut_off = not line.endswith(("\n", "\r"))
            yield line


def names_of(path: Path) -> list[str]:
    """The names of a table's columns; empty where the file is no table."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return []
    try:
        return TextTable(path).names
    except MalformedLog:
        return []
