"""From a photo's file to the pixels that networks take: decoded once, cut once per geometry.

JPEG files, which most are, are decoded by torchvision: the same library as Pillow's, bit for bit
the same pixels, in half the time. All else is Pillow's (and a JPEG file that is not plain: in CMYK,
huge, damaged), so that each photo is what it is to everyone.

Decoding is "exact" where the photo is then resized by Pillow, as torchvision's and timm's own
pipelines do, or "fast" where torchvision does it: a few pixels in a thousand are then off by one
of 255.
"""

import hashlib
import io
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import PIL
import torch
import torchvision
from PIL import Image
from torch import Tensor
from torchvision.io import ImageReadMode, decode_jpeg
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional

from genset.core.errors import GensetError, PhotoRejected
from genset.models.preprocessing import CustomTransform, Geometry, Pixels, corner, cut, resized_to
from genset.sets.formats import BROKEN, decoded, why_not
from genset.sets.photos import HasBytes, PhotoSet

# Pillow checks a photo's size before it decodes it; torchvision does not.
_LARGE = 40_000_000
_BY_TORCHVISION = ("bilinear", "bicubic")


def crops(photo: HasBytes, geometries: Sequence[Geometry], decoding: str = "exact") -> list[Pixels]:
    """A photo's pixels for each geometry.

    Args:
        photo: the photo, or the path of its file.
        geometries: what is wanted of it; the photo is decoded once.
        decoding: "exact" or "fast".

    Returns:
        For each geometry crop x crop x 3 uint8, red, green and blue; or what a caller's own
        transform gives.

    Raises:
        PhotoRejected: it cannot be read or decoded.
    """
    try:
        content = photo.read_bytes()
        pixels = _plain_jpeg(content)
        with _of_pillow(content, pixels) as image:
            return [
                _cut_fast(pixels, geometry)
                if decoding == "fast" and pixels is not None and _can_be_fast(geometry)
                else cut(image, geometry)
                for geometry in geometries
            ]
    except BROKEN as error:
        raise PhotoRejected("unreadable", why_not(error, photo)) from None


def opened(photo: HasBytes) -> Image.Image:
    """A whole photo in red, green and blue.

    Raises:
        PhotoRejected: it cannot be read or decoded.
    """
    try:
        content = photo.read_bytes()
        return _of_pillow(content, _plain_jpeg(content))
    except BROKEN as error:
        raise PhotoRejected("unreadable", why_not(error, photo)) from None


def _can_be_fast(geometry: Geometry) -> bool:
    if isinstance(geometry, CustomTransform):
        return False
    return geometry.fit != "longer" and geometry.interpolation in _BY_TORCHVISION


def _cut_fast(pixels: Tensor, geometry: Geometry) -> Pixels:
    height, width = pixels.shape[-2:]
    wide, high = resized_to(width, height, geometry)
    resized = functional.resize(
        pixels, [high, wide], InterpolationMode(geometry.interpolation), antialias=True
    )
    side = geometry.crop
    x, y = corner(wide, geometry), corner(high, geometry)
    square = resized[:, y : y + side, x : x + side]
    cut_out: Pixels = square.permute(1, 2, 0).contiguous().numpy()
    return cut_out


def _of_pillow(content: bytes, pixels: Tensor | None) -> Image.Image:
    if pixels is not None:
        return Image.fromarray(pixels.permute(1, 2, 0).numpy())
    return decoded(content)


def _plain_jpeg(content: bytes) -> Tensor | None:
    """3 x H x W, if it is JPEG in grey or colour that decodes without a complaint."""
    try:
        with warnings.catch_warnings():
            # That a photo is huge; that the bytes cannot be written to; that torchvision's decoder
            # may go away.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=["JPEG"]) as image:
                if image.mode not in ("L", "RGB") or image.width * image.height > _LARGE:
                    return None
            encoded = torch.frombuffer(content, dtype=torch.uint8)
            whole: Tensor = decode_jpeg(encoded, mode=ImageReadMode.RGB)
    except (*BROKEN, RuntimeError):
        return None
    return whole


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
        identity = {
            "set": photos.content_hash,
            "geometry": asdict(geometry),
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
