"""What a table of strangers' cells looks like to those who read it, whatever its file is like."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn, Protocol


class Sheet(Protocol):
    """An open table.

    Attributes:
        path: of its file.
        names: of its columns, without spaces around them; they may repeat.
        remarks: what a reader should know of the file, once all rows were read.
    """

    path: Path
    names: list[str]
    remarks: list[str]

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """Each row's place in the file (from 1) and its cells of these columns, as texts.

        A cell that is not there is empty.

        Raises:
            MalformedLog: the file has no right reading.
        """

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """Raise `MalformedLog`: `at` is the row's place as `rows` gives it."""
