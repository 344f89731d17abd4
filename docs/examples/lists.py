"""Photos in class folders, and val.txt: a photo's path and the number of its class on each line."""

from collections.abc import Mapping
from pathlib import Path

from genset.core.files import write_text
from genset.release.publish import Copy, copy_all
from genset.release.reader import Release


def write(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write a release; of photos with several right answers, the class that each was found for.

    Args:
        release: the release.
        texts: its documents and its manifest, by name.
        folder: where to write.
    """
    photos = release.photos
    copy_all(
        [Copy(release.path_of(photo.file), folder / photo.file, photo.sha256) for photo in photos],
        "export",
    )
    lines = (f"{photo.file} {release.taxonomy[photo.wnid].index}\n" for photo in photos)
    write_text(folder / "val.txt", "".join(lines))
