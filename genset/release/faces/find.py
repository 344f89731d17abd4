"""The faces in a photo's file, and in all photos of a release."""

import warnings
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageOps

from genset.core.errors import GensetError, first_line
from genset.core.pixels import FORMATS
from genset.core.progress import progress
from genset.release.faces.centerface import CenterFace, Face
from genset.release.reader import Release, ReleasePhoto


def faces_of(
    release: Release, detector: CenterFace
) -> Iterator[tuple[ReleasePhoto, list[Face] | None]]:
    """Each photo with its faces, in order; None where the photo cannot be read."""
    total = len(release.photos)
    for photo in progress(release.photos, total=total, what="faces", unit="photo"):
        try:
            yield photo, find_faces(release.own_file(photo.file), detector)
        except GensetError:
            yield photo, None


def find_faces(path: Path, detector: CenterFace) -> list[Face]:
    """The faces in one photo.

    Raises:
        GensetError: it cannot be read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's, on sizes and odd metadata
        try:
            with Image.open(path, formats=FORMATS) as image:
                shown = ImageOps.exif_transpose(image)
        except Exception as error:  # noqa: BLE001 - what decoders raise on broken files is not bounded
            raise GensetError(f"{path} cannot be read: {first_line(error)}") from None
        return detector.find(shown)
