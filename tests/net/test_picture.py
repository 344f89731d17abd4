"""Which bytes become a candidate's picture; test_hostile has those that do not."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from genset.core.errors import PhotoRejected
from genset.net.picture import check_picture
from tests.scrape.hostile import encoded, turned_by_exif, two_frames

ACCEPTED = {
    "JPEG": (encoded("JPEG"), "JPEG"),
    "progressive JPEG": (encoded("JPEG", progressive=True), "JPEG"),
    "grey JPEG": (encoded("JPEG", "L"), "JPEG"),
    "CMYK JPEG": (encoded("JPEG", "CMYK"), "JPEG"),
    "JPEG turned by EXIF": (turned_by_exif(), "JPEG"),
    "JPEG with a camera's preview behind it": (two_frames("MPO"), "JPEG"),
    "PNG": (encoded("PNG"), "PNG"),
    "palette PNG": (encoded("PNG", "P"), "PNG"),
    "transparent PNG": (encoded("PNG", "RGBA"), "PNG"),
    "16-bit PNG": (encoded("PNG", "I;16"), "PNG"),
    "WebP": (encoded("WEBP"), "WEBP"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_photos_are_accepted_with_the_pixels_of_their_file(name: str) -> None:
    content, kind = ACCEPTED[name]
    assert check_picture(content)[:3] == (kind, 40, 30)


@given(
    name=st.sampled_from(sorted(ACCEPTED)),
    changes=st.lists(st.tuples(st.floats(0, 0.999), st.binary(max_size=4)), max_size=6),
    cut=st.floats(0, 1),
)
@settings(max_examples=400)
@pytest.mark.filterwarnings("ignore::UserWarning")  # from the test's own look at the picture
def test_any_damage_to_a_photo_leaves_a_picture_or_a_refusal(
    name: str, changes: list[tuple[float, bytes]], cut: float
) -> None:
    content = bytearray(ACCEPTED[name][0])
    for place, new in changes:
        start = int(place * len(content))
        content[start : start + 2] = new
    picture_or_refusal(bytes(content))
    picture_or_refusal(bytes(content[: int(cut * len(content))]))


def picture_or_refusal(content: bytes) -> None:
    try:
        picture = check_picture(content)
    except PhotoRejected as rejected:
        assert rejected.reason in {"not an image", "animated", "broken image", "too many pixels"}
    else:
        with Image.open(io.BytesIO(content)) as image:
            assert image.size == (picture.width, picture.height)
