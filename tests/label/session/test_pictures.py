"""Photos as the page shows them."""

import io
from pathlib import Path

import pytest
from PIL import Image

from genset.core.errors import GensetError
from genset.label.session.pictures import shown_picture

RED, BLUE = (255, 0, 0), (0, 0, 255)


def shown(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(shown_picture(path)))


def is_like(pixel: object, color: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(a - b) < 30 for a, b in zip(pixel, color, strict=True))


def test_a_large_photo_is_scaled_down_and_turned_upright(tmp_path: Path) -> None:
    image = Image.new("RGB", (4000, 2000), RED)
    image.paste(BLUE, (2000, 0, 4000, 2000))  # the right half
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: the picture's left is up
    image.save(tmp_path / "photo.jpg", exif=exif)

    picture = shown(tmp_path / "photo.jpg")

    assert picture.size == (700, 1400)
    smaller = Image.open(io.BytesIO(shown_picture(tmp_path / "photo.jpg", 350)))
    assert smaller.size == (175, 350)
    assert is_like(picture.getpixel((350, 100)), RED)
    assert is_like(picture.getpixel((350, 1300)), BLUE)


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("RGB", "webp"),
        ("CMYK", "jpeg"),
        ("L", "png"),
        ("P", "png"),
        ("I;16", "png"),
        ("1", "png"),
        ("RGBA", "png"),
    ],
)
def test_every_kind_of_photo_becomes_a_jpeg(tmp_path: Path, mode: str, kind: str) -> None:
    Image.new(mode, (30, 20)).save(tmp_path / "photo", kind)

    picture = shown(tmp_path / "photo")

    assert (picture.format, picture.mode, picture.size) == ("JPEG", "RGB", (30, 20))
    if mode == "RGBA":  # what is transparent is shown white
        assert is_like(picture.getpixel((5, 5)), (255, 255, 255))


def test_a_missing_and_a_broken_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(GensetError, match=r"gone\.jpg is missing"):
        shown_picture(tmp_path / "gone.jpg")

    Image.new("RGB", (300, 200), RED).save(tmp_path / "half.jpg")
    whole = (tmp_path / "half.jpg").read_bytes()
    (tmp_path / "half.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GensetError, match=r"half\.jpg is not a picture"):
        shown_picture(tmp_path / "half.jpg")
