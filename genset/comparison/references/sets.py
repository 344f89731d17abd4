"""Which well-known set photos are: told by their names and classes, never by their folder's name.

ImageNet's validation photos and ImageNetV2's keep their file names in every layout that people make
of them (flat, or a folder a class), so a hash over all names and classes tells these sets for sure.
ImageNet-A and ImageNet-R are told by their 200 classes and how many photos they have. A set that
lacks a photo, or has one class corrected, is another set: published accuracies are not about it.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from genset.core.errors import BadInput

if TYPE_CHECKING:
    from genset.sets.photos import PhotoSet
    from genset.sets.truths.truth import Truth

Named = Literal[
    "imagenet-val", "imagenetv2", "imagenet-sketch", "imagenet-a", "imagenet-r", "other"
]

IMAGENET: Named = "imagenet-val"
V2: Named = "imagenetv2"
OTHER: Named = "other"
# What people call each, and the column of its accuracies in the published table.
_SETS: dict[Named, tuple[str, str]] = {
    IMAGENET: ("ImageNet’s validation set", "imagenet"),
    V2: ("ImageNetV2 (matched frequency)", "imagenetv2"),
    "imagenet-sketch": ("ImageNet-Sketch", "sketch"),
    "imagenet-a": ("ImageNet-A", "imagenet_a"),
    "imagenet-r": ("ImageNet-R", "imagenet_r"),
}
CHOICES: tuple[Named, ...] = (*_SETS, OTHER)

# Of all photos' names and classes (`_digest`), in ImageNet's own list and in ImageNetV2's.
_DIGESTS: dict[tuple[int, str], Named] = {
    (50_000, "8ffbd939061e51b43eb45b5cf0016ecada598dd57e523cd78863f63aed666b6c"): IMAGENET,
    (10_000, "be294bb448bbbb89a415106dc4f01a86c4629c14ff80bc39d1525270918487c8"): V2,
}
# How many photos, and a digest of the wnids in timm's lists of the classes of these sets.
_BY_CLASSES: dict[Named, tuple[int, str]] = {
    "imagenet-a": (7_500, "f6aa4b23244554d9b864fd715ae20048f6a9686388911b2dfbf1ada01bf0f520"),
    "imagenet-r": (30_000, "e19a59d84e3746fafd34d2ccf6ae604a44e9a0500a596f343c878a89e30ce624"),
}
# Of ReaL's right classes of each of ImageNet's validation photos that has any.
_WITH_REAL = 46_837
_REAL = "4d9317b212e36d992766a8eb6fd22e32896c2e7f29315f0bac45488ab8bc8c10"

_NUMBERED = re.compile(r"ILSVRC2012_val_([0-9]{8})")


@dataclass(frozen=True, slots=True)
class WellKnownSet:
    """A well-known set.

    Attributes:
        name: such as "imagenet-val".
        how: it was recognized, in a few words.
    """

    name: Named
    how: str

    @property
    def title(self) -> str:
        """What people call it."""
        return _SETS[self.name][0]

    @property
    def column(self) -> str:
        """The column of its accuracies in the published table."""
        return _SETS[self.name][1]

    @property
    def has_200_classes(self) -> bool:
        """Whether accuracies on it are published for a choice among its own 200 classes."""
        return self.name in _BY_CLASSES


def recognize(photos: "PhotoSet", name: Named | None = None) -> WellKnownSet | None:
    """The well-known set that photos are; None for any other.

    Args:
        photos: the set.
        name: the set's name if somebody says which it is, "other" if it is none; None: find out.

    Raises:
        BadInput: accuracies on the set that `name` says are of a choice among other classes.
    """
    if name == OTHER:
        return None
    wnids = {photo.wnid for photo in photos.photos}
    seen = len(photos), _digest(wnids)
    if name in _BY_CLASSES and _BY_CLASSES[name][1] != seen[1]:
        raise BadInput(
            f"--set-is {name}: the {len(wnids):,} classes of these photos are not its 200, among "
            "which accuracies on it are published: leave --set-is out"
        )
    if name:
        return WellKnownSet(name, "by --set-is")
    found = recognize_names((photo.id, photo.wnid) for photo in photos.photos)
    if found:
        return WellKnownSet(found, f"by the names and classes of all {len(photos):,} photos")
    found = next((name for name, known in _BY_CLASSES.items() if known == seen), None)
    return WellKnownSet(found, f"by its 200 classes and {len(photos):,} photos") if found else None


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
