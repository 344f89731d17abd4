"""Photos that look alike: found, proposed, decided by somebody; and those given as examples."""

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.core.files import sha256_of
from genset.core.hashes import BITS, hash_lines, read_hashes
from genset.core.photo import PhotoOrigin
from genset.core.pixels import fingerprint, variants
from genset.db import DuplicatePair, Photo, Store, stored_candidates
from genset.db.images_folder import check_files
from genset.label.duplicates import decide, examples_in, open_pairs, paired
from genset.scrape.add import add
from genset.scrape.near_duplicates import hash_folder, propose
from genset.status import status
from genset.workspace import Workspace
from tests.label.desks import desk_of
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, picture
from tests.scrape.commands import genset
from tests.scrape.pools import Pool, Serve, image_class, record
from tests.scrape.test_folder import put


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


def add_image(workspace: Workspace, store: Store, number: int, image: Image.Image) -> Path:
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
    add_image(workspace, store, 5, scene(5)).unlink()
    said = genset("duplicates", "find", cwd=workspace.root, code=1)
    assert "1 photo could not be read (flickr:5): see genset doctor" in said
    assert found(store) == {("2", "flickr:1")}


def test_both_databases_remember_looks_and_comparisons(tmp_path: Path, store_url: str) -> None:
    workspace, store = Workspace.create(tmp_path / "work"), Store.open(store_url)
    path, mirrored = tmp_path / "a.hashes", ImageOps.mirror(scene(1))
    path.write_text("".join(hash_lines([(fingerprint(mirrored), "seen.jpg")])))
    file = read_hashes(path)
    first = add_image(workspace, store, 1, scene(1))
    assert propose(workspace, store, [file]) == 1
    first.unlink()
    add_image(workspace, store, 2, mirrored)
    assert propose(workspace, store, [file]) == 2
    assert propose(workspace, store, [file]) == 0
    # Another file under the same name.
    path.write_text("".join(hash_lines([(fingerprint(scene(1)), "now.jpg")])))
    assert propose(workspace, store, [read_hashes(path)]) == 2
    of_files = {(id, f"a.hashes:{name}.jpg") for id in "12" for name in ("now", "seen")}
    assert found(store) == of_files | {("2", "flickr:1")}
    store.close()


# Photos given as examples: known to be right, shown beside their class, and nothing else

LARGE = 400, 320
TODAY = datetime.now(UTC)
OWN = PhotoOrigin(source="own", owner="", license="", license_url="", posted_at=TODAY)


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """Two photos of a tench and one of a goldfish."""
    photos = {f"{TENCH}_a": picture(901, LARGE), f"{TENCH}_b": picture(902, LARGE)}
    return put(tmp_path / "known", **photos, **{f"{GOLDFISH}_a": picture(903, LARGE)})


def test_a_candidate_is_no_example_and_an_example_no_candidate(
    pool: Pool, known: Path, tmp_path: Path
) -> None:
    dump = put(tmp_path / "dump", **{f"{GOLDFISH}_x": picture(901, LARGE)})
    museum = PhotoOrigin(source="museum", owner="Museum", license="CC BY 4.0", posted_at=TODAY)
    add(pool.workspace, pool.store, dump, museum)
    done = add(pool.workspace, pool.store, known, OWN, examples=True)
    assert done.added == 2
    assert done.rejected == {
        f"{TENCH}/a.jpg": f"candidate: it is one of {GOLDFISH}, and no example can be"
    }
    for source in ("museum", "own"):  # where it has the same name as the example
        late = put(tmp_path / f"late {source}", **{f"{TENCH}_b": picture(902, LARGE)})
        origin = PhotoOrigin(source=source, owner="Museum", license="CC BY 4.0", posted_at=TODAY)
        rejected = add(pool.workspace, pool.store, late, origin).rejected
        assert rejected == {f"{TENCH}/b.jpg": "example: labelers see it as one of a class"}
    assert status(pool.workspace, pool.store).examples == 2
    assert status(pool.workspace, pool.store).candidates == 1


def test_a_scrape_that_finds_an_example_refuses_it(pool: Pool, serve: Serve, known: Path) -> None:
    add(pool.workspace, pool.store, known, OWN, examples=True)
    rows = [record(number, "tench") for number in (901, 905)]
    server = serve(*rows, contents={number: picture(number, LARGE) for number in (901, 905)})
    pool.scrape(server.source, image_class(TENCH, "tench"))
    assert pool.rejected() == {"901": "example: labelers see it as one of a class"}
    assert check_files(pool.workspace, pool.store) == []  # the example's file is still there
    found = status(pool.workspace, pool.store)
    assert (found.examples, found.candidates) == (3, 1)


@pytest.mark.parametrize("is_first", [True, False], ids=["example first", "candidate first"])
def test_an_example_that_looks_like_a_candidate_is_shown_when_somebody_said_that_they_differ(
    pool: Pool, tmp_path: Path, is_first: bool
) -> None:
    known = put(tmp_path / "known", **{f"{TENCH}_a": jpeg(scene(1, LARGE), 60)})
    if is_first:
        add(pool.workspace, pool.store, known, OWN, examples=True)
    add_candidate(pool.workspace, pool.store, TENCH, 1, content=jpeg(scene(1, LARGE)))
    add_candidate(pool.workspace, pool.store, TENCH, 2, content=jpeg(scene(2, LARGE)))
    if not is_first:
        add(pool.workspace, pool.store, known, OWN, examples=True)
    [screen] = desk_of((pool.workspace, pool.store), "ann").screens(5)
    assert len(screen.examples) == 1  # nobody has compared them yet

    assert propose(pool.workspace, pool.store, []) == 1
    [screen] = desk_of((pool.workspace, pool.store), "ann").screens(5)
    assert (len(screen.photos), screen.examples) == (2, ())
    [pair] = open_pairs(pool.store)
    assert examples_in(pool.store, [pair]) == {f"own:{sha256_of(known / TENCH / 'a.jpg')[:32]}"}
    shown = paired(pool.store, pair.id)
    assert shown.other is not None
    [example] = [each for each in (shown.photo, shown.other) if each.example_of]
    assert (example.example_of, example.classes) == (("tench",), ())

    decide(pool.store, [pair.id], same=False, by="boss")
    [screen] = desk_of((pool.workspace, pool.store), "ann").screens(5)
    assert (len(screen.photos), len(screen.examples)) == (2, 1)
    decide(pool.store, [pair.id], same=True, by="boss")  # the one that came later goes
    [screen] = desk_of((pool.workspace, pool.store), "ann").screens(5)
    assert (len(screen.photos), len(screen.examples)) == ((1, 1) if is_first else (2, 0))


def test_examples_may_look_like_each_other_and_like_what_is_public(
    pool: Pool, tmp_path: Path
) -> None:
    photos = {f"{TENCH}_{quality}": jpeg(scene(1, LARGE), quality) for quality in (60, 90)}
    known = put(tmp_path / "known", **photos)
    add(pool.workspace, pool.store, known, OWN, examples=True)
    add_candidate(pool.workspace, pool.store, TENCH, 2, content=jpeg(scene(2, LARGE)))
    hash_folder(put(known, **{f"{TENCH}_c": jpeg(scene(2, LARGE), 60)}), tmp_path / "of.hashes")
    assert propose(pool.workspace, pool.store, [read_hashes(tmp_path / "of.hashes")]) == 1
    [pair] = open_pairs(pool.store)
    assert (pair.photo.source_id, pair.other) == ("2", f"of.hashes:{TENCH}/c.jpg")
    [screen] = desk_of((pool.workspace, pool.store), "ann").screens(5)
    assert len(screen.examples) == 2
