"""How the photos of two years of a protocol were labeled.

Photos that fewer labelers call correct are harder for models: a set whose photos have another
selection frequency has another accuracy, whatever the photos are.

Sources: Recht et al., "Do ImageNet Classifiers Generalize to ImageNet?", 2019; Engstrom et al.,
"Identifying Statistical Bias in Dataset Replication", 2020.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from genset.release.reader import Release
from genset.reporting.series.yearly import Labels
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import Matched, match


def labeled(first: Release, second: Release, how: Resampling) -> Labels:
    """What two releases say of their labels.

    Args:
        first, second: the years.
        how: how classes are resampled.
    """
    later, other = (second, first) if second.created_at >= first.created_at else (first, second)
    told = later.protocol or {}
    return Labels(
        frequency=_frequencies(first, second, how),
        votes=_number(told, "labels"),
        common=next(
            (
                _number(each, "labels_in_common")
                for each in told.get("earlier") or ()
                if isinstance(each, Mapping) and each.get("name") == other.name
            ),
            None,
        ),
    )


def _number(told: Mapping[str, Any], name: str) -> int | None:
    found = told.get(name)
    return found if isinstance(found, int) else None


def _frequencies(first: Release, second: Release, how: Resampling) -> Matched | None:
    """Selection frequencies over the classes that both have; None where there are none."""
    photos = [
        (photo.wnid, photo.selection_frequency, is_second)
        for release, is_second in ((first, False), (second, True))
        for photo in release.photos
        if photo.selection_frequency is not None
    ]
    if not photos:
        return None
    wnids, frequencies, side = zip(*photos, strict=True)
    _, classes = np.unique(np.array(wnids), return_inverse=True)
    right = np.array(frequencies)[:, None]
    (found,) = match(
        classes.astype(np.int64), right, np.ones_like(right, bool), np.array(side), how
    )
    return found if found.classes else None
