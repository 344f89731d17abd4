"""ImageFolder: a folder for each wnid. And the manifest only, without photos."""

from collections.abc import Mapping
from pathlib import Path

from genset.files import write_text
from genset.release.documents import ANSWERS, CROISSANT, TABLE
from genset.release.publish import Copy, copy_all
from genset.release.reader import MANIFEST, Release


def imagefolder(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Copy the release's folder: wnid folders, and ``metadata.csv`` with one row per photo.

    Where photos have several right answers, each lies in the folder of its own class, and
    ``answers.csv`` has all.

    Args:
        release: the release.
        texts: its documents, by name.
        folder: where to write.
    """
    copies = [
        Copy(release.own_file(photo.file), folder / photo.file, photo.sha256)
        for photo in release.photos
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
        texts: its documents, by name; not used here.
        folder: where to write.
    """
    write_text(folder / MANIFEST, (release.root / MANIFEST).read_text("utf-8"))
