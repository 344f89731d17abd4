"""metadata.csv: a row for each photo, as tables of images are read by other programs."""

import csv
import io
import json
from collections.abc import Sequence

from genset.release.reader import ReleasePhoto
from genset.taxonomy import imagenet1k

# `label` is the place of the wnid among ImageNet's 1,000, as models number their outputs.
COLUMNS = (
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
)


def metadata(photos: Sequence[ReleasePhoto]) -> str:
    """The table, as CSV in UTF-8; `labels` is JSON, and what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for photo in photos:
        known = {
            "file_name": photo.file,
            "label": imagenet1k()[photo.wnid].index if photo.wnid in imagenet1k() else "",
            "labels": json.dumps(photo.labels),
            # A stranger's words: on one line.
            "owner_name": " ".join(photo.owner_name.split()),
            "keyword": " ".join(photo.keyword.split()),
        }
        writer.writerow(
            [known[name] if name in known else getattr(photo, name) for name in COLUMNS]
        )
    return text.getvalue()
