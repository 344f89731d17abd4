"""Blocks as Markdown, to paste into an issue or a README."""

from collections.abc import Iterable, Iterator

from markupsafe import Markup

from genset.core.safe import escape_markdown
from genset.core.table import as_markdown
from genset.reporting.blocks import (
    Block,
    Bullets,
    Columns,
    Commands,
    Grid,
    Heading,
    Paragraph,
    Part,
)


def part_in_markdown(part: Part) -> list[str]:
    """A part of the report under its title; nothing where the text report has nothing of it."""
    texts = [] if part.page_only else list(_texts(part.blocks))
    return [f"### {escape_markdown(part.title)}", *texts] if texts else []


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(text):
                yield f"#### {escape_markdown(text)}"
            case Paragraph(text):
                yield _escaped(text)
            case Bullets(texts):
                yield "\n".join(f"- {_escaped(text)}" for text in texts)
            case Grid(table):
                yield as_markdown([table])
            case Commands(text):
                yield f"```\n{text}\n```"
            case Columns(columns):
                for column in columns:
                    yield from _texts(column)


def _escaped(text: str) -> str:
    return escape_markdown(text.striptags() if isinstance(text, Markup) else text)
