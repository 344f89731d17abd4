"""The faces in a photo's file, and in all photos of a release."""

from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from genset.errors import GensetError, first_line
from genset.progress import progress
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
    try:
        with Image.open(path) as image:
            image.load()
            return detector.find(image)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise GensetError(f"{path} cannot be read: {first_line(error)}") from None
