"""A release: a folder with a manifest; or an export, which has it among its documents."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from genset.classes import Taxonomy
from genset.core.errors import BadInput, ReleaseDamaged
from genset.core.junk import is_junk
from genset.release.exports import manifest_of
from genset.release.reader import MANIFEST, WHOLE, Release
from genset.release.reader.manifest import fact_of, read_classes
from genset.release.reader.release import with_folders
from genset.sets.hashes import HashStore
from genset.sets.layouts import hugging_face, tar
from genset.sets.layouts.layout import Classes, Row, photo_set
from genset.sets.photos import PhotoSet, ScoredPhoto
from genset.sets.truths.truth import Truth, truth_of_export


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
            f"{folder} is a release, which says itself what its classes are: leave out --taxonomy"
        )
    store = HashStore(hashes, folder)
    manifest = str(folder / MANIFEST)
    if not (store.knows(manifest) and _is_as_verified(folder, store)):
        release = Release(folder)
        # A result names the release's hash, so these must be its bytes. Documents are not scored.
        release.verify(store.sha256, documents=False)
        verified = _verified(release)
        store.read(manifest, lambda _: verified)
        store.save()
    else:
        verified = store.read(manifest, lambda _: None)
    photos = tuple(
        ScoredPhoto(file, Path(f"{folder}/{file}"), wnid, sha256=sha256)
        for file, (wnid, sha256) in verified["photos"].items()
    )
    return PhotoSet(
        name=verified["name"],
        root=folder,
        content_hash=verified["content_hash"],
        photos=photos,
        truth=_truth(verified),
        whole=verified["whole"],
        custom_taxonomy=_custom_taxonomy(verified, folder / MANIFEST),
    )


def _verified(release: Release) -> dict[str, Any]:
    """What is kept of a release that is as its manifest says."""
    # A part has its hash in its name, since others may have as many photos.
    part = f" ({release.content_hash.removeprefix('sha256:')[:8]})" if release.part_of else ""
    verified = {
        "name": f"{release.title}{part}",
        "content_hash": release.content_hash,
        "whole": release.part_of.content_hash if release.part_of else release.content_hash,
        "photos": {photo.file: (photo.wnid, photo.sha256) for photo in release.photos},
        "documents": {
            name: sha256
            for name, sha256 in release.documents.items()
            if (release.root / name).is_file()
        },
    }
    if release.multilabel is not None:
        names = ("labels_correct", "labels_unclear", "label_proposers")
        verified["records"] = {
            photo.file: {name: getattr(photo, name) for name in names} for photo in release.photos
        }
        verified["proposers"] = _proposers(release.multilabel)
    return verified | fact_of(release.taxonomy)


def _custom_taxonomy(verified: dict[str, Any], path: Path) -> Taxonomy | None:
    """The release's own classes; None for ImageNet's. `path` is the manifest's, for errors."""
    taxonomy = read_classes(verified, str(path))
    return None if taxonomy.is_imagenet else taxonomy


def _proposers(multilabel: dict[str, Any]) -> dict[str, list[str]]:
    """The models that proposed classes, with the keys of their runs."""
    found = multilabel.get("proposers")
    if not isinstance(found, dict):
        return {}
    return {name: list(map(str, runs)) for name, runs in found.items() if isinstance(runs, list)}


def _truth(verified: dict[str, Any]) -> Truth | None:
    """The release's own truth, where it has one."""
    if (found := truth_of_export(verified["name"], verified.get("records", {}))) is None:
        return None
    proposers = {name: tuple(runs) for name, runs in verified["proposers"].items()}
    sha256 = verified["content_hash"].removeprefix("sha256:")
    return replace(found, sha256=sha256, proposers=proposers)


def _is_as_verified(folder: Path, store: HashStore) -> bool:
    """Whether no file was changed, removed, added or linked since the release was verified."""
    verified = store.read(str(folder / MANIFEST), lambda _: None)
    expected = verified["photos"].keys() | verified["documents"].keys()
    if not all(store.knows(f"{folder}/{name}") for name in expected):
        return False
    return _files_in(str(folder)) - {WHOLE} == {MANIFEST, *with_folders(expected)}


def _files_in(folder: str) -> set[str]:
    """Everything in a folder, relative to it; symbolic links with a name that no file has."""
    found: set[str] = set()
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not is_junk(name)]
        for name in (*folders, *(name for name in files if not is_junk(name))):
            path = f"{root}/{name}"
            found.add(path.removeprefix(f"{folder}/") + " ->" * os.path.islink(path))  # noqa: PTH114
    return found


def _read_export(folder: Path, path: Path, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of an export, in other tools' files, and the hash of their release or its part.

    Raises:
        BadInput: there are no photos, or they cannot be read.
        ReleaseDamaged: one is changed or not of the manifest at `path`, or that was changed.
    """
    release = Release(path.parent)
    found: PhotoSet | None
    if (folder / "labels.json").is_file():
        found = _of_fiftyone(folder, classes, hashes)
    elif any(folder.glob("*.tar")):
        found = tar.read(f"{folder}/test-*.tar", classes, hashes)
    else:
        found = hugging_face.read(str(folder), classes, hashes)
    if found is None:
        raise BadInput(f"{folder} has no photos beside its documents: export the release again")
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
    facts = _verified(release)
    return replace(
        found,
        name=facts["name"],
        whole=facts["whole"],
        content_hash=release.content_hash,
        photos=tuple(
            replace(there[photo.sha256, photo.wnid], id=photo.file) for photo in release.photos
        ),
        truth=_truth(facts),
        custom_taxonomy=_custom_taxonomy(facts, path),
    )


def _of_fiftyone(folder: Path, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of ``data/``, with the first of the labels that ``labels.json`` has for each."""
    try:
        labels = json.loads((folder / "labels.json").read_bytes())
        first = {
            stem: label if isinstance(label, int) else label[0]
            for stem, label in labels["labels"].items()
        }
        wnids = {stem: labels["classes"][label] for stem, label in first.items()}
        rows = [
            Row(path.name, wnids[path.stem], path) for path in sorted((folder / "data").iterdir())
        ]
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        wrong = "is not what genset release export wrote: export the release again"
        raise BadInput(f"{folder / 'labels.json'} {wrong}") from None
    return photo_set(folder.name, folder, rows, classes, HashStore(hashes, folder))
