"""Blocks as HTML. Whatever words they hold, they stay words."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from genset.core.safe import clean, web_link
from genset.core.table import Column, Table, shown
from genset.reporting.blocks import (
    Block,
    Bullets,
    Columns,
    Commands,
    Figures,
    Fold,
    Grid,
    Heading,
    Html,
    PageCell,
    Paragraph,
)

NOTHING = Markup("")
_CELL, _NAME = Markup("<td{}>{}</td>"), Markup("<th{}>{}</th>")
_LONGEST = 1000  # characters of a text in a table
_BREAKS = ("_", ".")  # behind which a long name may go on in the next line


def html_of(blocks: Iterable[Block]) -> Markup:
    """All blocks, one below the other."""
    return Markup("\n").join(map(_block, blocks))


def link(url: str, text: str) -> Markup:
    """Words that lead to an address, if it leads to the web; else the words alone."""
    address = web_link(url)
    if not address:
        return Markup("<bdi>{}</bdi>").format(text)
    return Markup('<a href="{}" rel="noopener noreferrer"><bdi>{}</bdi></a>').format(address, text)


def breakable(name: str) -> Markup:
    """A name that may go on in the next line where a reader expects it."""
    text = escape(name)
    for sign in _BREAKS:
        text = text.replace(sign, Markup(f"{sign}<wbr>"))  # noqa: S704 - of our own
    return text


def folded(summary: str, body: Markup) -> Markup:
    """What a reader opens; what it holds is shown at once where there is no summary."""
    if not summary:
        return body
    return Markup("<details>\n<summary>{}</summary>\n{}\n</details>").format(summary, body)


def _block(block: Block) -> Markup:
    match block:
        case Heading(text):
            return Markup("<h3>{}</h3>").format(text)
        case Paragraph(text, kind):
            css = Markup(' class="{}"').format(kind) if kind else NOTHING
            return Markup("<p{}>{}</p>").format(css, text)
        case Bullets(texts):
            items = Markup("\n").join(Markup("<li>{}</li>").format(text) for text in texts)
            return Markup("<ul>\n{}\n</ul>").format(items)
        case Grid(page=page, fold=fold):
            return folded(fold, page() if page else grid(block))
        case Figures(draw, css, note):
            return _figures(draw(), css) + (_block(Paragraph(note, "note")) if note else NOTHING)
        case Commands(text, fold):
            return folded(fold, Markup("<pre><code>{}</code></pre>").format(text))
        case Html(make):
            return make()
        case Columns(columns):
            inner = (Markup("<div>\n{}\n</div>").format(html_of(column)) for column in columns)
            return Markup('<div class="columns">\n{}\n</div>').format(Markup("\n").join(inner))
        case Fold(summary, blocks):
            return folded(summary, html_of(blocks))


def _figures(figures: Sequence[tuple[str, Markup]], css: str) -> Markup:
    form = Markup("<figure><figcaption>{}</figcaption>{}</figure>")
    drawn = Markup("\n").join(form.format(*figure) for figure in figures)
    return Markup('<div class="{}">\n{}\n</div>').format(css, drawn) if figures else NOTHING


def grid(block: Grid) -> Markup:
    """A table in a frame that scrolls where the screen is too narrow for it."""
    table = block.table
    numbers = table.aligned_right()
    heads = Markup("").join(map(_head, table.columns))
    rows = []
    for _, rows_of_name in groupby(range(len(table.rows)), _group(block)):
        same = list(rows_of_name)
        rows += [_row(table, number, numbers, len(same) - n, n) for n, number in enumerate(same)]
    return Markup(
        '<div class="wide">\n<table class="{}">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody>'
        "\n</table>\n</div>"
    ).format(f"list {block.css}".strip(), heads, Markup("\n").join(rows))


def _group(block: Grid) -> Any:
    """What rows have in common that share their first cell."""
    if not block.grouped:
        return lambda number: number
    return lambda number: block.table.texts(number)[0]


def _head(column: Column) -> Markup:
    unit = Markup("<small>{}</small>").format(column.unit) if column.unit else NOTHING
    title = breakable(column.title or column.name)
    return Markup('<th scope="col">{}{}</th>').format(title, unit)


def _row(table: Table, number: int, numbers: Sequence[bool], span: int, place: int) -> Markup:
    """A row; in a group of rows the first one names them all."""
    cells = []
    for n, (column, value) in enumerate(zip(table.columns, table.rows[number], strict=True)):
        if n == 0 and place:
            continue
        form, more = (_CELL, NOTHING) if n else (_NAME, Markup(' scope="row"'))
        if n == 0 and span > 1:
            more += Markup(' rowspan="{}"').format(span)
        if css := " ".join(filter(None, (column.css, "numbers" * numbers[n]))):
            more += Markup(' class="{}"').format(css)
        body = cell(column, value, name=n == 0)
        cells.append(form.format(more, body))
    return Markup("<tr>{}</tr>").format(Markup("").join(cells))


def cell(column: Column, value: Any, *, name: bool = False) -> Markup:
    """What stands in a cell; the name of a row may be broken."""
    text, note = shown(column, value)
    small = Markup("<small>{}</small>").format(clean(note, _LONGEST)) if note else NOTHING
    if isinstance(value, PageCell) and value.markup is not None:
        return value.markup + small
    words = clean(text, _LONGEST)
    if name:
        return Markup("<bdi>{}</bdi>").format(breakable(words)) + small
    return (Markup("<bdi>{}</bdi>").format(words) if words else NOTHING) + small
