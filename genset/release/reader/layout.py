"""How a manifest is laid out: its file, its formats, and its text."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
LACKING = "to-pull.csv"  # of an export as "mixed", until genset pull has completed it
FORMAT = "genset release 1"


def manifest_lines(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The text of a manifest: one line for each fact, then one for each photo."""
    yield "{\n"
    for name, value in manifest.items():
        if name != "photos":
            yield f" {json.dumps(name)}: {json.dumps(value)},\n"
    yield ' "photos": [\n'
    for number, photo in enumerate(manifest["photos"], start=1):
        yield f"  {json.dumps(photo)}{',' if number < len(manifest['photos']) else ''}\n"
    yield " ]\n"
    yield "}\n"


def is_laid_out_as_written(path: Path) -> bool:
    """Whether a manifest has exactly the bytes that `manifest_lines` writes."""
    manifest = json.loads(path.read_text("utf-8"))
    with path.open("rb") as file:
        same = all(file.readline() == line.encode() for line in manifest_lines(manifest))
        return same and not file.read()
