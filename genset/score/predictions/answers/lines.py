"""Files of JSON lines from elsewhere, bounded and checked."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput

LONGEST = 1 << 20  # bytes of a line


def read_lines(path: Path, fields: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object with the number of its line, from 1. Empty lines are passed over.

    Args:
        path: the file.
        fields: what each object must have, as texts.

    Raises:
        BadInput: naming the line that is no such object.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise BadInput(f"{path.name}, line {number}: it is longer than 1 MB")
                if line.strip():
                    yield number, _object(path, number, line, fields)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None


def _object(path: Path, number: int, line: bytes, fields: Sequence[str]) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict) and all(isinstance(content.get(name), str) for name in fields):
        return content
    named = " and ".join(fields)
    raise BadInput(f"{path.name}, line {number}: it is no JSON object with the texts {named}")
