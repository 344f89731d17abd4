"""A JPEG that was cut off is rejected wherever it was cut; a grey photo that is whole is kept."""

import io
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from genset.core.errors import PhotoRejected
from genset.net.picture import check_picture
from tests.scrape.hostile import JPEG_END
from tests.scrape.test_duplicates import scene

GREY = (128, 128, 128)
WAYS = {
    "plain": {},
    "progressive": {"progressive": True},
    "full colour": {"subsampling": 0, "optimize": True},
    "restart marks": {"restart_marker_blocks": 7},
    "a restart mark a row": {"restart_marker_rows": 1},
}


def jpeg(image: Image.Image, **how: object) -> bytes:
    content = io.BytesIO()
    image.save(content, "JPEG", **{"quality": 85} | how)
    return content.getvalue()


def with_grey(image: Image.Image, *boxes: tuple[int, int, int, int]) -> Image.Image:
    """The image, with rectangles of the very grey that decoders fill in."""
    painted = image.copy()
    for box in boxes:
        painted.paste(GREY if image.mode == "RGB" else 128, box)
    return painted


def cut(content: bytes, place: int) -> bytes:
    """The file without its bytes from `place` on, but with an end mark."""
    return content[:place].rstrip(b"\xff") + JPEG_END


def is_refused(content: bytes) -> bool:
    try:
        check_picture(content)
    except PhotoRejected as rejected:
        assert rejected.reason in ("broken image", "not an image")
        return True
    return False


def shown(content: bytes) -> "np.ndarray[tuple[int, ...], np.dtype[np.int_]]":
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB")).astype(int)


def lacks_a_visible_part(whole: bytes, part: bytes) -> bool:
    """Whether an 8 x 8 corner or more is filled, and looks otherwise in the whole photo."""
    there, left = shown(whole), shown(part)
    corner = left[-8:, -8:]
    return bool((np.abs(corner - 127.5) <= 1).all() and np.abs(there - left).max() > 24)


def data_of(content: bytes) -> int:
    """Where the picture's first data begin."""
    return content.index(b"\xff\xda") + 12


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["RGB", "L"])
@given(seed=st.integers(0, 9), share=st.floats(0, 0.999))
def test_wherever_a_photo_is_cut_off_it_is_refused(
    way: str, mode: str, seed: int, share: float
) -> None:
    whole = jpeg(scene(seed, (150, 110)).convert(mode), **WAYS[way])
    start = data_of(whole)
    part = cut(whole, start + int(share * (len(whole) - start)))
    assert is_refused(part) or not lacks_a_visible_part(whole, part)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["RGB", "L"])
@given(
    seed=st.integers(0, 9),
    left=st.integers(0, 140),
    top=st.integers(0, 102),
    where=st.sampled_from(["corner", "right side", "frame", "anywhere"]),
)
def test_a_whole_photo_with_grey_in_it_is_kept(
    way: str, mode: str, seed: int, left: int, top: int, where: str
) -> None:
    width, height = 150, 110
    boxes = {
        "corner": [(max(left, 1), top, width, height)],
        "right side": [(max(left, 1), 0, width, height)],
        "frame": [(0, 0, width, 9), (0, 0, 9, height), (141, 0, width, height), (0, 94, 150, 110)],
        "anywhere": [(left, top, left + 10, top + 8)],
    }[where]
    image = with_grey(scene(seed, (width, height)).convert(mode), *boxes)
    whole = jpeg(image, **WAYS[way])
    assert not is_refused(whole)


@pytest.mark.parametrize("way", WAYS)
def test_a_photo_with_a_grey_frame_is_refused_where_it_is_cut_off(way: str) -> None:
    frame = (0, 0, 150, 9), (0, 100, 150, 110)
    whole = jpeg(with_grey(scene(1, (150, 110)), *frame), **WAYS[way])
    assert not is_refused(whole)
    start = data_of(whole)
    assert is_refused(cut(whole, start + (len(whole) - start) // 8))


def test_a_damaged_photo_that_was_encoded_anew_is_refused() -> None:
    assert is_refused(jpeg(with_grey(scene(1, (150, 110)), (0, 64, 150, 110))))
    assert is_refused(jpeg(with_grey(scene(1, (150, 110)), (80, 48, 150, 64), (0, 64, 150, 110))))
    assert is_refused(jpeg(Image.new("RGB", (150, 110), GREY)))


def test_a_grey_corner_before_a_cameras_preview_is_kept() -> None:
    content = io.BytesIO()
    photo = with_grey(scene(2, (150, 110)), (100, 80, 150, 110))
    photo.save(content, "MPO", save_all=True, append_images=[scene(3, (80, 60))])
    assert not is_refused(content.getvalue())


@pytest.mark.realdata
@pytest.mark.soak
def test_real_photos_are_kept_whole_and_with_a_grey_corner_and_refused_when_cut(
    realdata: Path,
) -> None:
    chance = random.Random(0)
    cuts = 0
    for path in sorted((realdata / "photos").glob("*/*.jpg"))[::10]:
        content = path.read_bytes()
        assert not is_refused(content), path
        with Image.open(path) as image:
            photo = image.convert("RGB")
        width, height = photo.size
        painted = with_grey(photo, (width // 2, height - height // 3, width, height))
        assert not is_refused(jpeg(painted, **chance.choice(list(WAYS.values())))), path
        start = data_of(content)
        for _ in range(6):
            part = cut(content, chance.randrange(start, len(content) - 2))
            rejected = is_refused(part)
            assert rejected or not lacks_a_visible_part(content, part), path
            cuts += rejected
    assert cuts > 300
