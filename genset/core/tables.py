"""`genset.core.table` under the names of before, until the last room uses it."""

from collections.abc import Sequence

from genset.core.table import Table, as_markdown, as_text, of_words

__all__ = ["Grid", "as_markdown", "as_text"]


class Grid(Table):
    """A titled table of words; without rows, its notes alone."""

    def __init__(
        self,
        title: str,
        head: Sequence[str] = (),
        rows: Sequence[Sequence[object]] = (),
        notes: Sequence[str] = (),
    ) -> None:
        table = of_words(head if rows else (), rows)
        super().__init__(table.columns, table.rows, title, notes)
