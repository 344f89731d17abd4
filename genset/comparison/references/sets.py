"""Which well-known set photos are: told by their names and classes, never by their folder's name.

ImageNet's validation photos and ImageNetV2's keep their file names in every layout that people make
of them (flat, or a folder a class), so a hash over all names and classes tells these sets for sure.
A set that lacks a photo, or has one class corrected, is another set: published accuracies are not
about it.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from genset.sets.photos import PhotoSet
    from genset.sets.truths.truth import Truth

Named = Literal["imagenet-val", "imagenetv2", "imagenet-sketch", "other"]

IMAGENET: Named = "imagenet-val"
V2: Named = "imagenetv2"
SKETCH: Named = "imagenet-sketch"
OTHER: Named = "other"
CHOICES: tuple[Named, ...] = (IMAGENET, V2, SKETCH, OTHER)
TITLES = {
    IMAGENET: "ImageNet’s validation set",
    V2: "ImageNetV2 (matched frequency)",
    SKETCH: "ImageNet-Sketch",
}

# Of all photos' names and classes (`_digest`), in ImageNet's own list and in ImageNetV2's.
_DIGESTS: dict[tuple[int, str], Named] = {
    (50_000, "8ffbd939061e51b43eb45b5cf0016ecada598dd57e523cd78863f63aed666b6c"): IMAGENET,
    (10_000, "be294bb448bbbb89a415106dc4f01a86c4629c14ff80bc39d1525270918487c8"): V2,
}
# Of ReaL's right classes of each of ImageNet's validation photos that has any.
_WITH_REAL = 46_837
_REAL = "4d9317b212e36d992766a8eb6fd22e32896c2e7f29315f0bac45488ab8bc8c10"

_NUMBERED = re.compile(r"ILSVRC2012_val_([0-9]{8})")


@dataclass(frozen=True, slots=True)
class WellKnownSet:
    """A well-known set.

    Attributes:
        name: "imagenet-val", "imagenetv2" or "imagenet-sketch".
        how: it was recognized, in a few words.
    """

    name: Named
    how: str

    @property
    def title(self) -> str:
        """What people call it."""
        return TITLES[self.name]

    @property
    def column(self) -> str:
        """The column of its accuracies in the published table."""
        return {IMAGENET: "imagenet", SKETCH: "sketch"}.get(self.name, "imagenetv2")


def recognize(photos: "PhotoSet", name: Named | None = None) -> WellKnownSet | None:
    """The well-known set that photos are; None for any other.

    Args:
        photos: the set.
        name: the set's name if somebody says which it is, "other" if it is none; None: find out.
    """
    if name == OTHER:
        return None
    if name:
        return WellKnownSet(name, "by --set-is")
    found = recognize_names((photo.id, photo.wnid) for photo in photos.photos)
    if found is None:
        return None
    return WellKnownSet(found, f"by the names and classes of all {len(photos):,} photos")


def recognize_names(photos: Iterable[tuple[str, str]]) -> Named | None:
    """The same, of photos' ids and classes alone."""
    listed = list(photos)
    if len(listed) not in {count for count, _ in _DIGESTS}:
        return None
    digest = _digest(f"{_stem(image)} {wnid}" for image, wnid in listed)
    return _DIGESTS.get((len(listed), digest))


def is_real(truth: "Truth | None") -> bool:
    """Whether a truth of ImageNet's validation photos is ReaL's."""
    if truth is None or truth.with_correct != _WITH_REAL:
        return False
    listed = ((_stem(image), sorted(wnids)) for image, wnids in truth.correct.items() if wnids)
    return _digest(f"{name} {' '.join(wnids)}" for name, wnids in listed) == _REAL


def _stem(image: str) -> str:
    """A photo's file name without folders, ending and what data sets add to it."""
    name = image.rpartition("/")[2]
    numbered = _NUMBERED.search(name)
    return numbered[0] if numbered else name.partition(".")[0]


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
