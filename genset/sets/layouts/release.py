"""A release: a folder with a manifest; or an export, which has it among its documents."""

import json
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput, ReleaseDamaged
from genset.release.exports import manifest_of
from genset.release.reader import MANIFEST, WHOLE, Release
from genset.sets.hashes import HashStore
from genset.sets.layouts import hugging_face, tar
from genset.sets.layouts.layout import Classes, Row, photo_set
from genset.sets.photos import PhotoSet, ScoredPhoto
from genset.sets.truths.truth import Truth


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet | None:
    """The release, once its bytes are seen to be those that its manifest says.

    It is a folder with a manifest, or that of the whole where a pull was stopped. A file that was
    read before, and has the same stat, is not read again; ``genset release verify`` reads all.

    Raises:
        BadInput: the manifest is none of ours, or a taxonomy is given to a release.
        ReleaseDamaged: the release is not what its manifest says.
    """
    folder = Path(named)
    if not any((folder / name).is_file() for name in (MANIFEST, WHOLE)):
        path = manifest_of(folder)
        return _read_export(folder, path, classes, hashes) if path else None
    if classes.custom is not None:
        raise BadInput(
            f"{folder} is a release, which says itself what its classes are: leave out taxonomy"
        )
    store = HashStore(hashes, folder)
    release = Release(folder)
    # A result names the release's hash, so these must be its bytes. Documents are not scored.
    release.verify(store.sha256, documents=False)
    store.save()
    photos = tuple(
        ScoredPhoto(photo.file, Path(f"{folder}/{photo.file}"), photo.wnid, sha256=photo.sha256)
        for photo in release.photos
    )
    return _photo_set(release, folder, photos)


def _photo_set(release: Release, folder: Path, photos: tuple[ScoredPhoto, ...]) -> PhotoSet:
    """The photos as those of a release, with what it says of all."""
    # A part has its hash in its name, since others may have as many photos.
    part = f" ({release.content_hash.removeprefix('sha256:')[:8]})" if release.part_of else ""
    name = f"{release.title}{part}"
    return PhotoSet(
        name=name,
        root=folder,
        content_hash=release.content_hash,
        photos=photos,
        truth=_truth(release, name),
        whole=(release.part_of or release).content_hash,
        custom_taxonomy=None if release.taxonomy.is_imagenet else release.taxonomy,
    )


def _truth(release: Release, name: str) -> Truth | None:
    """The release's own truth, where it has one, with the runs of the models that proposed."""
    if release.multilabel is None:
        return None
    runs = release.multilabel.get("proposers")
    named = runs.items() if isinstance(runs, dict) else ()
    return Truth(
        correct={photo.file: frozenset(photo.labels_correct or ()) for photo in release.photos},
        unclear={
            photo.file: frozenset(photo.labels_unclear)
            for photo in release.photos
            if photo.labels_unclear
        },
        source=name,
        sha256=release.content_hash.removeprefix("sha256:"),
        proposers={model: tuple(map(str, keys)) for model, keys in named if isinstance(keys, list)},
        proposed={
            photo.file: {wnid: tuple(by) for wnid, by in photo.label_proposers.items()}
            for photo in release.photos
            if photo.label_proposers
        },
        is_frozen=True,
    )


def _read_export(folder: Path, path: Path, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of an export, in other tools' files, and the hash of their release or its part.

    Raises:
        BadInput: there are no photos, or they cannot be read.
        ReleaseDamaged: one is changed or not of the manifest at `path`, or that was changed.
    """
    release = Release(path.parent)
    classes = Classes(release.taxonomy, named=True)
    found: PhotoSet | None
    if (folder / "labels.json").is_file():
        found = _of_fiftyone(folder, classes, hashes)
    elif any(folder.glob("*.tar")):
        found = tar.read(f"{folder}/test-*.tar", classes, hashes)
    else:
        found = hugging_face.read(str(folder), classes, hashes)
    if found is None:
        raise BadInput(f"{folder} is an export for other programs: score the release itself")
    there = {(photo.sha256, photo.wnid): photo for photo in found.photos}
    expected = {(photo.sha256, photo.wnid): photo for photo in release.photos}
    problems = [
        f"{photo} was changed or does not belong to it"
        for key, photo in there.items()
        if key not in expected
    ]
    if not release.is_as_written(release.manifest):
        problems.append(f"{path} was changed")
    if problems:
        raise ReleaseDamaged(release.name, problems)
    release.keep([photo for key, photo in expected.items() if key in there])
    photos = tuple(
        replace(there[photo.sha256, photo.wnid], id=photo.file) for photo in release.photos
    )
    return replace(_photo_set(release, folder, photos), root=found.root, notes=found.notes)


def _of_fiftyone(folder: Path, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of ``data/``, with the first of the labels that ``labels.json`` has for each."""
    try:
        labels = json.loads((folder / "labels.json").read_bytes())
        rows = []
        for path in sorted((folder / "data").iterdir()):
            label = labels["labels"][path.stem]
            place = label if isinstance(label, int) else label[0]
            rows.append(Row(path.name, labels["classes"][place], path))
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        wrong = "is not what genset release export wrote: export the release again"
        raise BadInput(f"{folder / 'labels.json'} {wrong}") from None
    return photo_set(folder.name, folder, rows, classes, HashStore(hashes, folder))
