"""A photo's file without what it says beside its pixels."""

import io

import numpy as np
import pytest
from PIL import Image, ImageCms

from genset.core.metadata import stripped

XMP = b"<dc:creator>Ann</dc:creator><photoshop:City>Bonn</photoshop:City>"


def photo(kind: str, orientation: int, progressive: bool = False) -> bytes:
    pixels = np.random.default_rng(0).integers(0, 255, (40, 60, 3), np.uint8)
    exif = Image.Exif()
    exif[0x013B], exif[0x0112] = "Ann Smith", orientation
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (7.0, 5.0, 1.0)}
    more = {"comment": b"Ann was here", "progressive": progressive} if kind == "JPEG" else {}
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, exif=exif, xmp=XMP, icc_profile=profile, **more)
    return file.getvalue() + (b"\xff\xd8Ann's preview\xff\xd9" if kind == "JPEG" else b"")


@pytest.mark.parametrize("orientation", [1, 6])
@pytest.mark.parametrize("kind", ["JPEG", "PROGRESSIVE", "PNG"])
def test_pixels_orientation_and_profile_stay_and_nothing_else(kind: str, orientation: int) -> None:
    before = photo(kind.replace("PROGRESSIVE", "JPEG"), orientation, kind == "PROGRESSIVE")
    after = stripped(before, "a.jpg")
    assert b"Ann" in before and b"Ann" not in after and b"Bonn" not in after
    with Image.open(io.BytesIO(before)) as old, Image.open(io.BytesIO(after)) as new:
        assert (np.asarray(old) == np.asarray(new)).all()
        assert new.info["icc_profile"] == old.info["icc_profile"]
        assert new.getexif().get(0x0112, 1) == orientation
        assert set(new.getexif()) <= {0x0112}
    assert stripped(after, "a.jpg") == after
