"""A release with its faces blurred, as a marked release of its own, and its exports."""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import PIL

from genset.core.errors import BadInput, GensetError
from genset.core.files import one_at_a_time
from genset.core.numbers import count
from genset.licenses import License, spdx_id
from genset.release.export import Export, Said, export
from genset.release.export.contents import is_restricted
from genset.release.export.photos import content
from genset.release.faces.blur import BLOCKS, GROWN, blurred
from genset.release.faces.centerface import CenterFace
from genset.release.faces.find import faces_of
from genset.release.fewer import facts_of_fewer, of_changed
from genset.release.publish import publish
from genset.release.reader import Release, ReleasePhoto

MEASURED = "of 84 in 200 photos it found 81, and a quarter of what it found were none"

WITHOUT_PHOTOS = ("manifest", "mixed")
"""Formats that lead to photos where their owners show them, so to photos as they are."""


def export_blurred(
    release: Release,
    kind: str,
    folder: Path,
    detector: CenterFace,
    said: Said | None = None,
    *,
    include_restricted: bool = False,
) -> tuple[Export, dict[str, Any]]:
    """Export a release with its faces blurred; return what its manifest says of the variant, too.

    Which photos are in it is as for other exports.

    Raises:
        BadInput: the format has no photos, the folder is there, the release's faces are blurred
            already, or an extra is missing.
        GensetError: a photo is missing, was changed or cannot be read, or none would be left.
    """
    if kind in WITHOUT_PHOTOS:
        raise BadInput(
            f"--format {kind} leads to photos where their owners show them, with all faces: choose "
            "a format that has the photos"
        )
    if release.variant is not None:
        raise BadInput(
            f"{release.name} is a variant whose photos were changed already: say --blur-faces of "
            f"{release.variant['name']}"
        )
    if folder.exists():
        raise BadInput(f"{folder} exists: name another folder with --to")
    with blurred_beside(release, folder, detector) as variant:
        done = export(variant, kind, folder, said, include_restricted=include_restricted)
        files = {
            photo.file for photo in variant.photos if include_restricted or not is_restricted(photo)
        }
        return replace(done, of=len(release.photos)), of_changed(variant.variant or {}, files)


@contextmanager
def blurred_beside(release: Release, folder: Path, detector: CenterFace) -> Iterator[Release]:
    """The variant, in a hidden folder beside `folder` that goes when the block ends.

    What a killed run left there is deleted first.
    """
    hidden = folder.absolute().with_name(f".{folder.name}.blurring")
    with one_at_a_time(hidden):
        shutil.rmtree(hidden / "releases", ignore_errors=True)
        try:
            yield blur_release(release, hidden / "releases", detector)
        finally:
            shutil.rmtree(hidden, ignore_errors=True)


def blur_release(release: Release, releases: Path, detector: CenterFace) -> Release:
    """Write ``releases/NAME-blurred``: the release with every face blurred that is found.

    Photos without a face keep their bytes, and the others become photos of their own, named by
    their new hash. A photo with a face under a licence that allows no changes is left out. The
    manifest's `variant` says how and of what it was made, and where each photo was blurred.

    Raises:
        GensetError: a photo is missing, was changed or cannot be read, or none would be left.
    """
    changed: dict[str, dict[str, Any]] = {}
    left_out: list[str] = []
    kept: list[tuple[ReleasePhoto, Path]] = []
    folder = releases / "photos"
    folder.mkdir(parents=True)
    for photo, faces in faces_of(release, detector):
        original = content(release, photo)
        if faces is None:
            raise GensetError(f"{release.root / photo.file} cannot be read, so not be blurred")
        if not faces:
            kept.append((photo, release.own_file(photo.file)))
        elif not _may_be_changed(photo):
            left_out.append(photo.file)
        else:
            new, path = _changed(photo, blurred(original, faces), folder)
            kept.append((new, path))
            changed[new.file] = {"of": photo.file, "faces": [face.sides for face in faces]}
    if not kept:
        raise GensetError(f"no photo of {release.name} would be left: none may be changed")
    kept.sort(key=lambda each: each[0].file)
    facts = facts_of_fewer(release, [photo for photo, _ in kept])
    facts["variant"] = {
        "what": "faces blurred",
        "name": release.name,
        "content_hash": release.content_hash,
        "how": {
            **detector.describe(),
            "pillow": PIL.__version__,
            "blocks": BLOCKS,
            "grown": GROWN,
        },
        "faces": sum(len(each["faces"]) for each in changed.values()),
        "changed": dict(sorted(changed.items())),
        "left_out": left_out,
    }
    photos, originals = [photo for photo, _ in kept], [path for _, path in kept]
    return publish(releases, f"{release.name}-blurred", facts, photos, originals)


def _changed(photo: ReleasePhoto, content: bytes, folder: Path) -> tuple[ReleasePhoto, Path]:
    """A changed photo's record and where its bytes were put."""
    sha256 = hashlib.sha256(content).hexdigest()
    file = f"{photo.wnid}/{sha256}{PurePosixPath(photo.file).suffix}"
    path = folder / file.replace("/", "_")
    path.write_bytes(content)
    return replace(photo, file=file, sha256=sha256, byte_size=len(content)), path


def _may_be_changed(photo: ReleasePhoto) -> bool:
    """Whether its licence allows copies that are changed, by its id, name and address alike."""
    ids = (photo.license_id, spdx_id(License(photo.license, photo.license_url)))
    names = (photo.license.upper().replace(" ", "-"), *ids)
    return all("-ND-" not in f"{name}-" for name in names)


def blurred_lines(variant: dict[str, Any]) -> list[str]:
    """What was blurred, as text for people."""
    faces, photos = count(variant["faces"], "face"), count(len(variant["changed"]), "photo")
    lines = [f"  blurred: {faces} in {photos}", f"  the detector misses some faces: {MEASURED}"]
    if left := variant["left_out"]:
        lines.append(
            f"  left out: {count(len(left), 'photo')} with faces whose licence allows no changes"
        )
    return lines
