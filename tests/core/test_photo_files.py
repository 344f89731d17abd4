"""Photos of more than 8 bits a value are what their 8-bit version is; files lose their metadata."""

import base64
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms

import genset
from genset.core.metadata import stripped
from genset.core.pixels import eight_bit
from genset.db import Verdict
from genset.label.session.pictures import shown_picture
from genset.reporting.pictures import thumbnail
from tests.commands import run
from tests.labeled_workspace import TENCH, add_candidate, labeled_workspace, vote

# What is painted here: soft forms, from black to white.
SCENE = np.asarray(
    Image.fromarray(np.random.default_rng(5).integers(0, 256, (6, 8), np.uint8)).resize((320, 240))
)

# A grey photo in more than 8 bits, from its 8-bit version; saved as...
DEEP: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str]] = {
    "16 bits, png": (lambda grey: grey.astype(np.uint16) * 257, "png"),
    "16 bits, lower ones of any kind": (lambda grey: grey.astype(np.uint16) * 256 + 99, "png"),
    "16 bits, tiff": (lambda grey: grey.astype(np.uint16) * 257, "tiff"),
    "32 bits, to 65,535": (lambda grey: grey.astype(np.int32) * 257, "tiff"),
    "32 bits, to 255": (lambda grey: grey.astype(np.int32), "tiff"),
    "fractions to 1": (lambda grey: grey.astype(np.float32) / 255, "tiff"),
    "fractions to 255": (lambda grey: grey.astype(np.float32), "tiff"),
}


def deep(name: str, folder: Path, grey: np.ndarray = SCENE) -> Path:
    """The photo of this name, in a file."""
    make, suffix = DEEP[name]
    path = folder / f"deep.{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(make(grey)).save(path)
    return path


def flat(folder: Path, grey: np.ndarray = SCENE) -> Path:
    """Its 8-bit version."""
    path = folder / "flat.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(grey).save(path)
    return path


def command(*words: object, cwd: Path) -> str:
    done = run(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", DEEP)
def test_the_pixels_are_those_of_the_8_bit_version(tmp_path: Path, name: str) -> None:
    with Image.open(deep(name, tmp_path)) as image:
        assert image.mode not in ("L", "RGB")
        off = np.abs(np.asarray(eight_bit(image)).astype(int) - SCENE)
    assert off.max() <= ("fractions to 1" in name)  # which are rounded


@given(st.lists(st.integers(0, 65535), min_size=1, max_size=20))
def test_16_bits_keep_their_upper_8(values: list[int]) -> None:
    image = Image.fromarray(np.array([values], np.uint16))
    assert np.asarray(eight_bit(image)).tolist() == [[value >> 8 for value in values]]


def test_8_bit_pictures_are_left_alone() -> None:
    for mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr"):
        image = Image.new(mode, (4, 3))
        assert eight_bit(image) is image


def test_a_pool_and_a_file_of_hashes_know_both_as_one(tmp_path: Path) -> None:
    command("init", "work", cwd=tmp_path)
    deep("16 bits, png", tmp_path / "photos" / "n01440764")
    flat(tmp_path / "photos" / "n02123045")
    command("hash", "photos", "-o", "photos.hashes", cwd=tmp_path)
    hashes = (tmp_path / "photos.hashes").read_text().splitlines()[-3:-1]
    one, other = (line.split() for line in hashes)
    assert one[0] == other[0] and one[1] != other[1]
    command("add", "../photos", cwd=tmp_path / "work")
    found = command("duplicates", "find", cwd=tmp_path / "work")
    assert found.startswith("1 new pair,"), found


def test_page_report_and_release_show_it_as_it_is(tmp_path: Path) -> None:
    path, same = deep("16 bits, png", tmp_path), flat(tmp_path)
    assert shown_picture(path) == shown_picture(same)
    assert thumbnail(path) == thumbnail(same)
    page = Image.open(io.BytesIO(base64.b64decode(str(thumbnail(path)).partition(",")[2])))
    assert np.asarray(page).std() > 20  # no white sheet
    workspace, store = labeled_workspace(tmp_path / "work", photos=0)
    content = path.read_bytes()
    vote(store, add_candidate(workspace, store, TENCH, 1, content=content), "Ann", Verdict.CORRECT)
    store.close()
    command("release", "create", "v1", cwd=workspace.root)
    image, target = genset.Release(workspace.releases / "v1")[0]
    assert target == 0
    assert np.array_equal(np.asarray(image), np.repeat(SCENE[..., None], 3, axis=2))


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
