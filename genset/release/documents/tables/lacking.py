"""to-pull.csv: the photos that a folder lacks until ``genset pull`` has completed it."""

import csv
import io
from collections.abc import Sequence

from genset.core.links import web_link
from genset.core.safe import printable
from genset.release.reader import LACKING, ReleasePhoto

__all__ = ["LACKING", "lacking"]

_COLUMNS = ("file_name", "sha256", "license", "page_url", "image_url")


def lacking(photos: Sequence[ReleasePhoto]) -> str:
    """A row for each photo. Whatever a stranger wrote as an address leads to the web, or is empty.

    It is no part of the release: ``genset pull`` takes it away once no photo is lacking.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for photo in photos:
        addresses = (web_link(url) or "" for url in (photo.page_url, photo.image_url))
        writer.writerow((photo.file, photo.sha256, printable(photo.license), *addresses))
    return text.getvalue()
