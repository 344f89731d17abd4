"""Reads CSV and its like: cells divided by commas, semicolons or tabs, names in the first line.

Read as well: a byte order mark, CRLF and CR, blank lines, quoted cells. Refused by line: a row with
more or fewer cells than there are names, a line of more than a million characters, what is not
UTF-8. A last line without an end may have been cut off while it was written: `Delimited.rows`
says what becomes of it.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from genset.core.numbers import count
from genset.tta.logs.entries import MalformedLog

_MOST_CHARACTERS = 1_000_000
_MOST_COLUMNS = 20_000
_DELIMITERS = ("\t", ",", ";")


class Delimited:
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
        for number, (at, cells) in enumerate(rows):
            cut = self._cut_off
            if len(cells) < len(self.names) and cut:
                self.remarks.append("its last line is cut off, and not counted")
                return
            if len(cells) > len(self.names):
                # Some writers end each line with a delimiter.
                if any(cell.strip() for cell in cells[len(self.names) :]):
                    self._refuse_cells(cells, at)
            elif len(cells) < len(self.names):
                self._refuse_cells(cells, at)
            if cut and len(self.names) - 1 in columns and cells[len(self.names) - 1].strip():
                why = "its last line has no end and may be cut off"
                if number == 0:
                    self.refuse(f"{why}: if it is whole, end it with a new line", at)
                mend = "if it is whole, end it with a new line"
                self.remarks.append(f"{why}, so it does not count: {mend}")
                return
            yield at, [cells[column].strip() for column in columns]

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """See `Sheet.refuse`."""
        raise MalformedLog(self.path, reason, at)

    def _refuse_cells(self, cells: Sequence[str], at: int) -> NoReturn:
        self.refuse(f"{count(len(cells), 'cell')} for {count(len(self.names), 'column')}", at)

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
        reader = csv.reader(_before(first, lines), delimiter=delimiter, strict=True)
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


def names_in(start: bytes) -> list[str]:
    """The names in the first line of a file that begins so; empty if it is no text."""
    text = start.decode("utf-8-sig", errors="replace")
    if "\0" in text or "\ufffd" in text[:-4]:
        return []
    line = next((line for line in text.splitlines() if line.strip()), "")
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=delimiter_of(line)), [])]
    except csv.Error:
        return []


def _before(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines
