"""A release without its photos' metadata, as a marked release, and its exports."""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec.structs import replace as with_fields

from genset.core.errors import BadInput
from genset.core.files import one_at_a_time
from genset.core.metadata import stripped
from genset.core.progress import progress
from genset.release.exports.export import DatasetFacts, Export, export
from genset.release.publish import content, facts_of_fewer, is_restricted, of_changed, publish
from genset.release.reader import Release, ReleasePhoto, file_of

WITHOUT_PHOTOS = ("manifest", "mixed")
"""Formats that lead to photos where their owners show them, so to photos as they are."""


def export_stripped(
    release: Release,
    kind: str,
    folder: Path,
    dataset: DatasetFacts | None = None,
    *,
    include_restricted: bool = False,
) -> tuple[Export, dict[str, Any]]:
    """Export a release without metadata; return what its manifest says of the variant, too.

    Which photos are in it is as for other exports.

    Raises:
        BadInput: the format has no photos, the folder is there, or the release's photos are
            changed already.
        GensetError: a photo is missing, was changed or has a format that cannot be stripped.
    """
    if kind in WITHOUT_PHOTOS:
        raise BadInput(
            f"--format {kind} leads to photos where their owners show them, with all metadata: "
            "choose a format that has the photos"
        )
    if release.variant is not None:
        raise BadInput(
            f"{release.name} is a variant whose photos were changed already: use "
            f"{release.variant['name']}"
        )
    if folder.exists():
        raise BadInput(f"{folder} exists: name another folder with --to")
    hidden = folder.absolute().with_name(f".{folder.name}.changing")
    with one_at_a_time(hidden):
        shutil.rmtree(hidden / "releases", ignore_errors=True)  # of a killed run
        try:
            variant = strip_release(release, hidden / "releases")
            done = export(variant, kind, folder, dataset, include_restricted=include_restricted)
        finally:
            shutil.rmtree(hidden, ignore_errors=True)
    files = {
        photo.file for photo in variant.photos if include_restricted or not is_restricted(photo)
    }
    return replace(done, of=len(release.photos)), of_changed(variant.variant or {}, files)


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
    photos.sort(key=lambda pair: pair[0].file)
    records, originals = [photo for photo, _ in photos], [path for _, path in photos]
    facts = facts_of_fewer(release.manifest, records)
    facts["variant"] = {
        "what": "metadata removed",
        "name": release.name,
        "content_hash": release.content_hash,
        "changed": dict(sorted(changed.items())),
    }
    return publish(releases, f"{release.name}-stripped", facts, records, originals)


def _changed(photo: ReleasePhoto, content: bytes, folder: Path) -> tuple[ReleasePhoto, Path]:
    """A photo's record without metadata, and where its bytes were put."""
    sha256 = hashlib.sha256(content).hexdigest()
    file = file_of(photo.wnid, f"{sha256}{PurePosixPath(photo.file).suffix}")
    path = folder / file.replace("/", "_")
    path.write_bytes(content)
    return with_fields(photo, file=file, sha256=sha256, byte_size=len(content)), path
