"""The truth that belongs to a set: kept among the runs, under the set's content hash.

It is no part of a run: giving a set a truth, or another one, changes no run and scores nothing.
A file is ``runs/.truths/HASH.json``: a line with the format and a hash of the rest, then JSON. It
is replaced whole, so that of two commands at once the later one counts.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from genset.core.errors import BadInput, GensetError
from genset.core.files import sealed, unsealed, written_whole
from genset.core.validation import check
from genset.sets.photos import PhotoSet
from genset.sets.truths.files import read_truth, truth_of_dict
from genset.sets.truths.truth import Truth

FOLDER = ".truths"
"""The folder among the runs that truths are kept in."""

_FORMAT = "genset truth 1"


def with_truth(photos: PhotoSet, runs: Path) -> PhotoSet:
    """The set with its truth: a release's own, or what is kept for it; as it is without one.

    Args:
        photos: the set.
        runs: the folder of runs.

    Raises:
        GensetError: what is kept for it is damaged.
    """
    if photos.truth is not None:
        return photos
    # Predictions are scored on a table alone, and count for the set once its photos are there.
    for set_hash in filter(None, (photos.content_hash, photos.list_hash)):
        if (path := _path(runs, set_hash)).is_file():
            return replace(photos, truth=_load(path, photos.name))
    return photos


def keep_truth(photos: PhotoSet, truth: Truth, runs: Path) -> str:
    """Keep a truth for the set, in place of the one that it had, if any.

    Args:
        photos: the set.
        truth: for its photos.
        runs: the folder of runs.

    Returns:
        What it takes the place of: the other file's name; "" for none, and for the same one.

    Raises:
        OSError: it cannot be written.
    """
    path = _path(runs, photos.content_hash)
    try:
        before = with_truth(replace(photos, truth=None), runs).truth
    except GensetError:
        replaced = f"a damaged one ({path.name})"
    else:
        replaced = before.source if before and before.sha256 != truth.sha256 else ""
    document = {"set": photos.name, **msgspec.to_builtins(truth, order="sorted")}
    with written_whole(path) as file:
        file.write(sealed(_FORMAT, document))
    return replaced


def _path(runs: Path, set_hash: str) -> Path:
    return runs / FOLDER / f"{set_hash.removeprefix('sha256:')}.json"


def _load(path: Path, name: str) -> Truth:
    try:
        return check(unsealed(path.read_bytes(), _FORMAT), Truth, str(path))
    except (OSError, ValueError, BadInput) as error:
        raise GensetError(
            f"the truth of {name}, {path}, cannot be read ({error}): give it again with genset "
            "evaluate SET --multilabel FILE"
        ) from None


def give_truth(
    photos: PhotoSet, file: Path | Mapping[str, Any], runs: Path
) -> tuple[PhotoSet, str]:
    """Keep a file's truth for a set, in place of the one that the set had, if any.

    Args:
        photos: the set.
        file: see `genset.sets.truths.files`; or a dict, in the form of an object there.
        runs: the folder of runs.

    Returns:
        The set with it, and the name of the file that it replaces; "" for none.

    Raises:
        BadInput: the file does not fit the set, or the set is a release with a truth of its own.
        GensetError: it cannot be kept.
    """
    if photos.truth is not None and photos.truth.is_frozen:
        raise BadInput(
            f"{photos.name} has a truth of its own, from its labels, and a release never changes"
        )
    truth = read_truth(file, photos) if isinstance(file, Path) else truth_of_dict(file, photos)
    try:
        replaced = keep_truth(photos, truth, runs)
    except OSError as error:
        why = error.strerror or error
        raise GensetError(f"the truth of {photos.name} cannot be kept in {runs}: {why}") from None
    return replace(photos, truth=truth), replaced
