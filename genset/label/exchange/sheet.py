"""CSV files: written whole, read with a complaint that names the line."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.db import now

Row = dict[str, str]

_LARGEST = 2**31 - 1  # what PostgreSQL keeps as INTEGER

# A spreadsheet takes a cell that begins so for a formula, which a stranger may have written.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")

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
    """The names of a table's columns.

    Raises:
        BadInput: the file cannot be read.
    """
    with _opened(path) as table:
        return tuple(table.fieldnames or ())


def read_sheet(path: Path, needed: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """Each row by column name, with its place in words: "labels.csv, line 3".

    A text is as it was before `write_sheet` wrote it.

    Raises:
        BadInput: the file cannot be read, lacks one of the `needed` columns, or a row does, or a
            row has more cells than the first line names.
    """
    with _opened(path) as table:
        missing = [name for name in needed if name not in (table.fieldnames or ())]
        if missing:
            raise BadInput(
                f"{path}: no column {', '.join(missing)}; the first line must name "
                f"{', '.join(needed)}"
            )
        rows = [(f"{path}, line {table.line_num}", row) for row in table]
    for place, row in rows:
        if any(row[name] is None for name in needed):
            raise BadInput(f"{place}: the row is short of a column")
        if None in row:
            raise BadInput(
                f"{place}: the row has more cells than the first line names columns (a comma in a "
                "text needs quotes around it)"
            )
        yield place, {name: _text(value) for name, value in row.items() if isinstance(name, str)}


@contextmanager
def _opened(path: Path) -> Iterator["csv.DictReader[str]"]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield csv.DictReader(file, strict=True)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path}: {error}") from None


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
        BadInput: it has no time zone, is over a day in the future, or before the year 1 in UTC.
        ValueError: it is no time.
    """
    if not (written := row.get(column)):
        return None
    time = datetime.fromisoformat(written)
    if time.tzinfo is None:
        raise BadInput(f"{column} needs a time zone: {written}")
    if time > now() + _AHEAD:
        raise BadInput(f"{column} is more than a day in the future: {written}")
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise BadInput(f"{column} is before all time: {written}") from None


def number_in(row: Row, column: str) -> int | None:
    """The whole number in this column; None where it is empty or there is no such column.

    Raises:
        BadInput: it is larger than a database's numbers.
        ValueError: it is no whole number.
    """
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


def _text(cell: str | None) -> str:
    """What was written in a cell; "" for one that is not there."""
    if cell and cell.startswith("'") and _FORMULA.match(cell):
        return cell[1:]
    return cell or ""
