"""An export of a release: photos in the files of other tools, with its manifest beside them."""

import json
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput, ReleaseDamaged
from genset.release.exports import manifest_of
from genset.release.reader import Release
from genset.sets.hashes import HashStore
from genset.sets.layouts import hugging_face, tar
from genset.sets.layouts.layout import Classes
from genset.sets.layouts.release import taxonomy_in, truth_in, verified_facts
from genset.sets.photos import PhotoSet, ScoredPhoto, hash_of


def takes(named: str, classes: Classes) -> bool:
    """Whether it is the folder of an export."""
    return manifest_of(Path(named)) is not None


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The release's photos and its hash, once bytes and classes are seen to be the manifest's.

    Raises:
        BadInput: there are no photos, or they cannot be read.
        ReleaseDamaged: they are not those of the manifest.
    """
    folder, path = Path(named), manifest_of(Path(named))
    assert path is not None
    release = Release(path.parent)
    if (folder / "labels.json").is_file():
        found = _of_fiftyone(folder, classes, hashes)
    elif any(folder.glob("*.tar")):
        found = tar.read(f"{named}/test-*.tar", classes, hashes)
    else:
        found = hugging_face.read(named, classes, hashes)
    there = {(photo.sha256, photo.wnid): photo for photo in found.photos}
    expected = {(photo.sha256, photo.wnid): photo.file for photo in release.photos}
    problems = [
        f"{file} is missing or changed" for key, file in expected.items() if key not in there
    ]
    problems += [
        f"{photo} does not belong to it" for key, photo in there.items() if key not in expected
    ]
    if not release.is_as_written(path):
        problems.append(f"{path} was changed")
    if problems:
        raise ReleaseDamaged(release.name, problems)
    facts = verified_facts(release)
    return replace(
        found,
        name=release.name,
        content_hash=release.content_hash,
        photos=tuple(replace(there[key], id=file) for key, file in expected.items()),
        truth=truth_in(facts),
        custom_taxonomy=taxonomy_in(facts, path),
    )


def _of_fiftyone(folder: Path, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of ``data/``, with the first of the labels that ``labels.json`` has for each."""
    store = HashStore(hashes, folder)
    try:
        labels = json.loads((folder / "labels.json").read_bytes())
        first = {
            stem: label if isinstance(label, int) else label[0]
            for stem, label in labels["labels"].items()
        }
        wnids = {stem: labels["classes"][label] for stem, label in first.items()}
        paths = [(path, wnids[path.stem]) for path in sorted((folder / "data").iterdir())]
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise BadInput(f"{folder / 'labels.json'} is not an export's: {error!r}") from None
    photos = tuple(
        ScoredPhoto(path.name, path, wnid, sha256=store.sha256(path)) for path, wnid in paths
    )
    store.save()
    return PhotoSet(folder.name, folder, hash_of(photos), photos)
