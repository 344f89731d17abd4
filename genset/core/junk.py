"""What lies among people's photos and is none of their data: one rule for all who read folders."""

import os
from collections.abc import Sequence
from pathlib import Path

from genset.core.safe import clean

_JUNK = {"__macosx", ".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini"}
_SHOWN = 3


def is_junk(name: str) -> bool:
    """Whether macOS, Windows or an archiver leaves files or folders of this name.

    ``._1.jpg`` is what macOS puts beside ``1.jpg``: it ends like a photo.
    """
    return name.casefold() in _JUNK or name.startswith("._")


def junk_in(folder: Path | str) -> list[str]:
    """The paths, relative to a folder, of all junk below it and of folders that hold no file."""
    return _look(folder, "")[0]


def _look(folder: Path | str, prefix: str) -> tuple[list[str], bool]:
    """The junk below a folder, and whether there is nothing else in it."""
    junk, is_empty = list[str](), True
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            name = f"{prefix}{entry.name}"
            if is_junk(entry.name):
                junk.append(name)
            elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                below, below_is_empty = _look(entry.path, f"{name}/")
                junk += [name] if below_is_empty else below
                is_empty = is_empty and below_is_empty
            else:
                is_empty = False
    return junk, is_empty


def junk_note(names: Sequence[str]) -> list[str]:
    """That these were passed over, in a sentence; none where there are none."""
    if not names:
        return []
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    listed = ", ".join(clean(name) for name in names[:_SHOWN])
    return [f"Passed over, as empty or left there by a system: {listed}{more}."]
