"""Export a release in a format that other tools load: completely or not at all."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from pkgutil import resolve_name
from typing import Any

from msgspec.structs import replace as with_fields

from genset.core.errors import BadInput, MissingExtra
from genset.core.files import one_at_a_time, write_text
from genset.core.metadata import stripped
from genset.core.progress import progress
from genset.release.documents import CITATION, CROISSANT, TABLE
from genset.release.documents.citation import Citation, bibtex
from genset.release.documents.croissant import of_export
from genset.release.exports import FORMATS
from genset.release.publish import (
    Contents,
    all_of,
    content,
    folder_written_whole,
    is_restricted,
    publish_variant,
    scratch_folder,
    unrestricted_part_of,
)
from genset.release.reader import MANIFEST, Release, ReleasePhoto, file_of

DatasetFacts = Callable[[str], Mapping[str, Any]]
"""What a maintainer says today of a set of this name (`genset.settings.Dataset.facts`)."""

Writer = Callable[[Release, Mapping[str, str], Path], None]
"""Writes a release, or a part of it, with its documents and its manifest by name, to a folder."""

BY_ADDRESS = ("manifest", "mixed")  # by these, genset pull downloads photos
_AS_FROZEN = ("imagefolder", *BY_ADDRESS)  # have the release's own files, and nothing beside them

# What an export as others lay it out has photos in: files, and their type.
_FILES = {
    "webdataset": ("test-*.tar", "application/x-tar"),
    "parquet": ("test-*.parquet", "application/vnd.apache.parquet"),
    "huggingface": ("data/test-*.parquet", "application/vnd.apache.parquet"),
    "fiftyone": ("data/*", "image/jpeg"),
}


@dataclass(frozen=True, slots=True)
class Export:
    """An export that was written.

    Attributes:
        folder: its path.
        format: one of `FORMATS`.
        photos: the number of photos that it has, or lists.
        reserved: how many of the photos in it no licence lets others hand on.
        of: the number of photos of the release.
        restricted: how many of them are not in it, or without their bytes, for no licence lets
            others hand them on.
        without_address: how many of the photos of which it has no bytes have no address either.
        content_hash: of the photos that it has, or lists.
        changed: of how many of them metadata was removed.
    """

    folder: str
    format: str
    photos: int
    reserved: int
    of: int
    restricted: int
    without_address: int
    content_hash: str
    changed: int = 0


def export(
    release: Release,
    kind: str,
    folder: Path,
    dataset: DatasetFacts | None = None,
    *,
    include_restricted: bool = False,
) -> Export:
    """Write a release to a new folder, with its card, datasheet, credits, licences and classes.

    Photos that no licence lets others hand on are left out of all formats that hold photos. What is
    written then is a set of its own, whose documents say of what it is a part, with its own hash.

    Args:
        release: the release.
        kind: one of `FORMATS`.
        folder: the folder to create.
        dataset: what its maintainer says of it, or of its part, now: a DOI is known only then.
        include_restricted: write also the photos that no licence lets others hand on.

    Raises:
        BadInput: the folder exists, an optional dependency is missing, no photo is left, or
            addresses would be written of photos that were changed.
        GensetError: a photo of the release is missing, was changed, or is a symbolic link.
    """
    if kind in ("parquet", "huggingface") and find_spec("pyarrow") is None:
        raise MissingExtra(f"an export as {kind}", "export")
    if release.variant is not None and kind in BY_ADDRESS:
        raise BadInput(
            f"{release.name} has photos that were changed, and addresses lead to photos as they "
            f"were: choose a format that has the photos, or export {release.variant['name']}"
        )
    if include_restricted and kind in BY_ADDRESS:
        raise BadInput(f"--include-restricted does not apply to --format {kind}")
    with one_at_a_time(folder.absolute().parent):
        if folder.exists():
            raise BadInput(f"{folder} exists: name another folder with --to")
        is_whole = include_restricted or kind == "manifest"
        contents = all_of(release) if is_whole else unrestricted_part_of(release)
        texts = {**contents.texts, CITATION: citation(contents, dataset)}
        with folder_written_whole(folder.absolute()) as partial:
            if kind not in _AS_FROZEN:
                _write_documents(texts, kind, partial)
            write: Writer = resolve_name(FORMATS[kind])
            write(contents.release, texts, partial)
    restricted = sum(map(is_restricted, release.photos))
    listed = [] if kind not in BY_ADDRESS else release.photos
    lacking = [photo for photo in listed if kind == "manifest" or is_restricted(photo)]
    return Export(
        folder=str(folder),
        format=kind,
        photos=len(contents.release.photos),
        reserved=restricted if include_restricted else 0,
        of=len(release.photos),
        restricted=0 if include_restricted or kind == "manifest" else restricted,
        without_address=sum(not photo.image_url for photo in lacking),
        content_hash=contents.release.content_hash,
    )


def _write_documents(texts: Mapping[str, str], kind: str, folder: Path) -> None:
    """Write what goes with photos in other tools' layouts, where no such tool takes it for data."""
    # pandas passes over what begins with an underscore.
    docs = folder / ("_docs" if kind == "parquet" else "docs")
    for name, text in texts.items():
        if name not in (CITATION, CROISSANT):
            write_text(docs / Path(name).name, text)
    # Readers of Parquet take each file beside a table for one.
    place = docs if kind == "parquet" else folder
    table = (docs / Path(TABLE).name).relative_to(place).as_posix()
    includes, type_ = _FILES.get(kind, ("*", "application/octet-stream"))
    described = of_export(texts[CROISSANT], table, f"{'../' * (place == docs)}{includes}", type_)
    write_text(place / CROISSANT, described)


def citation(contents: Contents, dataset: DatasetFacts | None = None) -> str:
    """How these photos are cited, as BibTeX: a part by its own name, number and hash."""
    release, manifest = contents.release, json.loads(contents.texts[MANIFEST])
    return bibtex(Citation.of(manifest, len(release.photos), dataset and dataset(release.name)))


def export_stripped(
    release: Release,
    kind: str,
    folder: Path,
    dataset: DatasetFacts | None = None,
    *,
    include_restricted: bool = False,
) -> Export:
    """Export a release without metadata.

    Which photos are in it is as for other exports.

    Raises:
        BadInput: the format has no photos, the folder is there, or the release's photos are
            changed already.
        GensetError: a photo is missing, was changed or has a format that cannot be stripped.
    """
    if kind in BY_ADDRESS:
        raise BadInput(
            f"--format {kind} leads to photos where their owners show them, with all metadata: "
            "choose a format that has the photos"
        )
    if release.variant is not None:
        raise BadInput(
            f"{release.name} is a variant whose photos were changed already: use "
            f"{release.variant['name']}"
        )
    with scratch_folder(folder.absolute().with_name(f".{folder.name}.changing")) as releases:
        variant = strip_release(release, releases)
        done = export(variant, kind, folder, dataset, include_restricted=include_restricted)
    written = [p for p in variant.photos if include_restricted or not is_restricted(p)]
    changed = {photo.file for photo in written} & (variant.variant or {})["changed"].keys()
    return replace(done, of=len(release.photos), changed=len(changed))


def strip_release(release: Release, releases: Path) -> Release:
    """Write ``releases/NAME-stripped``: the release without its photos' metadata.

    Orientation and colour profile stay, and the pixels as they are coded.

    Raises:
        GensetError: a photo is missing, was changed or has a format that cannot be stripped.
    """
    changed: dict[str, dict[str, Any]] = {}
    photos: list[tuple[ReleasePhoto, Path]] = []
    folder = releases / "photos"
    folder.mkdir(parents=True)
    for photo in progress(release.photos, total=len(release.photos), what="strip", unit="photo"):
        new, path = _changed(photo, stripped(content(release, photo), photo.file), folder)
        photos.append((new, path))
        if new.file != photo.file:
            changed[new.file] = {"of": photo.file}
    what = "metadata removed"
    return publish_variant(
        releases, "stripped", release.manifest, photos, what=what, changed=changed
    )


def _changed(photo: ReleasePhoto, content: bytes, folder: Path) -> tuple[ReleasePhoto, Path]:
    """A photo's record without metadata, and where its bytes were put."""
    sha256 = hashlib.sha256(content).hexdigest()
    file = file_of(photo.wnid, f"{sha256}{PurePosixPath(photo.file).suffix}")
    path = folder / file.replace("/", "_")
    path.write_bytes(content)
    return with_fields(photo, file=file, sha256=sha256, byte_size=len(content)), path
