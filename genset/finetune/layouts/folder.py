"""One's own photos: in a folder for each class, or in a table."""

from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.files import table_rows
from genset.core.numbers import count
from genset.finetune.layouts.listing import (
    PARTS,
    Layout,
    Listing,
    files_in,
    folders_in,
    listing_of,
    named,
)
from genset.sets.formats import SUFFIXES


def _folder(data: Path, variant: str) -> Listing:
    """A folder of photos for each class, or such folders in ``train/`` and ``test/``."""
    children = folders_in(data)
    # A class may be called train: its folder has photos, and no folders.
    parts = {child: child.name for child in children if child.name in PARTS and folders_in(child)}
    rows, others, classes = [], [], set()
    for folder, part in (parts or {data: ""}).items():
        for child in folders_in(folder):
            for path in files_in(child):
                classes.add(child.name)
                photo = path.relative_to(data).as_posix()
                if path.suffix.lower() in SUFFIXES:
                    rows.append((photo, child.name, part))
                else:
                    others.append(photo)
    if not rows:
        raise BadInput(f"{data} holds no folders of photos. {FOLDER.described}")
    listing = listing_of(data, rows, sorted(classes))
    notes = list(listing.notes)
    if unused := [f"{child.name}/" for child in children if parts and child not in parts]:
        notes.append(f"Not used, beside {listing.split}: {named(unused)}.")
    if others:
        files = count(len(others), "file")
        notes.append(f"Left out as no photos, by their names: {files} ({named(others)}).")
    split = listing.split and f"its own, {listing.split}"
    return replace(listing, split=split, notes=tuple(notes))


FOLDER = Layout(
    "folder",
    "folder: your own photos, in a folder for each class (owl/1.jpg), or in such folders under "
    "train/ and test/ (or val/)",
    _folder,
    by_folder=True,
)


def _table(data: Path, variant: str) -> Listing:
    """A CSV with the columns image (a path from the table's folder), label and perhaps split."""
    (_, head), *lines = table_rows(data.read_bytes() if data.is_file() else b"") or [(1, [])]
    columns = [name.lower() for name in head]
    table = [dict(zip(columns, cells, strict=False)) for _, cells in lines]
    rows = [tuple(row.get(name, "") for name in _COLUMNS) for row in table]
    if not rows or not {"image", "label"} <= set(columns):
        problem = f"{data} has no photos in the columns image and label: {','.join(head)[:60]!r}"
        raise BadInput(f"{problem}. {TABLE.described}")
    if len(parts := {part for *_, part in rows} - {""}) == 1:
        raise BadInput(f"{data} has one part alone, {min(parts)}: leave out split, or add another")
    for number, row in enumerate(rows, 1):
        if not all(row[:2]):
            raise BadInput(f"{data}, photo {number}: there is no {_COLUMNS[row.index('')]}")
    listing = listing_of(data.parent, [(image, label, part.lower()) for image, label, part in rows])
    return replace(listing, split=listing.split and f"the table's, {listing.split}")


_COLUMNS = ("image", "label", "split")
TABLE = Layout(
    "table",
    "table: your own photos: a CSV with the columns image (a path), label and perhaps split",
    _table,
    by_folder=True,
)
