"""A photo is seen in random parts of the usual sizes, and mirrored every other time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from genset.finetune.fit.augment import random_part
from genset.models.preprocessing import Geometry

GEOMETRY = Geometry(resize=40, crop=32)


def ramp(width: int, height: int) -> Image.Image:
    """A photo whose red says how far to the right a pixel is, and whose green how far down."""
    across, down = np.linspace(0, 255, width), np.linspace(0, 255, height)
    red, green = np.meshgrid(across, down)
    return Image.fromarray(np.stack([red, green, 0 * red], axis=2).astype(np.uint8))


def seen(width: int, height: int, seed: int) -> tuple[float, float, bool]:
    """The width and height of the part that was seen, as shares of the photo; if mirrored."""
    part = random_part(ramp(width, height), GEOMETRY, np.random.default_rng(seed))
    red, green = part[..., 0].astype(float), part[..., 1].astype(float)
    across, down = red[0, -1] - red[0, 0], green[-1, 0] - green[0, 0]
    return abs(across) / 255, down / 255, across < 0


@settings(max_examples=50)
@given(width=st.integers(100, 300), height=st.integers(100, 300), seed=st.integers(0, 99))
def test_parts_have_the_usual_area_and_shape(width: int, height: int, seed: int) -> None:
    wide, high, _ = seen(width, height, seed)
    assert 0.06 < wide * high <= 1
    assert 0.65 < wide * width / (high * height) < 1.55


@given(width=st.integers(1, 60), height=st.integers(1, 60), seed=st.integers(0, 9))
def test_any_photo_has_a_part(width: int, height: int, seed: int) -> None:
    part = random_part(Image.new("RGB", (width, height)), GEOMETRY, np.random.default_rng(seed))
    assert part.shape == (32, 32, 3)
    assert part.dtype == np.uint8


def test_of_a_long_photo_the_middle_is_seen() -> None:
    wide, high, _ = seen(1200, 30, 0)
    assert high > 0.95
    assert 0.02 < wide < 0.05


def test_parts_differ_and_half_of_them_are_mirrored() -> None:
    found = [seen(150, 120, seed) for seed in range(200)]
    assert len({(round(wide, 2), round(high, 2)) for wide, high, _ in found}) > 100
    assert 70 < sum(mirrored for *_, mirrored in found) < 130
    assert 0.45 < np.mean([wide * high for wide, high, _ in found]) < 0.6


def test_the_same_draw_sees_the_same_part() -> None:
    photo = ramp(90, 70)
    first, again = (random_part(photo, GEOMETRY, np.random.default_rng((0, 1, 2))) for _ in "ab")
    assert np.array_equal(first, again)
