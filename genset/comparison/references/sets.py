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

if TYPE_CHECKING:
    from genset.sets.photos import PhotoSet
    from genset.sets.truths.truth import Truth

Named = Literal[
    "imagenet-val", "imagenetv2", "imagenet-sketch", "imagenet-a", "imagenet-r", "other"
]

IMAGENET: Named = "imagenet-val"
V2: Named = "imagenetv2"
OTHER: Named = "other"
TITLES: dict[Named, str] = {
    IMAGENET: "ImageNet’s validation set",
    V2: "ImageNetV2 (matched frequency)",
    "imagenet-sketch": "ImageNet-Sketch",
    "imagenet-a": "ImageNet-A",
    "imagenet-r": "ImageNet-R",
}
CHOICES: tuple[Named, ...] = (*TITLES, OTHER)

# Of all photos' names and classes (`_digest`), in ImageNet's own list and in ImageNetV2's.
_DIGESTS: dict[tuple[int, str], Named] = {
    (50_000, "8ffbd939061e51b43eb45b5cf0016ecada598dd57e523cd78863f63aed666b6c"): IMAGENET,
    (10_000, "be294bb448bbbb89a415106dc4f01a86c4629c14ff80bc39d1525270918487c8"): V2,
}
# Of the sorted wnids, in timm's lists of the classes of these sets.
_BY_CLASSES: dict[tuple[int, str], Named] = {
    (7_500, "ff8c384504d3ec59dd70537e83c7ed3dfa0debb07210febc47b58c136a443706"): "imagenet-a",
    (30_000, "354baa0a46566aa68cee6a8093d8de471b7d45a1004b81a95c6210f757ad3740"): "imagenet-r",
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
        return TITLES[self.name]

    @property
    def column(self) -> str:
        """The column of its accuracies in the published table."""
        return {IMAGENET: "imagenet", V2: "imagenetv2"}.get(
            self.name, self.name[len("imagenet-") :]
        )

    @property
    def is_of_some(self) -> bool:
        """Whether accuracies on it are published for a choice among its own 200 classes."""
        return self.name in _BY_CLASSES.values()


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
    if found:
        return WellKnownSet(found, f"by the names and classes of all {len(photos):,} photos")
    wnids = " ".join(sorted({photo.wnid for photo in photos.photos}))
    found = _BY_CLASSES.get((len(photos), hashlib.sha256(wnids.encode()).hexdigest()))
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
