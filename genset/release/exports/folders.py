"""The release's own folder: with all photos of it, with some, or with none (ImageFolder)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from genset.core.files import write_text
from genset.release.documents import CITATION
from genset.release.documents.tables import lacking
from genset.release.publish import Copy, copy_all, is_restricted
from genset.release.reader import LACKING, Release, ReleasePhoto


def imagefolder(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Copy the release's folder, which ImageFolder opens at ``test/``."""
    _write(release, release.photos, texts, folder)


def mixed(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write the release's folder without the photos that no licence lets others hand on.

    ``genset pull`` downloads these from their own addresses, and the folder is the release then.
    Until that, ``to-pull.csv`` lists them. Where there are none, the folder is the release.
    """
    missing = [photo for photo in release.photos if is_restricted(photo)]
    if missing:
        write_text(folder / LACKING, lacking(missing))
    _write(release, [p for p in release.photos if not is_restricted(p)], texts, folder)


def manifest(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write addresses and hashes. ``genset pull`` downloads each photo from its own address."""
    _write(release, (), texts, folder)


def _write(
    release: Release, photos: Sequence[ReleasePhoto], texts: Mapping[str, str], folder: Path
) -> None:
    copies = [
        Copy(release.path_of(photo.file), folder / photo.file, photo.sha256) for photo in photos
    ]
    copy_all(copies, "export")
    for name, text in texts.items():
        if name != CITATION:
            write_text(folder / name, text)
