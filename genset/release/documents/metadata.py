"""metadata.csv, a row for each photo; to-pull.csv, the photos that a folder lacks."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.links import web_link
from genset.core.safe import printable
from genset.release.documents.answers import has_answers
from genset.release.documents.words import aggregation_method
from genset.release.reader import ANSWERS, LISTS, ReleasePhoto

# `label` is the place of the wnid among the classes: ImageNet's as models number their outputs.
_COLUMNS = (
    "file_name",
    "label",
    "wnid",
    "sha256",
    "width",
    "height",
    "source",
    "source_id",
    "page_url",
    "owner_name",
    "license",
    "license_url",
    "posted_at",
    "keyword",
    "rank",
    "labels",
    "selection_frequency",
    "license_id",
    "taken_at",
    "unseen",
)


# Whatever a stranger wrote there leads to the web, or is left out.
_ADDRESSES = ("page_url", "license_url")


_TO_PULL = ("file_name", "sha256", "license", "page_url", "image_url")


def metadata(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> str:
    """The table, as CSV in UTF-8; what is not known is empty.

    `labels` is JSON, as are votes, rulings and proposers of further classes; lists of wnids are
    separated by spaces.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = columns(manifest)
    writer.writerow(names)
    for photo in photos:
        known = {
            "file_name": photo.file,
            "label": taxonomy[photo.wnid].index if photo.wnid in taxonomy else "",
            "labels": json.dumps(photo.labels),
            # A stranger's words: on one line.
            "owner_name": " ".join(photo.owner_name.split()),
            "keyword": " ".join(photo.keyword.split()),
            "posted_at": photo.posted_at.isoformat(),
            **{name: web_link(getattr(photo, name)) or "" for name in _ADDRESSES},
        }
        if has_answers(manifest):
            known |= {name: json.dumps(getattr(photo, name)) for name in ANSWERS}
            known |= {name: " ".join(getattr(photo, name) or ()) for name in LISTS}
        row = [known[name] if name in known else getattr(photo, name) for name in names]
        writer.writerow(map(_clean, row))
    return text.getvalue()


def columns(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The table's columns: a manifest without several right answers has fewer."""
    aggregated = ("confidence",) if aggregation_method(manifest) else ()
    answers = ANSWERS if has_answers(manifest) else ()
    return (*_COLUMNS, *aggregated, *answers)


def _clean(value: object) -> object:
    return printable(value) if isinstance(value, str) else value


def lacking(photos: Sequence[ReleasePhoto]) -> str:
    """A row for each photo. Whatever a stranger wrote as an address leads to the web, or is empty.

    It is no part of the release: ``genset pull`` takes it away once no photo is lacking.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_TO_PULL)
    for photo in photos:
        addresses = (web_link(url) or "" for url in (photo.page_url, photo.image_url))
        writer.writerow((photo.file, photo.sha256, printable(photo.license), *addresses))
    return text.getvalue()
