"""A release without its photos' metadata, as a marked release, and its exports."""

import hashlib
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec.structs import replace as with_fields

from genset.core.errors import BadInput
from genset.core.metadata import stripped
from genset.core.progress import progress
from genset.release.exports.export import BY_ADDRESS, DatasetFacts, Export, export
from genset.release.publish import (
    content,
    is_restricted,
    publish_variant,
    scratch_folder,
)
from genset.release.reader import Release, ReleasePhoto, file_of


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
