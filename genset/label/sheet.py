"""CSV files: written whole, read with a complaint that names the line."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.files import table_rows, write_text
from genset.db import now

Row = dict[str, str]

_LARGEST = 2**31 - 1  # what PostgreSQL keeps as INTEGER

# A spreadsheet takes a cell that begins so for a formula, which a stranger may have written.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")

_TIMES = "a time is written as 2026-11-26T23:35:00Z, or with +01:00 instead of Z"

_AHEAD = timedelta(days=1)  # another machine's clock may be wrong, and time zones mistaken


def write_sheet(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write the rows below a line of column names, and return how many there are.

    Times are ISO 8601, in UTC; None is an empty cell. A text that a spreadsheet would take for a
    formula has an apostrophe before it, which `read_sheet` takes off.

    Raises:
        BadInput: the file cannot be written.
    """
    text = io.StringIO(newline="")
    plain = csv.writer(text, lineterminator="\n")
    # A lone carriage return ends a row for those who read, but csv quotes only its own line end.
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    plain.writerow(columns)
    count = 0
    for row in rows:
        cells = [_cell(value) for value in row]
        (quoted if any("\r" in cell for cell in cells) else plain).writerow(cells)
        count += 1
    try:
        write_text(path, text.getvalue())
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}") from None
    return count


def columns_in(path: Path) -> tuple[str, ...]:
    """The names of a table's columns, in small letters.

    Raises:
        BadInput: the file cannot be read.
    """
    return tuple(_lines(path)[0][1])


def read_sheet(path: Path, needed: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """Each row by column name in small letters, with its place in words: "labels.csv, line 3".

    The file may be as Excel and LibreOffice write it: with commas, semicolons or tabs, in UTF-8,
    UTF-16 or Windows-1252. Rows of empty cells are passed over. A text is as it was before
    `write_sheet` wrote it, without blanks around it.

    Raises:
        BadInput: the file cannot be read, lacks one of the `needed` columns, or a row does, or a
            row has more cells than the first line names.
    """
    (_, columns), *lines = _lines(path)
    if missing := [name for name in needed if name.casefold() not in columns]:
        raise BadInput(
            f"{path}: no column {', '.join(missing)}; the first line must name {', '.join(needed)}"
        )
    for number, cells in lines:
        place = f"{path}, line {number}"
        if any(cells[len(columns) :]):
            raise BadInput(
                f"{place}: the row has more cells than the first line names columns (a comma in a "
                "text needs quotes around it)"
            )
        row = {name: _text(cell) for name, cell in zip(columns, cells, strict=False)}
        if any(name.casefold() not in row for name in needed):
            raise BadInput(f"{place}: the row is short of a column")
        yield place, row


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of each row, and its line's number; of the first row, in small letters."""
    try:
        rows = table_rows(path.read_bytes())
    except (BadInput, OSError) as error:
        raise BadInput(f"{path}: {error}") from None
    first = [(number, [cell.casefold() for cell in cells]) for number, cells in rows[:1]]
    return first + rows[1:] or [(1, [])]


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Say where a wrong value stands."""
    try:
        yield
    except (BadInput, ValueError) as error:
        raise BadInput(f"{place}: {error}") from None


def time_in(row: Row, column: str) -> datetime | None:
    """The time in this column; None where it is empty or there is no such column.

    Raises:
        BadInput: it is no time, has no time zone, is over a day in the future, or before the year 1
            in UTC.
    """
    if not (written := row.get(column)):
        return None
    try:
        time = datetime.fromisoformat(written)
    except ValueError:
        raise BadInput(f"{column} is no time: {written}; {_TIMES}") from None
    if time.tzinfo is None:
        raise BadInput(f"{column} needs a time zone: {written}; {_TIMES}")
    if time > now() + _AHEAD:
        raise BadInput(f"{column} is more than a day in the future: {written}")
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise BadInput(f"{column} is before all time: {written}") from None


def number_in(row: Row, column: str) -> int | None:
    """The whole number in this column; None where it is empty or there is no such column.

    Raises:
        BadInput: it is no whole number, or larger than a database's numbers.
    """
    with naming(column):
        number = int(written) if (written := row.get(column)) else None
    if number is not None and abs(number) > _LARGEST:
        raise BadInput(f"{column} is at most {_LARGEST}: databases keep no larger number there")
    return number


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return "" if value is None else str(value)


def _text(cell: str) -> str:
    """What was written in a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
