"""Photos that look alike: found, proposed, decided by somebody."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.core.hashes import BITS, hash_lines, read_hashes
from genset.core.pixels import fingerprint, variants
from genset.db import DuplicatePair, Photo, Store, stored_candidates
from genset.label.duplicates import decide, open_pairs
from genset.scrape.near_duplicates import hash_folder, propose
from genset.workspace import Workspace
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate
from tests.scrape.commands import genset


def scene(seed: int, size: tuple[int, int] = (320, 240)) -> Image.Image:
    """A picture with large and small forms, as photos have; each seed's is another."""
    random = np.random.default_rng(seed)
    coarse = Image.fromarray(random.integers(0, 256, (6, 8, 3), np.uint8))
    return coarse.resize(size, Image.Resampling.BICUBIC)


def jpeg(image: Image.Image, quality: int = 85) -> bytes:
    content = io.BytesIO()
    image.save(content, "JPEG", quality=quality)
    return content.getvalue()


def shaved(image: Image.Image) -> Image.Image:
    """Without 4 % of its left side and its top."""
    width, height = image.size
    return image.crop((round(width * 0.04), round(height * 0.04), width, height))


COPIES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "encoded again": lambda image: Image.open(io.BytesIO(jpeg(image, 50))),
    "half as large": lambda image: image.resize((image.width // 2, image.height // 2)),
    "mirrored": ImageOps.mirror,
    "cropped": shaved,
    "cropped and mirrored": lambda image: ImageOps.mirror(shaved(image)),
}


def distance(image: Image.Image, copy: Image.Image) -> int:
    """The least distance between a look of the image and the copy."""
    return min((look ^ fingerprint(copy)).bit_count() for look in variants(image))


# Fingerprints


def test_a_copy_is_near_a_look_of_its_original_and_other_things_are_far() -> None:
    for seed in range(20):
        image = scene(seed)
        for name, copy in COPIES.items():
            assert distance(image, copy(image)) <= BITS, name
    looks = [variants(scene(seed)) for seed in range(40)]
    for place, mine in enumerate(looks):
        for other in looks[:place]:
            assert min((look ^ other[0]).bit_count() for look in mine) > BITS
    for mode in ("1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "F"):
        assert 0 <= fingerprint(Image.new(mode, (7, 3))) < 2**64


def test_a_photo_is_hashed_as_it_is_shown() -> None:
    upright = scene(1)
    content = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held on its side
    upright.transpose(Image.Transpose.ROTATE_90).save(content, "JPEG", quality=95, exif=exif)
    assert (fingerprint(Image.open(content)) ^ fingerprint(upright)).bit_count() <= 2


# Files of hashes


def test_a_folder_of_photos_becomes_a_file_of_hashes(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    for name, seed in (("n1/a b.jpg", 1), ("n2/ü.png", 2)):
        (photos / name).parent.mkdir(parents=True, exist_ok=True)
        scene(seed).save(photos / name)
    (photos / "n2" / "broken.jpg").write_bytes(b"no photo")
    count, unreadable = hash_folder(photos, tmp_path / "set.hashes")
    assert (count, unreadable) == (2, ["n2/broken.jpg"])
    found = read_hashes(tmp_path / "set.hashes")
    assert found.photos == ("n1/a b.jpg", "n2/ü.png")
    for number, seed in zip(found.hashes, (1, 2), strict=True):
        assert (int(number) ^ fingerprint(scene(seed))).bit_count() <= 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="no photos"):
        hash_folder(tmp_path / "empty", tmp_path / "other.hashes")
    assert not (tmp_path / "other.hashes").exists()


# Pairs


@pytest.fixture
def place(tmp_path: Path) -> tuple[Workspace, Store]:
    """A pool in which photo 2 is a crop of photo 1, and 3 and 4 are alone."""
    workspace = Workspace.create(tmp_path / "work")
    store = Store.open(workspace.store_url)
    contents = {1: scene(1), 2: shaved(scene(1)), 3: scene(3), 4: scene(4)}
    for number, image in contents.items():
        wnid = GOLDFISH if number == 2 else TENCH
        add_candidate(workspace, store, wnid, number, content=jpeg(image))
    return workspace, store


def left(store: Store) -> list[str]:
    """The photos of the pool."""
    with store.session() as session:
        return sorted(each.photo.source_id for each in session.scalars(stored_candidates()))


def test_nothing_is_taken_out_before_somebody_decides(place: tuple[Workspace, Store]) -> None:
    workspace, store = place
    propose(workspace, store, [])
    assert left(store) == ["1", "2", "3", "4"]
    [pair] = open_pairs(store)
    with pytest.raises(BadInput, match="no pair 99"):
        decide(store, [pair.id, 99], same=True, by="ann")
    decide(store, [pair.id], same=False, by="ann")
    assert open_pairs(store) == [] and left(store) == ["1", "2", "3", "4"]
    decide(store, [pair.id], same=True, by="ann")
    assert left(store) == ["1", "3", "4"]
    assert propose(workspace, store, []) == 0


@pytest.mark.parametrize("keep", ["first", "flickr:2"])
def test_which_of_two_same_photos_stays_is_the_managers_choice(
    place: tuple[Workspace, Store], keep: str
) -> None:
    workspace, store = place
    propose(workspace, store, [])
    [pair] = open_pairs(store)
    assert (pair.photo.source_id, pair.other) == ("2", "flickr:1")
    with pytest.raises(BadInput, match="there is no flickr:3 to keep"):
        decide(store, [pair.id], same=True, by="ann", keep="flickr:3")
    with pytest.raises(BadInput, match="only with --same"):
        decide(store, [pair.id], same=False, by="ann", keep="first")
    decide(store, [pair.id], same=True, by="ann", keep=keep)
    assert left(store) == ["2", "3", "4"]
    with store.session() as session:
        rejected = session.scalars(select(Photo.rejected).where(Photo.source_id == "1")).one()
    assert rejected == "duplicate: of flickr:2"
    # Whoever turns round now would lose both.
    with pytest.raises(BadInput, match=r"flickr:1 cannot be kept: it was rejected \(duplicate"):
        decide(store, [pair.id], same=True, by="ann", keep="second")


def test_of_photos_that_are_all_the_same_one_stays(place: tuple[Workspace, Store]) -> None:
    _, store = place
    with store.begin() as session:
        known = {each.source_id: each for each in session.scalars(select(Photo))}
        for first, second in (("2", "1"), ("3", "2"), ("3", "1")):
            pair = DuplicatePair(photo=known[first], other=f"flickr:{second}", distance=0)
            session.add(pair)
            session.flush()
    one, two, three = (pair.id for pair in open_pairs(store))
    decide(store, [one, two], same=True, by="ann", keep="first")
    # 1 went for 2 and 2 for 3: without a word on which to keep, 3 does not go for 1.
    decide(store, [three], same=True, by="ann")
    decide(store, [two], same=True, by="ann")
    assert left(store) == ["3", "4"]
    assert open_pairs(store) == []


def test_a_photo_that_is_not_in_the_pool_cannot_be_the_one_to_go(
    place: tuple[Workspace, Store],
) -> None:
    _, store = place
    with store.begin() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "1")).one()
        session.add(DuplicatePair(photo=photo, other="seen.hashes:a.jpg", distance=0))
    [pair] = open_pairs(store)
    with pytest.raises(BadInput, match=r"seen\.hashes:a\.jpg is no photo of this workspace"):
        decide(store, [pair.id], same=True, by="ann", keep="first")
    decide(store, [pair.id], same=True, by="ann", keep="second")
    assert open_pairs(store) == []


# A pool that grows: each photo is decoded once and compared once


def add(workspace: Workspace, store: Store, number: int, image: Image.Image) -> Path:
    """Store a photo of this number; return where its original lies."""
    add_candidate(workspace, store, TENCH, number, content=jpeg(image))
    with store.session() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == str(number))).one()
        return workspace.images / photo.file


def found(store: Store) -> set[tuple[str, str]]:
    """The pairs that were proposed: the copy's id, and what it looks like."""
    with store.session() as session:
        return {
            (pair.photo.source_id, pair.other) for pair in session.scalars(select(DuplicatePair))
        }


def test_an_original_that_cannot_be_read_is_named_and_costs_itself_only(
    place: tuple[Workspace, Store],
) -> None:
    workspace, store = place
    add(workspace, store, 5, scene(5)).unlink()
    said = genset("duplicates", "find", cwd=workspace.root, code=1)
    assert "1 photo could not be read (flickr:5): see genset doctor" in said
    assert found(store) == {("2", "flickr:1")}


def test_both_databases_remember_looks_and_comparisons(tmp_path: Path, store_url: str) -> None:
    workspace, store = Workspace.create(tmp_path / "work"), Store.open(store_url)
    path, mirrored = tmp_path / "a.hashes", ImageOps.mirror(scene(1))
    path.write_text("".join(hash_lines([(fingerprint(mirrored), "seen.jpg")])))
    file = read_hashes(path)
    first = add(workspace, store, 1, scene(1))
    assert propose(workspace, store, [file]) == 1
    first.unlink()
    add(workspace, store, 2, mirrored)
    assert propose(workspace, store, [file]) == 2
    assert propose(workspace, store, [file]) == 0
    # Another file under the same name.
    path.write_text("".join(hash_lines([(fingerprint(scene(1)), "now.jpg")])))
    assert propose(workspace, store, [read_hashes(path)]) == 2
    of_files = {(id, f"a.hashes:{name}.jpg") for id in "12" for name in ("now", "seen")}
    assert found(store) == of_files | {("2", "flickr:1")}
    store.close()
