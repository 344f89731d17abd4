"""One table, made once, rendered to text, Markdown, HTML, CSV, JSON and LaTeX.

    models = Table(
        columns=[
            Column("model"),
            Column("top1", "Top-1", unit="%", format=lambda share: f"{100 * share:.1f}"),
        ],
        rows=[("torchvision:resnet50", 0.7613), ("timm:vit_tiny", None)],
        title="Accuracy",
    )
    print(render(models, "markdown"))

Rows hold raw values: a share, a date, None where there is none. CSV and JSON print those, under
the columns' names; what people read prints them by the columns' formats, under their titles.
Whatever words the cells hold, they stay words in their cells.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from unicodedata import combining, east_asian_width

from genset.core.files import csv_text
from genset.core.numbers import NONE
from genset.core.safe import escape_csv, escape_html, escape_latex, escape_markdown, visible
from genset.core.to_json import to_json

FORMATS = ("text", "markdown", "csv", "json", "latex")
"""What a command prints its tables in; `render` knows "html" too."""


def plain(value: Any) -> str:
    """A value in words, where a column says nothing else: a date to the minute, 0.25, text."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Column:
    """What a column holds and how it is shown.

    Args:
        name: its key in JSON and CSV, there with "_" for blanks.
        title: its head for people; left out, the name.
        unit: shown behind the title, as in "time (h)".
        format: a value of it in words; never called with None.
        align: left out, right where all values are numbers.
        missing: what is shown for None.
        css: a class of its cells in HTML.
        ends: of lists of values, what the columns are called that CSV has in its place.
    """

    name: str
    title: str = ""
    unit: str = ""
    format: Callable[[Any], str] = plain
    align: Literal["", "left", "right"] = ""
    missing: str = NONE
    css: str = ""
    ends: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """What people read above it."""
        title = self.title or self.name
        return f"{title} ({self.unit})" if self.unit else title

    @property
    def key(self) -> str:
        """Its name for programs."""
        return self.name.replace(" ", "_")

    @property
    def keys(self) -> list[str]:
        """Its columns in CSV: one, or for "top1_interval" top1_low and top1_high."""
        stem = self.key.removesuffix("_interval")
        return [f"{stem}_{end}" for end in self.ends] or [self.key]


def interval_column(name: str, title: str = "95 % interval", unit: str = "") -> Column:
    """A column of intervals: its values are pairs in the unit of what they belong to."""
    return Column(name, title, unit, align="right", ends=("low", "high"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A value whose words depend on more than itself, such as a share and its photos.

    Args:
        value: the raw value, as CSV and JSON have it.
        text: what people read.
        note: a second, smaller line in HTML; elsewhere in brackets behind the text.
        html: markup that HTML has in the text's place, such as a link.
        bold: whether LaTeX sets it in bold, as papers do with the best of a column.
    """

    value: Any
    text: str
    note: str = ""
    html: str = ""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, rows of as many cells, a title above and notes below.

    Without columns and rows it is a titled list of notes.
    """

    columns: Sequence[Column] = ()
    rows: Sequence[Sequence[Any]] = ()
    title: str = ""
    notes: Sequence[str] = ()

    def texts(self, number: int) -> list[str]:
        """The cells of a row as people read them."""
        cells = zip(self.columns, self.rows[number], strict=True)
        words = [shown(column, value) for column, value in cells]
        return [f"{text} ({note})" if note else text for text, note in words]

    def aligned_right(self) -> list[bool]:
        """For each column, whether it is aligned to the right, as numbers are."""
        return [
            column.align == "right"
            or (not column.align and _are_numbers(row[number] for row in self.rows))
            for number, column in enumerate(self.columns)
        ]


def of_words(
    head: Sequence[str], rows: Iterable[Sequence[object]], notes: Sequence[str] = ()
) -> Table:
    """A table whose cells are in words already: columns of these names, no formats."""
    return Table([Column(name, missing="") for name in head], list(rows), notes=notes)


def render(tables: Table | Sequence[Table], format: str) -> str:
    """The tables in one of `FORMATS`, or "html".

    JSON is a list of rows for one table, and for several a list of their titles, rows and notes.
    CSV is always one table: several are put below each other, with their titles in a first column.
    """
    several = [tables] if isinstance(tables, Table) else list(tables)
    if format in ("text", "markdown"):
        several = _to_read(several)
    if format == "json":
        found = [{"title": t.title, "rows": json_rows(t), "notes": [*t.notes]} for t in several]
        rows = found[0]["rows"] if isinstance(tables, Table) else found
        return json.dumps(rows, indent=2, allow_nan=False)
    writers = {"text": as_text, "markdown": as_markdown, "html": as_html, "latex": as_latex}
    return as_csv(several) if format == "csv" else writers[format](several)


def _to_read(tables: list[Table]) -> list[Table]:
    """Without the heads of tables that have no rows, where there is more to read than heads."""
    found = [t if t.rows else replace(t, columns=()) for t in tables if t.rows or t.notes]
    return found or tables


# Text


def as_text(tables: Iterable[Table]) -> str:
    """For a terminal: aligned columns, one line a row whatever its cells hold."""
    parts = []
    for table in tables:
        lines = list(_text_lines(table)) if table.columns else []
        notes = [visible(note) for note in table.notes]
        blocks = ([_one_line(table.title)] * bool(table.title), lines, notes)
        parts.append("\n\n".join("\n".join(block) for block in blocks if block))
    return "\n\n".join(parts)


def _text_lines(table: Table) -> Iterator[str]:
    head = [column.head for column in table.columns]
    rows = [head, *map(table.texts, range(len(table.rows)))]
    cells = [[_one_line(text) for text in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    right = table.aligned_right()
    for row in cells:
        padded = (_padded(*cell) for cell in zip(row, widths, right, strict=True))
        yield "  ".join(padded).rstrip()


def _one_line(text: str) -> str:
    return visible(text.replace("\n", " "))


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - _width(text))
    return blanks + text if right else text + blanks


def _width(text: str) -> int:
    """Columns of a terminal: two for a character of East Asia, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


# Markdown


def as_markdown(tables: Iterable[Table]) -> str:
    """For a document: titles are headings, notes are a list."""
    parts = []
    for table in tables:
        heading = [f"## {escape_markdown(table.title)}"] * bool(table.title)
        lines = ["\n".join(_markdown_lines(table))] * bool(table.columns)
        notes = ["\n".join(map(_markdown_note, table.notes))] * bool(table.notes)
        parts.append("\n\n".join([*heading, *lines, *notes]))
    return "\n\n".join(parts)


def _markdown_lines(table: Table) -> Iterator[str]:
    yield _markdown_row(column.head for column in table.columns)
    yield f"|{'|'.join('--:' if right else ':--' for right in table.aligned_right())}|"
    for number in range(len(table.rows)):
        yield _markdown_row(table.texts(number))


def _markdown_row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(map(escape_markdown, texts))} |"


def _markdown_note(note: str) -> str:
    """An item of a list; a sign or number at its start would begin a list of its own."""
    return "- " + re.sub(r"^(\d*)([-+.)=])", r"\1\\\2", escape_markdown(note))


# HTML


def as_html(tables: Iterable[Table], css: str = "") -> str:
    """For a page: tables with a caption and the classes `css`, notes as a list.

    Cells of numbers have the class ``numbers``.
    """
    parts = []
    for table in tables:
        if table.columns:
            parts.append("\n".join([f"<table{_class(css)}>", *_html_lines(table), "</table>"]))
        elif table.title:
            parts.append(f"<p>{_html(table.title)}</p>")
        if table.notes:
            notes = "\n".join(f"<li>{_html(note)}</li>" for note in table.notes)
            parts.append(f"<ul>\n{notes}\n</ul>")
    return "\n".join(parts)


def _html_lines(table: Table) -> Iterator[str]:
    if table.title:
        yield f"<caption>{_html(table.title)}</caption>"
    right = zip(table.columns, table.aligned_right(), strict=True)
    classes = [_class(column.css, "numbers" * numbers) for column, numbers in right]
    titles = (
        f'<th scope="col"{css}>{_html(column.title or column.name)}{_small(column.unit)}</th>'
        for column, css in zip(table.columns, classes, strict=True)
    )
    yield f"<thead><tr>{''.join(titles)}</tr></thead>"
    yield "<tbody>"
    for row in table.rows:
        yield f"<tr>{''.join(_html_cells(table.columns, row, classes))}</tr>"
    yield "</tbody>"


def _html_cells(
    columns: Sequence[Column], row: Sequence[Any], classes: Sequence[str]
) -> Iterator[str]:
    """The first names the row, for those who hear the table."""
    tag, more = "th", ' scope="row"'
    for column, value, css in zip(columns, row, classes, strict=True):
        text, note = shown(column, value)
        body = value.html if isinstance(value, Cell) and value.html else _html(text)
        yield f"<{tag}{more}{css}>{body}{_small(note)}</{tag}>"
        tag, more = "td", ""


def _html(text: str) -> str:
    return f"<bdi>{escape_html(text)}</bdi>" if text else ""


def _small(text: str) -> str:
    return f"<small>{_html(text)}</small>" if text else ""


def _class(*names: str) -> str:
    found = " ".join(filter(None, names))
    return f' class="{escape_html(found)}"' if found else ""


# CSV and JSON


def as_csv(tables: Sequence[Table]) -> str:
    """For programs: raw values below the columns' names.

    A text that a spreadsheet would take for a formula has an apostrophe before it, which
    `genset.label` takes off where it reads such files.
    """
    tables = [table for table in tables if table.columns]
    several = len(tables) > 1
    columns = [column for table in tables for column in table.columns]
    names = list(dict.fromkeys(key for column in columns for key in column.keys))
    rows = (
        [table.title] * several + [row.get(name) for name in names]
        for table in tables
        for row in _csv_rows(table)
    )
    head = map(escape_csv, ["table"] * several + names)
    return csv_text(head, (map(escape_csv, row) for row in rows)).removesuffix("\n")


def _csv_rows(table: Table) -> Iterator[dict[str, Any]]:
    for row in json_rows(table):
        cells = [(c.keys, row[c.key] or [] if c.ends else [row[c.key]]) for c in table.columns]
        yield {key: value for both in cells for key, value in zip(*both, strict=False)}


def json_rows(table: Table) -> list[dict[str, Any]]:
    """The rows as objects of the columns' names; a number that is none, or infinite, is null."""
    names = [column.key for column in table.columns]
    return [
        dict(zip(names, (to_json(_raw(value)) for value in row), strict=True)) for row in table.rows
    ]


# LaTeX


_LATEX_ROWS = 40  # that a page has room for
_LATEX_SIZE = r"\footnotesize\setlength{\tabcolsep}{3pt}"


def as_latex(tables: Iterable[Table]) -> str:
    """For a paper, with booktabs and T1 fontenc; a title makes a ``table`` with a caption.

    It is a ``longtable`` where it has more rows than a page. Units have a row of their own.
    """
    return "\n\n".join("\n".join(_latex_lines(table)) for table in tables)


def _latex_lines(table: Table) -> Iterator[str]:
    notes = [f"{escape_latex(note)}\\par" for note in table.notes]
    title = escape_latex(table.title)
    if not table.columns:
        yield from [f"\\paragraph{{{title}}}"] * bool(title)
        yield from notes
        return
    align = "".join("r" if right else "l" for right in table.aligned_right())
    titles = [escape_latex(column.title or column.name) for column in table.columns]
    units = [escape_latex(column.unit and f"({column.unit})") for column in table.columns]
    head = [r"\toprule", *map(_latex_row, [titles, units][: 1 + any(units)]), r"\midrule"]
    form, before, after = "tabular", [], []
    if title:
        label = re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")[:60]
        caption = [f"\\caption{{{title}}}", f"\\label{{tab:{label}}}"]
        before = [r"\begin{table}", r"\centering" + _LATEX_SIZE, *caption]
        after = [r"\end{table}"]
        if len(table.rows) > _LATEX_ROWS:
            form, before, after = "longtable", ["{" + _LATEX_SIZE], ["}"]
            head = [*caption, r"\\", *head, r"\endfirsthead", *head, r"\endhead"]
    yield from [*before, f"\\begin{{{form}}}{{{align}}}", *head]
    for number, row in enumerate(table.rows):
        texts = map(escape_latex, table.texts(number))
        bold = [isinstance(cell, Cell) and cell.bold for cell in row]
        yield _latex_row([f"\\textbf{{{t}}}" if b else t for t, b in zip(texts, bold, strict=True)])
    yield from [r"\bottomrule", f"\\end{{{form}}}"]
    yield from [r"{\par\smallskip\footnotesize\sloppy", *notes, "}"] if notes else []
    yield from after


def _latex_row(texts: Iterable[str]) -> str:
    return " & ".join(texts) + r" \\"


# Cells


def shown(column: Column, cell: Any) -> tuple[str, str]:
    """What people read of a cell: its text and its note."""
    if isinstance(cell, Cell):
        return cell.text, cell.note
    if cell is None or (isinstance(cell, float) and cell != cell):
        return column.missing, ""
    return column.format(cell), ""


def _raw(cell: Any) -> Any:
    return cell.value if isinstance(cell, Cell) else cell


def _are_numbers(cells: Iterable[Any]) -> bool:
    kinds = {type(_raw(cell)) for cell in cells} - {type(None)}
    return bool(kinds) and kinds <= {int, float}
