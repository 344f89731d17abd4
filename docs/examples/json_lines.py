"""Reads JSON lines: an object an epoch, as {"epoch": 1, "seconds": 61.2, "val_acc": 0.43}."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from genset.tta.logs.columns import find_columns
from genset.tta.logs.common import Format, ReadAs
from genset.tta.logs.tables import trainings
from genset.tta.runs import MalformedLog, Training

_MOST_BYTES = 64_000_000


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is named so."""
    return path.suffix.lower() == ".jsonl"


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read a file's runs.

    Raises:
        MalformedLog: it has no right reading.
    """
    sheet = Lines(path)
    return trainings(sheet, find_columns(sheet, read_as), path.stem)


class Lines:
    """A file's objects as a table: see `genset.tta.logs.sheets.Sheet`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.remarks: list[str] = []
        try:
            with path.open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
        except OSError as error:
            self.refuse(f"it cannot be read: {error.strerror}")
        if len(content) > _MOST_BYTES:
            self.refuse(f"it has more than {_MOST_BYTES} bytes")
        lines = enumerate(content.splitlines(), 1)
        self._objects = [self._object(line, at) for at, line in lines]
        self.names = list(dict.fromkeys(name for each in self._objects for name in each))

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """Each line's number and its cells of these columns; "" where it has none."""
        for at, each in enumerate(self._objects, 1):
            yield at, [str(each.get(self.names[column], "")) for column in columns]

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """See `Sheet.refuse`."""
        raise MalformedLog(self.path, reason, at)

    def _object(self, line: bytes, at: int) -> dict[str, object]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        return found if isinstance(found, dict) else self.refuse("it is no JSON object", at)


JSON_LINES = Format("jsonl", recognizes, read)
