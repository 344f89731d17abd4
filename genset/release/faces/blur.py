"""A release with faces blurred or metadata removed, as a marked release, and its exports."""

import hashlib
import io
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import PIL
from msgspec.structs import replace as with_fields
from PIL import Image, ImageDraw

from genset.core.errors import BadInput, GensetError
from genset.core.files import one_at_a_time
from genset.core.metadata import stripped
from genset.core.numbers import count
from genset.core.pixels import FORMATS_OF_USERS, eight_bit
from genset.core.progress import progress
from genset.licenses import License, spdx_id
from genset.release.exports.export import DatasetFacts, Export, export
from genset.release.faces.centerface import CenterFace, Face, faces_of
from genset.release.publish import content, facts_of_fewer, is_restricted, of_changed, publish
from genset.release.reader import Release, ReleasePhoto, file_of

MEASURED = "of 84 in 200 photos it found 81, and a quarter of what it found were none"


WITHOUT_PHOTOS = ("manifest", "mixed")
"""Formats that lead to photos where their owners show them, so to photos as they are."""

BLOCKS = 6
"""What is left of a face: so many blocks a side, smoothed. Nobody is known by these."""

GROWN = 1.3
"""How much larger than its box a face is taken to be: hair, chin and ears are beside it."""

_ORIENTATION = 0x0112

_QUALITY = 95  # of formats whose own quality nobody can read from the file

# What turns an upright picture into one as it is stored, by the Exif orientation.
_AS_STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}

# Turns that swap width and height.
_SWAPPING = tuple(_AS_STORED[turn] for turn in (5, 6, 7, 8))


Change = Callable[[Release, Path], Release]
"""Writes a variant of a release to a folder of releases."""


def export_changed(
    release: Release,
    kind: str,
    folder: Path,
    change: Change,
    dataset: DatasetFacts | None = None,
    *,
    include_restricted: bool = False,
) -> tuple[Export, dict[str, Any]]:
    """Export a release with changed photos; return what its manifest says of the variant, too.

    Which photos are in it is as for other exports.

    Raises:
        BadInput: the format has no photos, the folder is there, the release's photos are changed
            already, or an extra is missing.
        GensetError: a photo is missing, was changed or cannot be read, or none would be left.
    """
    if kind in WITHOUT_PHOTOS:
        raise BadInput(
            f"--format {kind} leads to photos where their owners show them, with all faces and "
            "metadata: choose a format that has the photos"
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
            variant = change(release, hidden / "releases")
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
        original = content(release, photo)
        new, path = _changed(photo, stripped(original), folder, photo.fingerprint)
        photos.append((new, path))
        if new.file != photo.file:
            changed[new.file] = {"of": photo.file}
    return _published(release, releases, "stripped", photos, changed, {"what": "metadata removed"})


def blur_release(release: Release, releases: Path, detector: CenterFace) -> Release:
    """Write ``releases/NAME-blurred``: the release with every face blurred that is found.

    Photos without a face keep their bytes, and the others become photos of their own, named by
    their new hash. A photo with a face under a licence that allows no changes is left out. The
    manifest's `variant` says how and of what it was made, and where each photo was blurred.

    Raises:
        GensetError: a photo is missing, was changed or cannot be read, or none would be left.
    """
    changed: dict[str, dict[str, Any]] = {}
    excluded: list[str] = []
    photos: list[tuple[ReleasePhoto, Path]] = []
    folder = releases / "photos"
    folder.mkdir(parents=True)
    for photo, faces in faces_of(release, detector):
        original = content(release, photo)
        if faces is None:
            raise GensetError(f"{release.root / photo.file} cannot be read, so not be blurred")
        if not faces:
            photos.append((photo, release.path_of(photo.file)))
        elif not _may_be_changed(photo):
            excluded.append(photo.file)
        else:
            new, path = _changed(photo, blurred(original, faces), folder)
            photos.append((new, path))
            changed[new.file] = {"of": photo.file, "faces": [face.sides for face in faces]}
    if not photos:
        raise GensetError(f"no photo of {release.name} would be left: none may be changed")
    how = {**detector.describe(), "pillow": PIL.__version__, "blocks": BLOCKS, "grown": GROWN}
    number = sum(len(pair["faces"]) for pair in changed.values())
    facts = {"what": "faces blurred", "how": how, "faces": number, "excluded": excluded}
    return _published(release, releases, "blurred", photos, changed, facts)


def _published(
    release: Release,
    releases: Path,
    suffix: str,
    photos: list[tuple[ReleasePhoto, Path]],
    changed: dict[str, dict[str, Any]],
    how: dict[str, Any],
) -> Release:
    """Write the variant of these photos: `how` and which of them were changed is in its facts."""
    photos.sort(key=lambda pair: pair[0].file)
    records, originals = [photo for photo, _ in photos], [path for _, path in photos]
    facts = facts_of_fewer(release.manifest, records)
    whole = {"name": release.name, "content_hash": release.content_hash}
    facts["variant"] = {"excluded": [], **how, **whole, "changed": dict(sorted(changed.items()))}
    return publish(releases, f"{release.name}-{suffix}", facts, records, originals)


def _changed(
    photo: ReleasePhoto, content: bytes, folder: Path, fingerprint: str | None = None
) -> tuple[ReleasePhoto, Path]:
    """A changed photo's record and where its bytes were put."""
    sha256 = hashlib.sha256(content).hexdigest()
    file = file_of(photo.wnid, f"{sha256}{PurePosixPath(photo.file).suffix}")
    path = folder / file.replace("/", "_")
    path.write_bytes(content)
    changes = {"file": file, "sha256": sha256, "byte_size": len(content)}
    return with_fields(photo, **changes, fingerprint=fingerprint), path


def _may_be_changed(photo: ReleasePhoto) -> bool:
    """Whether its licence allows copies that are changed, by its id, name and address alike."""
    ids = (photo.license_id, spdx_id(License(photo.license, photo.license_url)))
    names = (photo.license.upper().replace(" ", "-"), *ids)
    return all("-ND-" not in f"{name}-" for name in names)


def changed_lines(variant: dict[str, Any]) -> list[str]:
    """What was changed, as text for people."""
    if "faces" not in variant:
        return [f"  metadata removed from {count(len(variant['changed']), 'photo')}"]
    faces, photos = count(variant["faces"], "face"), count(len(variant["changed"]), "photo")
    lines = [f"  blurred: {faces} in {photos}", f"  the detector misses some faces: {MEASURED}"]
    if excluded := variant["excluded"]:
        photos = count(len(excluded), "photo")
        lines.append(f"  left out: {photos} with faces whose licence allows no changes")
    return lines


def blurred(content: bytes, faces: Sequence[Face]) -> bytes:
    """A photo's bytes with these faces blurred, in the photo's own format and size.

    A JPEG keeps its tables, so that what is no face hardly changes. Of metadata only orientation
    and colour profile stay: what else they say (a place, a thumbnail with the face) does not.

    Raises:
        OSError: it cannot be decoded.
    """
    with Image.open(io.BytesIO(content), formats=FORMATS_OF_USERS) as image:
        image.load()
        orientation = image.getexif().get(_ORIENTATION, 1)
        profile = {name: image.info[name] for name in ("icc_profile",) if name in image.info}
        kind, is_jpeg = str(image.format), image.format == "JPEG"
        pixels: Image.Image = image if is_jpeg else _in_colour(image)
        for face in faces:
            _blur(pixels, face, _AS_STORED.get(orientation))
        exif = Image.Exif()
        if orientation in _AS_STORED:
            exif[_ORIENTATION] = orientation
        how: dict[str, Any] = {"quality": "keep" if is_jpeg else _QUALITY, **profile}
        pixels.info = {}
        if kind not in Image.SAVE:
            raise GensetError(f"faces cannot be blurred in {kind} photos: no {kind} can be written")
        written = io.BytesIO()
        pixels.save(written, kind, exif=exif.tobytes() if len(exif) else b"", **how)
        return written.getvalue()


def _in_colour(image: Image.Image) -> Image.Image:
    """A copy whose pixels can be mixed: palettes and more than 8 bits cannot."""
    has_alpha = image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info
    return eight_bit(image).convert("RGBA" if has_alpha else "RGB")


def _blur(pixels: Image.Image, face: Face, as_stored: Image.Transpose | None) -> None:
    """Blur one face in place: an ellipse around it becomes a few smooth blocks."""
    upright = pixels.size[::-1] if as_stored in _SWAPPING else pixels.size
    mask = Image.new("L", upright)
    across, down = (face.right - face.left) * GROWN / 2, (face.bottom - face.top) * GROWN / 2
    x, y = (face.left + face.right) / 2, (face.top + face.bottom) / 2
    ImageDraw.Draw(mask).ellipse((x - across, y - down, x + across, y + down), fill=255)
    if as_stored is not None:
        mask = mask.transpose(as_stored)
    box = mask.getbbox()
    if box is None:
        return
    region = pixels.crop(box)
    few = region.resize((BLOCKS, BLOCKS), Image.Resampling.BOX)
    pixels.paste(few.resize(region.size, Image.Resampling.BICUBIC), box[:2], mask.crop(box))
