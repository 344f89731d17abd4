"""`genset.Release`: a release as a data set that PyTorch's loaders take as it is.

    >>> import genset
    >>> photos = genset.Release("releases/v1", transform=preprocess)
    >>> image, target = photos[0]
    >>> photos.classes[target], photos.records[0].license
    ('n01440764', 'CC BY 2.0')

It needs no extra: Pillow comes with genset.
"""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from PIL import Image

from genset.errors import GensetError
from genset.release.reader import Release as Folder
from genset.release.reader import ReleasePhoto
from genset.taxonomy import imagenet1k


class Release:
    """A map-style data set of (image, target).

    Images are RGB, turned as their camera says nothing of: the stored pixels, as torchvision's
    ImageFolder gives them. Targets are the class's place among ImageNet's 1,000, as models number
    their outputs, also where the release lacks classes (ImageFolder counts those that it has).

    Attributes:
        root: the release's folder.
        name: its name, and `content_hash` what a score should be cited with.
        records: what the manifest tells of each photo, in the order of the items.
        classes: the 1,000 wnids in order.
        class_to_idx: each wnid's place among them.
        targets: the target of each item.
        transform: called with each image, if any; `target_transform` with each target.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[int], Any] | None = None,
    ) -> None:
        """Read the manifest in the folder `path`; photos are read one by one, when asked for.

        Raises:
            BadInput: it is no release, or has a class that is not ImageNet's.
        """
        folder = Folder.open(Path(path))
        self.root = folder.root
        self.name = folder.name
        self.content_hash = folder.content_hash
        self.records: Sequence[ReleasePhoto] = folder.photos
        self.classes = [each.wnid for each in imagenet1k()]
        self.class_to_idx = {wnid: place for place, wnid in enumerate(self.classes)}
        self.targets = [imagenet1k()[photo.wnid].index for photo in self.records]
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        """The image and the target at `place`, transformed.

        Raises:
            IndexError: there is no such place.
            GensetError: the photo cannot be read; ``genset release verify`` names what is wrong.
        """
        path = self.root / self.records[place].file
        try:
            with Image.open(path) as file:
                image: Any = file.convert("RGB")
        except OSError as error:
            raise GensetError(f"{path} cannot be read: {error}") from None
        target: Any = self.targets[place]
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __repr__(self) -> str:
        return f"genset.Release({str(self.root)!r}): {len(self):,} photos, {self.content_hash}"
