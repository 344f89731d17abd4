"""What models are scored on: a release, any folder of wnid folders, or a list of photos."""

import csv
import hashlib
from collections.abc import Collection, Sequence
from pathlib import Path

from genset.errors import BadInput
from genset.evaluation.data.sets.photo import PhotoSet, ScoredPhoto
from genset.files import sha256_of
from genset.release.reader import MANIFEST, Release
from genset.taxonomy import imagenet1k

__all__ = ["SUFFIXES", "PhotoSet", "ScoredPhoto", "open_set"]

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".tif", ".tiff"}


def open_set(named: str, releases: Path | None = None, others: Collection[str] = ()) -> PhotoSet:
    """The set that a name or a path means.

    A folder without a manifest holds one folder of photos a class. A CSV file with the columns
    image and wnid lists the photos of a set that is not here; it is called by the file's name, or
    by its folder's where that is ``labels.csv``.

    Args:
        named: a release's name in `releases`, else a path.
        releases: the workspace's folder of releases, if there is a workspace.
        others: classes that a model knows beside ImageNet's, by which folders may be named.

    Raises:
        BadInput: there is none, or the folder holds no photo, or a folder that is no class; or
            the file is no such list.
        ReleaseDamaged: it is a release, and not what its manifest says.
    """
    if releases is not None and (releases / named / MANIFEST).is_file():
        return _release(releases / named)
    folder = Path(named)
    if (folder / MANIFEST).is_file():
        return _release(folder)
    if folder.suffix == ".csv" and folder.is_file():
        return _listing(folder)
    if not folder.is_dir():
        found = releases.glob(f"[!.]*/{MANIFEST}") if releases else ()
        known = ", ".join(sorted(manifest.parent.name for manifest in found))
        hint = f"; releases here: {known}" if known else ""
        raise BadInput(f"{named} is neither a release nor a folder{hint}")
    return _plain_folder(folder, others)


def _release(folder: Path) -> PhotoSet:
    release = Release(folder)
    release.verify()  # a result names the release's hash, so these must be its very bytes
    photos = [ScoredPhoto(p.file, folder / p.file, p.wnid, sha256=p.sha256) for p in release.photos]
    return PhotoSet(release.name, folder, release.content_hash, tuple(photos))


def _plain_folder(folder: Path, others: Collection[str]) -> PhotoSet:
    taxonomy = imagenet1k()
    photos: list[ScoredPhoto] = []
    strange, empty, stray = [], [], []
    for child in sorted(folder.iterdir()):
        if child.name.startswith("."):
            continue
        if not child.is_dir():
            stray += [child] if child.suffix.lower() in SUFFIXES else []
            continue
        if child.name not in taxonomy and child.name not in others:
            strange.append(child)
            continue
        files = sorted(path for path in child.iterdir() if path.suffix.lower() in SUFFIXES)
        photos += [
            ScoredPhoto(f"{child.name}/{path.name}", path, child.name, sha256=sha256_of(path))
            for path in files
        ]
        stray += [path for path in child.glob("*/**/*") if path.suffix.lower() in SUFFIXES]
        if not files:
            empty.append(child)
    if not photos and strange:
        raise BadInput(
            f"{strange[0]} is not a class of ImageNet: name each folder of photos by its wnid, "
            "as in n02123045"
        )
    if not photos:
        raise BadInput(f"{folder} holds no photos: it needs wnid folders (n02123045/photo.jpg)")
    return PhotoSet(
        name=folder.resolve().name,
        root=folder,
        content_hash=_hash(photos),
        photos=tuple(photos),
        notes=(
            *_left_out(strange, "is not a class of ImageNet", "are not classes of ImageNet"),
            *_left_out(empty, "has no photo", "have no photo"),
            *_left_out(stray, "is in no class's folder", "are in no class's folder", "photo"),
        ),
    )


def _left_out(paths: Sequence[Path], one: str, several: str, what: str = "folder") -> list[str]:
    if not paths:
        return []
    named = ", ".join(path.name for path in paths[:3]) + ", ..." * (len(paths) > 3)
    if len(paths) == 1:
        return [f"The {what} {named} {one}, and is left out."]
    return [f"{len(paths):,} {what}s {several} ({named}): left out."]


def _listing(path: Path) -> PhotoSet:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            rows = [(row.get("image"), row.get("wnid")) for row in table]
    except (OSError, ValueError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None
    if not rows or not {"image", "wnid"} <= set(table.fieldnames or ()):
        raise BadInput(f"{path} lists no photos: it needs the columns image and wnid, and rows")
    taxonomy = imagenet1k()
    photos: dict[str, ScoredPhoto] = {}
    for number, (image, wnid) in enumerate(rows, 1):
        if not image or wnid not in taxonomy:
            raise BadInput(f"{path}, photo {number}: {wnid!r} is not a class of ImageNet")
        if image in photos:
            raise BadInput(f"{path}, photo {number}: {image} is there twice")
        photos[image] = ScoredPhoto(image, path.parent / image, str(wnid))
    digest = hashlib.sha256()
    for photo in photos.values():
        digest.update(f"{photo.id} {photo.wnid}\n".encode())
    place = path.resolve()
    name = place.parent.name if place.name == "labels.csv" else place.stem
    content_hash = f"sha256:{digest.hexdigest()}"
    return PhotoSet(name, path.parent, content_hash, tuple(photos.values()), listed=True)


def _hash(photos: Sequence[ScoredPhoto]) -> str:
    digest = hashlib.sha256()
    for photo in photos:
        digest.update(f"{photo.id} {photo.sha256}\n".encode())
    return f"sha256:{digest.hexdigest()}"
