"""Formats with the photos as they are: the release's own folder, FiftyOne's, WebDataset's tars."""

import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from genset.core.files import write_text, written_whole
from genset.core.progress import progress
from genset.release.documents import CITATION
from genset.release.publish import Copy, content, copy_all, flat_name, shards
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


def fiftyone(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write a folder to open as ``fiftyone.types.FiftyOneImageClassificationDataset``.

    Classes are `Release.classes`. Samples are named ``WNID_SHA256`` (`flat_name`). What else is
    known of each photo is in ``docs/metadata.csv``, for ``labels.json`` has no place for it.
    Where photos have several right answers, each sample has a list of them, its own class first:
    FiftyOne makes Classifications of it. Those that are unclear or wrong are in
    ``docs/answers.csv``.
    """
    labels, copies = {}, []
    for photo in release.photos:
        name = flat_name(release, photo)
        copies.append(Copy(release.path_of(photo.file), folder / "data" / name, photo.sha256))
        labels[name.rpartition(".")[0]] = _targets(release, photo)
    copy_all(copies, "export")
    document = {"classes": release.classes, "labels": labels}
    write_text(folder / "labels.json", json.dumps(document, indent=1) + "\n")


def _targets(release: Release, photo: ReleasePhoto) -> int | list[int]:
    """The index of its class, or of all that are right answers."""
    if photo.labels_correct is None:
        return release.taxonomy[photo.wnid].index
    return [release.taxonomy[wnid].index for wnid in photo.labels_correct]


def webdataset(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write ``test-000000.tar`` and so on. The same release gives the same bytes.

    A sample is ``WNID_SHA256`` (`flat_name`) with ``.jpg`` (or the photo's own suffix), ``.cls``
    (the index of the class in `Release.classes`, in digits) and ``.json`` (the record, with all
    right answers where photos have several).
    """
    cut = shards(release.photos)
    for number, photos in enumerate(progress(cut, total=len(cut), what="export", unit="shard")):
        path = folder / f"test-{number:06}.tar"
        with written_whole(path) as file, tarfile.open(fileobj=file, mode="w") as tar:
            for photo in photos:
                key, _, suffix = flat_name(release, photo).rpartition(".")
                index = release.taxonomy[photo.wnid].index
                _add_to(tar, f"{key}.{suffix}", content(release, photo))
                _add_to(tar, f"{key}.cls", str(index).encode())
                _add_to(tar, f"{key}.json", json.dumps(photo.as_json()).encode())


def _add_to(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)  # without owner, dated 1970: nothing depends on this machine
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))
