"""ImageFolder: a folder for each wnid. And the manifest, without photos or with some."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from genset.core.files import write_text
from genset.release.documents import ANSWERS, CROISSANT, TABLE
from genset.release.documents.tables import lacking
from genset.release.publish import Copy, copy_all, is_restricted
from genset.release.reader import LACKING, MANIFEST, Release, ReleasePhoto


def imagefolder(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Copy the release's folder: wnid folders, and ``metadata.csv`` with one row per photo.

    Where photos have several right answers, each lies in the folder of its own class, and
    ``answers.csv`` has all.

    Args:
        release: the release.
        texts: its documents and its manifest, by name.
        folder: where to write.
    """
    _with_photos(release, release.photos, texts, folder)


def mixed(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write the release's folder without the photos that no licence lets others hand on.

    ``genset pull`` downloads these from their own addresses, and the folder is the release then.
    Until that, ``to-pull.csv`` lists them. Where there are none, the folder is the release.

    Args:
        release: the release.
        texts: its documents and its manifest, by name.
        folder: where to write.
    """
    there = [photo for photo in release.photos if not is_restricted(photo)]
    if len(there) < len(release.photos):
        write_text(folder / LACKING, lacking([p for p in release.photos if is_restricted(p)]))
    _with_photos(release, there, texts, folder)


def _with_photos(
    release: Release, photos: Sequence[ReleasePhoto], texts: Mapping[str, str], folder: Path
) -> None:
    copies = [
        Copy(release.path_of(photo.file), folder / photo.file, photo.sha256) for photo in photos
    ]
    copy_all(copies, "export")
    for name in (TABLE, CROISSANT, ANSWERS):
        if name in texts:
            write_text(folder / name, texts[name])
    manifest(release, texts, folder)


def manifest(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write addresses and hashes. ``genset pull`` downloads each photo from its own address.

    Args:
        release: the release.
        texts: its documents and its manifest, by name.
        folder: where to write.
    """
    write_text(folder / MANIFEST, texts[MANIFEST])
