"""Give a set a truth from a file: read it, match it, keep it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from genset.core.errors import GensetError
from genset.sets.photo import PhotoSet
from genset.sets.truths.keep import check_takes_one, keep_truth
from genset.sets.truths.read import read_truth, truth_of_dict


def give_truth(
    photos: PhotoSet, file: Path | Mapping[str, Any], runs: Path
) -> tuple[PhotoSet, str]:
    """Keep a file's truth for a set, in place of the one that the set had, if any.

    Args:
        photos: the set.
        file: see `genset.sets.truths.read`; or a dict, in the form of an object there.
        runs: the folder of runs.

    Returns:
        The set with it, and the name of the file that it replaces; "" for none.

    Raises:
        BadInput: the file does not fit the set, or the set is a release with a truth of its own.
        GensetError: it cannot be kept.
    """
    check_takes_one(photos)  # before a file of many megabytes is read
    truth = read_truth(file, photos) if isinstance(file, Path) else truth_of_dict(file, photos)
    try:
        replaced = keep_truth(photos, truth, runs)
    except OSError as error:
        why = error.strerror or error
        raise GensetError(f"the truth of {photos.name} cannot be kept in {runs}: {why}") from None
    return replace(photos, truth=truth), replaced
