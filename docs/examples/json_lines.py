"""Reads JSON lines: an object an epoch, as {"epoch": 1, "seconds": 61.2, "val_acc": 0.43}."""

import json
from pathlib import Path

from genset.tta.logs.common import Format, ReadAs, read_bytes, sheet_of
from genset.tta.logs.tables import trainings
from genset.tta.runs import MalformedLog, Training


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is named so."""
    return path.suffix.lower() == ".jsonl"


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read a file's runs.

    Raises:
        MalformedLog: it has no right reading.
    """
    lines = enumerate(read_bytes(path).splitlines(), 1)
    sheet = sheet_of(path, [_object(path, line, at) for at, line in lines])
    return trainings(sheet, read_as, path.stem)


def _object(path: Path, line: bytes, at: int) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise MalformedLog(path, "it is no JSON object", at)
    return found


JSON_LINES = Format("jsonl", recognizes, read)
