"""The release's own folder: with all photos of it, with some, or with none (ImageFolder)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from genset.core.files import write_text
from genset.release.documents import CITATION
from genset.release.publish import Copy, copy_all
from genset.release.reader import MANIFEST, WHOLE, Release, ReleasePhoto


def imagefolder(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Copy the release's folder, which ImageFolder opens at ``test/``."""
    _write(release, release.photos, texts, folder)


def mixed(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Copy the folder of photos that may be handed on, with the manifest of all: ``whole.json``.

    By that ``genset pull`` downloads the rest from their own addresses, and the folder is the
    release then. Where there is no rest, it is at once.
    """
    _write(release, release.photos, texts, folder)
    whole = release.root / WHOLE
    text = (whole if whole.is_file() else release.root / MANIFEST).read_text("utf-8")
    if text != texts[MANIFEST]:
        write_text(folder / WHOLE, text)


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
