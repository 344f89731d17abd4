"""A truth that others made, from their file.

A file is one of::

    real.json    a list with a list of classes for each photo. ImageNet's validation photos are told
                 by the number in their file name: the first is number 1 (ReaL's README adds a
                 photo's place to itself, a misprint for 1). Other sets take a list only if their
                 order is that of their file names, too
    truth.json   an object: a photo's id -> its classes, or {"correct": [...], "unclear": [...]}
    truth.csv    a row for each class that was asked about: image, wnid, verdict (correct, unclear
                 or wrong; also a label's words, unsure and incorrect), and maybe proposers, the
                 names of those who proposed it, separated by "; "

Source: Beyer et al., "Are we done with ImageNet?", 2020 (ReaL).
"""

import csv
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, first_line
from genset.sets.photo import PhotoSet
from genset.sets.truths import forms
from genset.sets.truths.truth import Truth, models_among

_LARGEST = 2**28  # bytes; ReaL's file has 0.4 MB
_GZIP = b"\x1f\x8b"  # what gzip's files begin with
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # what files in UTF-16 begin with


def read_truth(path: Path, photos: PhotoSet, *, others: bool = False) -> Truth:
    """Read the file of a truth, and match it with a set's photos.

    Args:
        path: the file.
        photos: the set.
        others: whether an object or a table may also speak of photos that are not in the set.

    Raises:
        BadInput: naming the photo, the class or the length that is wrong.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput(f"{path} is larger than {_LARGEST >> 20} MiB: it is no file of labels")
        content = path.read_bytes()
        text = _decoded(path, content)
        is_table = path.suffix.lower() == ".csv" or _names_photos(text)
        said = forms.from_table(path, text) if is_table else forms.from_json(path, text, photos)
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise BadInput(f"the labels {path} cannot be read: {first_line(error)}") from None
    return _matched(path, said, photos, hashlib.sha256(content).hexdigest(), others)


def truth_of_dict(given: Mapping[str, Any], photos: PhotoSet) -> Truth:
    """The truth that a dict in memory says, in the form of truth.json.

    Raises:
        BadInput: naming the photo or the class that is wrong.
    """
    said = forms.from_object("multilabel=", given, photos)
    lists = {image: sorted(verdicts.items()) for image, verdicts in sorted(said.verdicts.items())}
    sha256 = hashlib.sha256(json.dumps(lists).encode()).hexdigest()
    return _matched("multilabel=", said, photos, sha256, others=False)


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if content.startswith(_GZIP):
            raise BadInput(f"{path} is compressed: unpack it (gunzip)") from None
        what = "is text in UTF-16" if content.startswith(_UTF16) else "is no text in UTF-8"
        raise BadInput(f"{path} {what}: save it as UTF-8") from None


def _names_photos(text: str) -> bool:
    """Whether the first line names the column of photos."""
    names = text.partition("\n")[0].rstrip("\r").split(",")
    return "image" in [name.strip('" ') for name in names]


def _matched(path: object, said: forms.Said, photos: PhotoSet, sha256: str, others: bool) -> Truth:
    """What is said of the set's photos."""
    in_set, found = set(photos.ids), said.verdicts
    unknown = [image for image in found if image not in in_set]
    if len(unknown) == len(found):
        raise BadInput(
            f"{path} {forms.SAYS_NOTHING} {photos.name}, whose photos are called like "
            f"{photos.photos[0].id}"
        )
    if unknown and not others:
        more = f", nor are {len(unknown) - 1:,} others" if len(unknown) > 1 else ""
        raise BadInput(f"{path}: {unknown[0][:200]} is no photo of {photos.name}{more}")
    _check_classes(path, found, photos)
    given = {image: verdicts for image, verdicts in found.items() if image in in_set}
    correct, unclear = (
        {image: _of(verdicts, verdict) for image, verdicts in given.items()}
        for verdict in ("correct", "unclear")
    )
    if not any(correct.values()):
        raise BadInput(f"{path} names no right class for any photo of {photos.name}")
    proposed = {image: by for image, by in said.proposed.items() if image in in_set}
    return Truth(
        correct=correct,
        unclear={image: wnids for image, wnids in unclear.items() if wnids},
        source=path.name if isinstance(path, Path) else "a dict",
        sha256=sha256,
        # A file does not say which runs they are, so that they are known by their names.
        proposers=dict.fromkeys(models_among(proposed), ()),
        proposed=proposed,
    )


def _of(verdicts: Mapping[str, str], verdict: str) -> frozenset[str]:
    return frozenset(wnid for wnid, said in verdicts.items() if said == verdict)


def _check_classes(path: object, found: Mapping[str, forms.Verdicts], photos: PhotoSet) -> None:
    taxonomy, own = photos.taxonomy, {photo.wnid for photo in photos.photos}
    for image, verdicts in found.items():
        for wnid in verdicts:
            if wnid not in taxonomy and wnid not in own:
                raise BadInput(
                    f"{path}: among the labels of {image[:200]} {wnid[:40]!r} is no class's wnid"
                )
