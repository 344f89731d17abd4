"""Pixels of a set's photos, cut for one geometry, on disk: a later run need not decode them.

A file holds N x S x S x 3 bytes that all processes map into memory, and one beside it N bytes that
say which photos are there.
"""

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

import numpy as np
import PIL
import torchvision

from genset.core.errors import GensetError
from genset.models.preprocessing import Geometry
from genset.score.transforms import Pixels
from genset.sets.photos import PhotoSet


class PixelCache:
    """The pixels of one set for one geometry. Several processes may fill it at once."""

    def __init__(
        self, folder: Path, photos: PhotoSet, geometry: Geometry, decoding: str = "exact"
    ) -> None:
        """Open it, or make it as long as it will be.

        Args:
            folder: where caches are kept.
            photos: the set.
            geometry: what was done to the photos.
            decoding: "exact" or "fast".

        Raises:
            GensetError: it cannot be made.
        """
        settings = asdict(geometry)
        if not geometry.floored:  # which caches from before it do not name
            del settings["floored"]
        identity = {
            "set": photos.content_hash,
            "geometry": settings,
            "decoding": decoding,
            "versions": [PIL.__version__, torchvision.__version__],
        }
        name = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
        side = geometry.crop
        self._shape = (len(photos.photos), side, side, 3)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._pixels = _mapped(folder / f"{name}.pixels", self._shape)
            self._there = _mapped(folder / f"{name}.there", self._shape[:1])
        except OSError as error:
            raise GensetError(f"the cache {folder} cannot be made: {error.strerror}") from None
        self._new: list[int] = []

    def get(self, index: int) -> Pixels | None:
        """A photo's pixels, if they are there."""
        return self._pixels[index] if self._there[index] else None

    def put(self, index: int, pixels: Pixels) -> None:
        """Keep a photo's pixels, if they are new; they are there after the next `flush`."""
        if not self._there[index]:
            self._pixels[index] = pixels
            self._new.append(index)

    def flush(self) -> None:
        """Write what is new to the disk, and only then say that it is there."""
        if self._new:
            new, self._new = self._new, []
            self._pixels.flush()
            self._there[new] = 1
            self._there.flush()


def _mapped(path: Path, shape: tuple[int, ...]) -> "np.memmap[tuple[int, ...], np.dtype[np.uint8]]":
    # Its room is taken at once: where a disk is full, a mapped write would end the process.
    with path.open("ab") as file:
        os.posix_fallocate(file.fileno(), 0, int(np.prod(shape)))
    return np.memmap(path, np.uint8, "r+", shape=shape)
