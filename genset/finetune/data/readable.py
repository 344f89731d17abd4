"""Check each photo before the long work: hash its bytes, and read its header."""

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from genset.core.errors import PhotoRefused, first_line
from genset.core.progress import progress


def check_photos(root: Path, ids: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Hash each photo and read its header.

    Pixels are not decoded, so a photo with a valid header and damaged pixels passes.

    Returns:
        The sha256 of each photo's bytes, and the reason for each photo that cannot be used; both
        by id (a path in `root`), in order.
    """
    hashes: dict[str, str] = {}
    refused: dict[str, str] = {}

    def check(photo: str) -> str | PhotoRefused:
        try:
            return _hash(root, photo)
        except PhotoRefused as error:
            return error

    # Reading and hashing release the GIL, and a slow disk serves several requests at once.
    with ThreadPoolExecutor(min(8, 2 * (os.cpu_count() or 1))) as threads:
        found = progress(
            threads.map(check, ids), total=len(ids), what="checking photos", unit="photo"
        )
        for photo, answer in zip(ids, found, strict=True):
            if isinstance(answer, PhotoRefused):
                refused[photo] = answer.reason
            else:
                hashes[photo] = answer
    return hashes, refused


def _hash(root: Path, photo: str) -> str:
    if not photo.isprintable():
        raise PhotoRefused("its name cannot be written")
    try:
        content = (root / photo).read_bytes()
        with Image.open(BytesIO(content)):  # reads the header
            return hashlib.sha256(content).hexdigest()
    except UnidentifiedImageError:
        raise PhotoRefused("it is not a photo" if content else "it is empty") from None
    except OSError as error:
        raise PhotoRefused(error.strerror or first_line(error)) from None
    except (SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise PhotoRefused(first_line(error)) from None
