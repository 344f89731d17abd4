"""Functions for all formats: read a photo and check it, split photos into shards."""

import hashlib
from collections.abc import Iterable

from genset.core.errors import GensetError
from genset.release.reader import Release, ReleasePhoto

_MOST_PHOTOS, _MOST_BYTES = 1000, 256 * 2**20  # per shard


def flat_name(release: Release, photo: ReleasePhoto) -> str:
    """A file's name for a photo where there are no folders: ``WNID_SHA256.jpg``.

    Where classes are not ImageNet's, it has the class's index: an id may have a dot, where readers
    of tar files cut names, or be so long that with a hash it is too long for a file system.
    """
    if release.taxonomy.is_imagenet:
        return f"{photo.wnid}_{photo.file.rpartition('/')[2]}"
    return f"{release.taxonomy[photo.wnid].index}_{photo.file.rpartition('/')[2]}"


def content(release: Release, photo: ReleasePhoto) -> bytes:
    """A photo's original bytes.

    Raises:
        GensetError: it is missing, was changed, or is a symbolic link.
    """
    path = release.path_of(photo.file)
    try:
        read = path.read_bytes()
    except OSError as error:
        raise GensetError(f"{path}: {error.strerror}; see genset release verify") from None
    if hashlib.sha256(read).hexdigest() != photo.sha256:
        raise GensetError(f"{path} was changed: see genset release verify")
    return read


def shards(photos: Iterable[ReleasePhoto]) -> list[list[ReleasePhoto]]:
    """Split photos, in order, into shards of at most 1,000 photos and about 256 MiB."""
    cut: list[list[ReleasePhoto]] = []
    size = 0
    for photo in photos:
        if not cut or len(cut[-1]) == _MOST_PHOTOS or size + photo.byte_size > _MOST_BYTES:
            cut.append([])
            size = 0
        cut[-1].append(photo)
        size += photo.byte_size
    return cut
