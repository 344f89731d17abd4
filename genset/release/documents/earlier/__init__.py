"""The documents of releases whose manifests do not say who made them, and how they were labeled.

They are made again byte for byte (``genset pull`` does), so nothing of it may change.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.release.documents import said
from genset.release.documents.earlier.card import data_card
from genset.release.documents.earlier.croissant import croissant
from genset.release.documents.earlier.licenses import licenses
from genset.release.documents.earlier.sources import places
from genset.release.reader import ReleasePhoto

__all__ = ["credited_via", "croissant", "data_card", "licenses"]


def credited_via(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> dict[str, str]:
    """What a credit line calls each source; nothing of the time when there was one."""
    every = () if said.is_before(manifest) else places(manifest, photos)
    return {place.name: place.credit for place in every}
