"""Photos named by their class, in one folder: n01440764_18.JPEG."""

from pathlib import Path

from genset.sets.formats import is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts.layout import Classes, Row, names_in, photo_set
from genset.sets.photos import PhotoSet


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet | None:
    """The photos, whose classes stand before the first underscore."""
    root = Path(named)
    names = filter(is_photo_name, names_in(root) if root.is_dir() else [])
    rows = [Row(name, name.partition("_")[0], root / name) for name in names]
    if not any(classes.find(row.label) for row in rows):
        return None
    return photo_set(root.name, root, rows, classes, HashStore(hashes, root))
