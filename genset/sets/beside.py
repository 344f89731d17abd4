"""The classes of an export that has no manifest: a file beside the photos says them."""

import csv
from pathlib import Path

from genset.classes import Taxonomy, imagenet1k, read_taxonomy
from genset.classes.taxonomy import CLASSES_FILE, CLASSES_TABLE
from genset.core.errors import BadInput

_COLUMNS = ["wnid", "index", "name"]


def taxonomy_beside(named: str) -> Taxonomy | None:
    """The own classes of a tar, a table or a folder that ``genset release export`` wrote.

    Returns:
        None where nothing beside the photos says that they are not ImageNet's.

    Raises:
        BadInput: the file has mistakes; or an export of own classes lacks it, whose numbers would
            be taken for ImageNet's classes.
    """
    path = Path(named)
    if path.suffix == ".csv":
        return None
    folder = path if path.is_dir() else path.parent
    folder = folder.parent if folder.name == "data" else folder
    if (folder / CLASSES_FILE).is_file():
        return read_taxonomy(folder / CLASSES_FILE)
    if not _all_imagenet(folder / CLASSES_TABLE):
        table = folder / CLASSES_TABLE
        raise BadInput(
            f"{named} is not of ImageNet's classes, as {table} says: give the file of its classes "
            "by --taxonomy"
        )
    return None


def _all_imagenet(table: Path) -> bool:
    """Whether a classes.csv names ImageNet's classes alone, or is none that genset wrote."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            if rows.fieldnames != _COLUMNS:
                return True
            taxonomy = imagenet1k()
            return all(row["wnid"] in taxonomy for row in rows)
    except (OSError, ValueError, csv.Error):
        return True
