"""`genset.core.table` under the names of before, until the last room uses it."""

from collections.abc import Iterable, Sequence

from genset.core.markup import escape_markdown as escape
from genset.core.table import Column, Table, as_markdown

__all__ = ["escape", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int | None = 1) -> str:
    """A table of words; but for the first `words` columns, aligned right."""
    columns = [
        Column(name, align="left" if words is None or n < words else "right")
        for n, name in enumerate(head)
    ]
    return as_markdown([Table(columns, list(rows))])
