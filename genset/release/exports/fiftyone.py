"""FiftyOne's own folder for image classification: ``data/`` and ``labels.json``."""

import json
from collections.abc import Mapping
from pathlib import Path

from genset.core.files import write_text
from genset.release.publish import Copy, copy_all, flat_name
from genset.release.reader import Release, ReleasePhoto


def write(release: Release, texts: Mapping[str, str], folder: Path) -> None:
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
