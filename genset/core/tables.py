"""Tables with a title and notes, as plain text and as Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from genset.core.markdown import escape, table


@dataclass(frozen=True, slots=True)
class Grid:
    """A titled table and the lines below it."""

    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = field(default_factory=list)


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table for a terminal: columns as wide as their widest cell."""
    cells = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()


def as_text(grids: Iterable[Grid]) -> str:
    """For a terminal."""
    parts = []
    for grid in grids:
        lines = [*aligned(grid.head, grid.rows), ""] if grid.rows else []
        parts.append("\n".join([grid.title, "", *lines, *grid.notes]).rstrip())
    return "\n\n".join(parts)


def as_markdown(grids: Iterable[Grid]) -> str:
    """For a document: strangers' words cannot break out of their cells."""
    parts = []
    for grid in grids:
        lines = [table(grid.head, grid.rows, words=None), ""] if grid.rows else []
        notes = (f"- {escape(note)}" for note in grid.notes)
        parts.append("\n".join([f"## {escape(grid.title)}", "", *lines, *notes]).rstrip())
    return "\n\n".join(parts)
