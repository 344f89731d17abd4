"""What a section shows, in blocks: each is rendered for the page and for the text report.

A section does not know how a table or a note looks. `genset.reporting.page` makes HTML of blocks,
`genset.reporting.forms` Markdown. What draws or encodes pictures is a function, which the text
report never calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from genset.core.table import Table

Figure = tuple[str, Markup]
"""A caption, and the SVG."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part of a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or several. Markup keeps its tags on the page, and loses them elsewhere.

    `kind` is "note" for what explains, "odd" for a warning.
    """

    text: str
    kind: Literal["", "note", "odd"] = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. Its first column names the rows.

    Attributes:
        table: its columns and cells.
        fold: what the page shows of it until a reader opens it; "" for the whole table.
        css: further classes of the table on the page.
        page: how the page shows it, where that is not how other tables look.
    """

    table: Table
    fold: str = ""
    css: str = ""
    page: Callable[[], Markup] | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures side by side, or one below the other where they are "big", on the page alone."""

    draw: Callable[[], Sequence[Figure]]
    css: Literal["small", "half", "big"] = "small"


@dataclass(frozen=True, slots=True)
class Commands:
    """What to type in a terminal."""

    text: str
    fold: str = ""


@dataclass(frozen=True, slots=True)
class Html:
    """What the page alone shows: pictures, lists of links."""

    make: Callable[[], Markup]


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks side by side on a wide page, one list of them below the other elsewhere."""

    columns: Sequence[Sequence["Block"]]


Block = Heading | Paragraph | Grid | Figures | Commands | Html | Columns


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the report with a title of its own.

    Attributes:
        anchor: its id on the page.
        title: in the table of contents up to a colon, if it has one.
        blocks: what it shows.
        page_only: whether the text report leaves it out.
    """

    anchor: str
    title: str
    blocks: Sequence[Block]
    page_only: bool = False


def sentences(texts: Sequence[str], kind: Literal["", "note", "odd"] = "") -> list[Paragraph]:
    """A paragraph for each text that is not empty."""
    return [Paragraph(text, kind) for text in texts if text]
