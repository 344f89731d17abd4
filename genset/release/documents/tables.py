"""metadata.csv, a row for each photo; classes.csv.

And how documents name the classes of a release, ImageNet's or its own.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.files import csv_text
from genset.core.numbers import count
from genset.core.safe import printable, web_link
from genset.release.documents.labels import has_answers
from genset.release.documents.words import aggregation_method, line
from genset.release.reader import ANSWERS, LISTS, PHOTOS, ReleasePhoto

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


def metadata(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> str:
    """The table, as CSV in UTF-8; what is not known is empty.

    `labels` is JSON, as are votes, rulings and proposers of further classes; lists of wnids are
    separated by spaces.
    """
    names, rows = columns(manifest), []
    for photo in photos:
        known = {
            "file_name": photo.file.removeprefix(f"{PHOTOS}/"),
            "label": taxonomy[photo.wnid].index,
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
        rows.append([printable(cell) if isinstance(cell, str) else cell for cell in row])
    return csv_text(names, rows)


def columns(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The table's columns: a manifest without several right answers has fewer."""
    aggregated = ("confidence",) if aggregation_method(manifest) else ()
    answers = ANSWERS if has_answers(manifest) else ()
    return (*_COLUMNS, *aggregated, *answers)


# Of ImageNet's 1,000, those that are persons.
_PERSONS = ("n09835506", "n10148035", "n10565667")


def its_classes(taxonomy: Taxonomy) -> str:
    """All of them, with how many there are."""
    if taxonomy.is_imagenet:
        return f"ImageNet's {len(taxonomy):,} classes"
    number = f"{len(taxonomy):,} classes" if len(taxonomy) > 1 else "only class"
    return f"its {number} ({line(taxonomy.name)})"


def contents(photos: Sequence[ReleasePhoto], taxonomy: Taxonomy) -> str:
    """How many photos of how many classes, and of which taxonomy."""
    classes = len({photo.wnid for photo in photos})
    some = f"{classes:,} of " if classes < len(taxonomy) else ""
    return f"{count(len(photos), 'photo')} of {some}{its_classes(taxonomy)}"


def person_classes(taxonomy: Taxonomy) -> list[str]:
    """The ids of the classes that are known to be persons."""
    if taxonomy.is_imagenet:
        return list(_PERSONS)
    return [
        cls.wnid
        for cls in taxonomy
        if "person" in cls.hypernyms or not set(_PERSONS).isdisjoint(cls.imagenet)
    ]


def class_map(taxonomy: Taxonomy) -> str:
    """The table, a row for each class: those too of which a release has no photo."""
    names = zip(taxonomy, readable_names(taxonomy), strict=True)
    rows = ((cls.wnid, cls.index, name) for cls, name in names)
    return csv_text(("wnid", "index", "name"), rows)


def readable_names(taxonomy: Taxonomy) -> tuple[str, ...]:
    """A name for each class, in order, no two the same; where two share one, with the id."""
    shared = Counter(cls.name for cls in taxonomy)
    return tuple(
        cls.name if shared[cls.name] == 1 else f"{cls.name} ({cls.wnid})" for cls in taxonomy
    )
