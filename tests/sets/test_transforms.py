"""Photos become the very pixels that torchvision's and timm's own transforms give."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from timm.data.transforms_factory import transforms_imagenet_eval
from torchvision.transforms import v2

from genset.core.errors import PhotoRejected
from genset.core.pixels import eight_bit
from genset.models.preprocessing import Geometry, Preprocessing, cut
from genset.score.pixels import crops
from tests.score.real import scored, some_photos

GEOMETRY = Geometry(resize=96, crop=80)


def noise(width: int, height: int) -> Image.Image:
    random = np.random.default_rng(width * 10_000 + height)
    coarse = random.integers(0, 256, (max(1, height // 4), max(1, width // 4), 3), np.uint8)
    return Image.fromarray(coarse).resize((width, height))


@given(
    width=st.integers(1, 200),
    height=st.integers(1, 200),
    side=st.integers(8, 64),
    share=st.floats(0.5, 1.0),
    mode=st.sampled_from(["center", "squash", "border"]),
    interpolation=st.sampled_from(["bilinear", "bicubic"]),
)
def test_a_photo_is_cut_as_timm_cuts_it(
    width: int, height: int, side: int, share: float, mode: str, interpolation: str
) -> None:
    mean = (0.5, 0.4, 0.3)
    photo = noise(width, height)
    if mode == "border" and min(width, height) / max(width, height) * side / share < 1:
        return  # timm itself fails at a photo that becomes a line without a width
    config = {
        "input_size": (3, side, side),
        "crop_pct": share,
        "crop_mode": mode,
        "interpolation": interpolation,
        "mean": mean,
        "std": (0.2, 0.2, 0.2),
    }
    theirs = transforms_imagenet_eval(
        side, share, mode, interpolation=interpolation, mean=mean, normalize=False
    )
    expected = theirs(photo).permute(1, 2, 0).numpy()
    assert np.array_equal(cut(photo, Preprocessing.of_timm(config).geometry), expected)


def saved(folder: Path, name: str, photo: Image.Image, **how: Any) -> Path:
    photo.save(folder / name, **how)
    return folder / name


def every_file(folder: Path) -> dict[str, Path]:
    photo = noise(150, 120)
    turned = Image.Exif()
    turned[0x0112] = 6
    large = Image.fromarray(np.arange(120 * 150, dtype=np.uint16).reshape(120, 150))
    return {
        "plain": saved(folder, "plain.jpg", photo),
        "progressive": saved(folder, "progressive.jpg", photo, progressive=True),
        "full colour": saved(folder, "444.jpg", photo, subsampling=0),
        "grey": saved(folder, "grey.jpg", photo.convert("L")),
        "cmyk": saved(folder, "cmyk.jpg", photo.convert("CMYK")),
        "turned": saved(folder, "turned.jpg", photo, exif=turned),
        "palette": saved(folder, "palette.png", photo.convert("P")),
        "transparent": saved(folder, "transparent.png", photo.convert("RGBA")),
        "16 bit": saved(folder, "16.png", large),
        "webp": saved(folder, "photo.webp", photo),
        "png named jpg": saved(folder, "png.jpg", photo, format="PNG"),
    }


def test_every_kind_of_file_gives_the_pixels_that_pillow_and_torchvision_give(
    tmp_path: Path,
) -> None:
    theirs = v2.Compose([v2.Resize(96), v2.CenterCrop(80)])
    for kind, path in every_file(tmp_path).items():
        with Image.open(path) as image:
            flat = eight_bit(image) if kind == "16 bit" else image  # Pillow would make it white
            expected = np.asarray(theirs(flat.convert("RGB")))
        assert np.array_equal(crops(path, [GEOMETRY])[0], expected), kind
        (fast,) = crops(path, [GEOMETRY], "fast")
        assert np.abs(fast.astype(int) - expected).max() <= 2, kind


def test_one_decoding_gives_every_geometry_and_what_is_no_whole_photo_one_line(
    tmp_path: Path,
) -> None:
    path = saved(tmp_path, "plain.jpg", noise(150, 120))
    geometries = [GEOMETRY, Geometry(64, 64, "bicubic"), Geometry(50, 40, fit="both")]
    for together, geometry in zip(crops(path, geometries), geometries, strict=True):
        assert np.array_equal(together, crops(path, [geometry])[0])
    whole = path.read_bytes()
    for content in (
        whole[:-200],
        b"I am no photo.",
        b"",
        whole[:160] + bytes(60) + whole[220:],  # with a broken header
    ):
        path.write_bytes(content)
        with pytest.raises(PhotoRejected) as refused:
            crops(path, [GEOMETRY])
        assert "\n" not in str(refused.value)


@pytest.mark.realdata
@pytest.mark.soak
def test_fast_decoding_answers_as_exact_decoding_does(realdata: Path, tmp_path: Path) -> None:
    photos = some_photos(realdata, tmp_path / "photos", classes=60, each=2)
    spec = f"file:{realdata}/checkpoints/squeezenet1_0.pth?arch=torchvision:squeezenet1_0"
    run, exact = scored(photos, spec, tmp_path / "exact")
    other, fast = scored(photos, spec, tmp_path / "fast", decoding="fast")
    same = sum(exact[image][0] == fast[image][0] for image in exact)
    assert same / len(exact) >= 0.995
    assert other.preprocessing == {**run.preprocessing, "decoding": "fast"}
