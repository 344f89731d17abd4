"""Opens a table by what its file is."""

import csv
import math
import re
import struct
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NoReturn, TextIO

from genset.core.numbers import count
from genset.tta.runs import MalformedLog


class Sheet:
    """An open table.

    Attributes:
        path: of its file.
        names: of its columns, without spaces around them; they may repeat.
        remarks: what a reader should know of the file, once all rows were read.
    """

    path: Path
    names: list[str]
    remarks: list[str]

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """Each row's place in the file (from 1) and its cells of these columns, as texts.

        A cell that is not there is empty.

        Raises:
            MalformedLog: the file has no right reading.
        """
        raise NotImplementedError

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """Raise `MalformedLog`: `at` is the row's place as `rows` gives it."""
        raise MalformedLog(self.path, reason, at)


_NOT_MEASURED = {"nan", "null", "none", "na", "n/a", "inf", "infinity", "-inf", "-infinity"}
_CLOCK = re.compile(r"(?:(\d+) days?,? )?(\d+):(\d{2}):(\d{2}(?:\.\d+)?)", re.ASCII)


def is_nothing(text: str) -> bool:
    """Whether a cell says that there is no number: "nan" and its like, where a run diverged."""
    return text.lower() in _NOT_MEASURED


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
        # Python reads microseconds, pandas writes nanoseconds.
        found = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text.removesuffix(" UTC")))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def shortest(value: float) -> float:
    """The number that was meant where one was kept in 32 bits: 0.9399999976158142 is 0.94.

    Frameworks compute accuracies in 32 bits and write them with 15 or 17 digits. Left so, 94 %
    would not reach 94 %.
    """
    if not math.isfinite(value) or abs(value) > 3e38:
        return value
    stored = _in_32_bits(value)
    if f"{stored:.15g}" != f"{value:.15g}":
        return value
    tries = (float(f"{value:.{digits}g}") for digits in range(6, 10))
    return next((found for found in tries if _in_32_bits(found) == stored), value)


def _in_32_bits(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


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
        self.remarks: list[str] = []
        self.names: list[str] = []
        for _, names in self._all():
            self.names = [name.strip() for name in names]
            break
        if not self.names:
            self.refuse("it is empty")
        if len(self.names) > _MOST_COLUMNS:
            self.refuse(f"more than {_MOST_COLUMNS:,} columns", 1)

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """See `Sheet.rows`.

        A last line without an end that lacks cells is passed over, with a remark. So is one that
        looks complete, if its last cell is one of `columns`: 17 may be the beginning of 1722. If
        there is no other row, it is refused.
        """
        rows = self._all()
        next(rows)
        for place, (at, cells) in enumerate(rows):
            cut = self._cut_off
            if len(cells) < len(self.names) and cut:
                self.remarks.append("its last line is cut off, and not counted")
                return
            # Some writers end each line with a delimiter.
            if len(cells) < len(self.names) or any(map(str.strip, cells[len(self.names) :])):
                columns_words = count(len(self.names), "column")
                self.refuse(f"{count(len(cells), 'cell')} for {columns_words}", at)
            if cut and len(self.names) - 1 in columns and cells[len(self.names) - 1].strip():
                why, mend = "its last line has no end and may be cut off", "end it with a new line"
                if place == 0:
                    self.refuse(f"{why}: if it is whole, {mend}", at)
                self.remarks.append(f"{why}, so it does not count: if it is whole, {mend}")
                return
            yield at, [cells[column].strip() for column in columns]

    def _all(self) -> Iterator[tuple[int, list[str]]]:
        """Every row that is not blank, with the line that it begins on."""
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                yield from self._parsed(file)
        except UnicodeDecodeError:
            self.refuse("it is not UTF-8 text: save it as CSV in UTF-8")
        except OSError as error:
            self.refuse(f"it cannot be read: {error.strerror}")

    def _parsed(self, file: TextIO) -> Iterator[tuple[int, list[str]]]:
        lines = self._lines(file)
        first = next((line for line in lines if line.strip()), "")
        if not first:
            return
        began = self._line
        delimiter = delimiter_of(first)
        reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                if self._cut_off:  # within quotes
                    self.remarks.append("its last line is cut off, and not counted")
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


def delimiter_of(line: str) -> str:
    """What divides the cells of a line of names: the sign that is there most often."""
    outside = "".join(line.split('"')[::2])
    return max(_DELIMITERS, key=outside.count)


def names_of(path: Path, start: bytes) -> list[str]:
    """The names of a table's columns, by the first bytes; empty where the file is no table."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return []
    text = start.decode("utf-8-sig", errors="replace")
    if "\0" in text or "\ufffd" in text[:-4]:
        return []
    line = next((line for line in text.splitlines() if line.strip()), "")
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=delimiter_of(line)), [])]
    except csv.Error:
        return []
