"""A release: a folder with a manifest."""

from collections.abc import Collection
from pathlib import Path

from genset.evaluation.data.sets.kept import KeptHashes
from genset.evaluation.data.sets.photo import PhotoSet, ScoredPhoto
from genset.release.reader import MANIFEST, Release


def takes(named: str) -> bool:
    """Whether the folder has a manifest."""
    return (Path(named) / MANIFEST).is_file()


def read(named: str, others: Collection[str], hashes: Path | None) -> PhotoSet:
    """The release, once its bytes are seen to be those that its manifest says.

    A file that was read before, and has the same stat, is not read again; ``genset release verify``
    reads all.

    Raises:
        BadInput: the manifest is none of ours.
        ReleaseDamaged: the release is not what its manifest says.
    """
    folder = Path(named)
    release = Release(folder)
    kept = KeptHashes(hashes, folder)
    release.verify(kept.sha256)  # a result names the release's hash, so these must be its bytes
    kept.save()
    photos = [
        ScoredPhoto(each.file, folder / each.file, each.wnid, sha256=each.sha256)
        for each in release.photos
    ]
    return PhotoSet(release.name, folder, release.content_hash, tuple(photos))
