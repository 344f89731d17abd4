"""What models are scored on: a release, or any folder of wnid folders."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.errors import BadInput
from genset.files import sha256_of
from genset.release.reader import MANIFEST, Release
from genset.taxonomy import imagenet1k

_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".tif", ".tiff"}


@dataclass(frozen=True, slots=True)
class ScoredPhoto:
    """A photo and its true class. `id` is its path in the set, with forward slashes."""

    id: str
    path: Path
    wnid: str


@dataclass(frozen=True, slots=True)
class PhotoSet:
    """Photos with their classes, in the order of their ids. `content_hash` names these bytes."""

    name: str
    root: Path
    content_hash: str
    photos: tuple[ScoredPhoto, ...]


def open_set(named: str, releases: Path | None = None) -> PhotoSet:
    """The set that `named` means: a release's name in `releases`, else a folder's path.

    A folder without a manifest holds one folder of photos a class, named by wnid.

    Raises:
        BadInput: there is neither, or the folder holds no photo, or a folder that is no class.
        ReleaseDamaged: it is a release, and not what its manifest says.
    """
    if releases is not None and (releases / named / MANIFEST).is_file():
        return _release(releases / named)
    folder = Path(named)
    if (folder / MANIFEST).is_file():
        return _release(folder)
    if not folder.is_dir():
        found = releases.glob(f"[!.]*/{MANIFEST}") if releases else ()
        known = ", ".join(sorted(manifest.parent.name for manifest in found))
        hint = f"; releases here: {known}" if known else ""
        raise BadInput(f"{named} is neither a release nor a folder{hint}")
    return _plain_folder(folder)


def _release(folder: Path) -> PhotoSet:
    release = Release.open(folder)
    release.verify()  # a result names the release's hash, so these must be its very bytes
    photos = [ScoredPhoto(p.file, folder / p.file, p.wnid) for p in release.photos]
    return PhotoSet(release.name, folder, release.content_hash, tuple(photos))


def _plain_folder(folder: Path) -> PhotoSet:
    taxonomy = imagenet1k()
    photos: list[ScoredPhoto] = []
    for child in sorted(folder.iterdir()):
        if not child.is_dir() or child.name.startswith("."):
            continue
        if child.name not in taxonomy:
            raise BadInput(
                f"{child} is not a class of ImageNet: name each folder of photos by its wnid, "
                "as in n02123045"
            )
        files = sorted(path for path in child.iterdir() if path.suffix.lower() in _SUFFIXES)
        photos += [ScoredPhoto(f"{child.name}/{path.name}", path, child.name) for path in files]
    if not photos:
        raise BadInput(f"{folder} holds no photos: it needs wnid folders (n02123045/photo.jpg)")
    return PhotoSet(folder.resolve().name, folder, _hash(photos), tuple(photos))


def _hash(photos: Sequence[ScoredPhoto]) -> str:
    digest = hashlib.sha256()
    for photo in photos:
        digest.update(f"{photo.id} {sha256_of(photo.path)}\n".encode())
    return f"sha256:{digest.hexdigest()}"
