"""Export a release in a format that other tools load: completely or not at all."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from genset.errors import BadInput, MissingExtra
from genset.files import one_at_a_time, write_text
from genset.release.citing import cited
from genset.release.documents import (
    CARD,
    CITATION,
    CLASSES,
    CREDITS,
    DATASHEET,
    LICENSES,
    documents,
)
from genset.release.documents.citation import bibtex
from genset.release.documents.classes import class_map
from genset.release.export import fiftyone, folders, hub, parquet, webdataset
from genset.release.publish import folder_written_whole
from genset.release.reader import MANIFEST, Release

Writer = Callable[[Release, Mapping[str, str], Path], None]

_WRITERS: dict[str, Writer] = {
    "imagefolder": folders.imagefolder,
    "webdataset": webdataset.write,
    "parquet": parquet.write,
    "huggingface": hub.write,
    "manifest": folders.manifest,
    "fiftyone": fiftyone.write,
}
FORMATS = tuple(_WRITERS)


@dataclass(frozen=True, slots=True)
class Export:
    """An export that was written.

    Attributes:
        folder: its path.
        format: one of `FORMATS`.
        photos: the number of photos that it has, or lists.
        reserved: how many of the photos in it have all rights reserved, and must not be shared.
    """

    folder: str
    format: str
    photos: int
    reserved: int


def export(
    release: Release, kind: str, folder: Path, said: Mapping[str, Any] | None = None
) -> Export:
    """Write a release to a new folder, with its card, datasheet, credits, licences and classes.

    Args:
        release: the release.
        kind: one of `FORMATS`.
        folder: the folder to create.
        said: what its maintainer said of it since (`genset.dataset.Dataset.facts`): its DOI is
            known only then.

    Raises:
        BadInput: the folder exists, or an optional dependency is missing.
        GensetError: a photo of the release is missing, was changed, or is a symbolic link.
    """
    if kind in ("parquet", "huggingface") and find_spec("pyarrow") is None:
        raise MissingExtra(f"an export as {kind}", "export")
    with one_at_a_time(folder.absolute().parent):
        if folder.exists():
            raise BadInput(f"{folder} exists: name another folder with --to")
        with folder_written_whole(folder.absolute()) as partial:
            texts = _texts(release, said)
            for name in (CARD, DATASHEET, CREDITS, LICENSES):
                if name in texts:
                    write_text(partial / name, texts[name])
            # An ImageFolder is the release itself, and has nothing that its manifest does not know.
            if CLASSES in texts or kind != "imagefolder":
                write_text(partial / CLASSES, class_map())
            _WRITERS[kind](release, texts, partial)
    reserved = sum(photo.license == "All Rights Reserved" for photo in release.photos)
    return Export(str(folder), kind, len(release.photos), 0 if kind == "manifest" else reserved)


def _texts(release: Release, said: Mapping[str, Any] | None) -> dict[str, str]:
    """The release's documents: its own files, or new ones if they are missing or changed.

    And how it is cited, which is no file of the release's.

    Raises:
        GensetError: one is a symbolic link.
    """
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    texts = documents(manifest, release.photos)
    for name, sha256 in release.documents.items():
        path = release.own_file(name)
        if path.is_file() and hashlib.sha256(own := path.read_bytes()).hexdigest() == sha256:
            texts[name] = own.decode()
    texts[CITATION] = bibtex(cited(release, said))
    return texts
