"""Near duplicates of a pool that grows: each photo is decoded once and compared once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps
from sqlalchemy import create_engine, select
from sqlalchemy.pool import StaticPool

from genset.core.hashes import HashFile, hash_lines, read_hashes
from genset.db import Base, DuplicatePair, Photo, PhotoLook, Store
from genset.scrape import near_duplicates as pairs
from genset.scrape.near_duplicates import LOOKS, propose
from genset.workspace import Workspace
from tests.labeled_workspace import TENCH, add_candidate, photo_row
from tests.scrape.commands import genset
from tests.scrape.test_duplicates import jpeg, scene

Place = tuple[Workspace, Store]
Pair = tuple[str, str, int]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An empty pool."""
    workspace = Workspace.create(tmp_path / "work")
    store = Store.open(workspace.store_url)
    yield workspace, store
    store.close()


def add(place: Place, number: int, image: Image.Image) -> Path:
    """Store a photo of this number; return where its original lies."""
    add_candidate(*place, TENCH, number, content=jpeg(image))
    with place[1].session() as session:
        photo = session.query(Photo).filter_by(source_id=str(number)).one()
        return place[0].images / photo.file


def found(store: Store) -> set[Pair]:
    """The pairs that were proposed: the copy's id, what it looks like, the distance."""
    with store.session() as session:
        rows = session.scalars(select(DuplicatePair))
        return {(pair.photo.source_id, pair.other, pair.distance) for pair in rows}


def hashes_of(image: Image.Image, name: str, path: Path) -> Path:
    """A file of hashes with one photo."""
    from genset.core.pixels import fingerprint

    path.write_text("".join(hash_lines([(fingerprint(image), name)])))
    return path


# Decoding


def test_other_bytes_of_a_photo_are_decoded_anew_and_one_that_comes_back_is_compared(
    place: Place,
) -> None:
    """As when `genset doctor --repair` had it downloaded again."""
    workspace, store = place
    for number in (1, 2):
        add(place, number, scene(number))
    propose(workspace, store, [])
    add(place, 3, ImageOps.mirror(scene(1)))
    with store.begin() as session:
        first, old, new = session.scalars(select(Photo).order_by(Photo.id))
        old.sha256, new.sha256, new.format = new.sha256, None, None
        first.rejected = "gone"
    assert propose(workspace, store, []) == 0
    with store.begin() as session:
        session.scalars(select(Photo).order_by(Photo.id)).first().rejected = None  # type: ignore[union-attr]
    assert propose(workspace, store, []) == 1
    assert {pair[:2] for pair in found(store)} == {("2", "flickr:1")}


def test_a_run_that_is_killed_goes_on_where_it_was(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, store = place
    paths = [add(place, number, scene(number % 3)) for number in range(6)]
    monkeypatch.setattr(pairs, "_DECODED", 2)
    computed = pairs._computed

    def killed_at_the_third(*args: Any) -> Any:
        for number, result in enumerate(computed(*args)):
            if number == 3:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(pairs, "_computed", killed_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        propose(workspace, store, [])
    monkeypatch.setattr(pairs, "_computed", computed)
    for path in paths[:4]:  # they were decoded
        path.unlink(missing_ok=True)
    for number, path in enumerate(paths[4:], start=4):
        path.write_bytes(jpeg(scene(number % 3)))
    assert propose(workspace, store, []) == 3
    wanted = {("3", "flickr:0"), ("4", "flickr:1"), ("5", "flickr:2")}
    assert {pair[:2] for pair in found(store)} == wanted


def test_an_original_that_cannot_be_read_is_named_and_costs_itself_only(place: Place) -> None:
    add(place, 1, scene(1))
    add(place, 2, scene(2)).unlink()
    add(place, 3, ImageOps.mirror(scene(1)))
    said = genset("duplicates", "find", cwd=place[0].root, code=1)
    assert "1 photo could not be read (flickr:2): see genset doctor" in said
    assert {pair[:2] for pair in found(place[1])} == {("3", "flickr:1")}


def test_both_databases_remember_looks_and_comparisons(tmp_path: Path, store_url: str) -> None:
    place = Workspace.create(tmp_path / "work"), Store.open(store_url)
    workspace, store = place
    file = read_hashes(hashes_of(ImageOps.mirror(scene(1)), "seen.jpg", tmp_path / "a.hashes"))
    first = add(place, 1, scene(1))
    assert propose(workspace, store, [file]) == 1
    first.unlink()
    add(place, 2, ImageOps.mirror(scene(1)))
    assert propose(workspace, store, [file]) == 2
    assert propose(workspace, store, [file]) == 0
    hashes_of(scene(1), "now.jpg", tmp_path / "a.hashes")  # another file under the same name
    assert propose(workspace, store, [read_hashes(tmp_path / "a.hashes")]) == 2
    assert {pair[:2] for pair in found(store)} == {
        ("1", "a.hashes:now.jpg"),
        ("2", "a.hashes:now.jpg"),
        ("1", "a.hashes:seen.jpg"),
        ("2", "a.hashes:seen.jpg"),
        ("2", "flickr:1"),
    }
    store.close()


# Comparing


def looks_of(kind: int, flips: Sequence[int]) -> bytes:
    """Hashes of a photo of one of four kinds.

    Those of a kind are near each other, or nearly; and a look of each kind is near the next kind
    as it is, while no look of the next kind is near this one.
    """
    rows = np.random.default_rng(kind).integers(0, 2**64, LOOKS, dtype=np.uint64)
    rows[5] = np.random.default_rng((kind + 1) % 4).integers(0, 2**64, dtype=np.uint64)
    for flip in flips:
        rows[flip % LOOKS] ^= np.uint64(1 << (flip * 7 % 64))
        rows[0] ^= np.uint64(1 << (flip % 64))
    return rows.tobytes()


photos = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(0, 200), max_size=6)), max_size=14
)


def empty() -> Store:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    return Store(engine)


def add_looks(store: Store, first: int, rows: Sequence[tuple[int, list[int]]]) -> None:
    with store.begin() as session:
        for place, (kind, flips) in enumerate(rows, start=first):
            sha256 = f"{place:064x}"
            session.add(photo_row(place, id=place, sha256=sha256, format="JPEG"))
            session.flush()
            session.add(PhotoLook(photo_id=place, sha256=sha256, hashes=looks_of(kind, flips)))


def a_file(name: str, kinds: Sequence[int]) -> HashFile:
    hashes = [np.frombuffer(looks_of(kind, [kind]), np.uint64)[0] for kind in kinds]
    names = tuple(f"{place}.jpg" for place in range(len(kinds)))
    return HashFile(name, np.array(hashes, np.uint64), names)


@settings(max_examples=60)
@given(photos, st.sets(st.integers(0, 14), max_size=4), st.lists(st.integers(0, 3)))
@pytest.mark.soak
def test_many_runs_find_what_one_run_finds(
    rows: list[tuple[int, list[int]]], cuts: set[int], kinds: list[int]
) -> None:
    early, late = a_file("early.hashes", kinds), a_file("late.hashes", [*kinds, 0])
    whole, grown = empty(), empty()
    add_looks(whole, 1, rows)
    pairs.compare_pool(whole)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_NEW", 3)
        ends = [*sorted(cut for cut in cuts if cut < len(rows)), len(rows)]
        count = start = 0
        for end in ends:
            add_looks(grown, 1 + start, rows[start:end])
            count += pairs.compare_pool(grown)
            count += pairs.compare_with_file(grown, early)
            start = end
        count += pairs.compare_with_file(grown, late)
        assert pairs.compare_pool(grown) == pairs.compare_with_file(grown, late) == 0
    for file in (early, late):
        pairs.compare_with_file(whole, file)
    assert found(grown) == found(whole)
    assert count == len(found(grown))


def test_two_runs_side_by_side_miss_no_pair(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another run decodes and compares while a batch is compared."""
    workspace, store = place
    add(place, 1, scene(1))
    propose(workspace, store, [])
    add(place, 2, ImageOps.mirror(scene(1)))
    near = pairs._Looks.near

    def slowly(*looks: Any) -> Any:
        monkeypatch.setattr(pairs._Looks, "near", near)
        add(place, 3, scene(1))
        assert propose(workspace, store, []) == 3
        return near(*looks)

    monkeypatch.setattr(pairs._Looks, "near", slowly)
    assert propose(workspace, store, []) == 0
    assert {pair[:2] for pair in found(store)} == {
        ("2", "flickr:1"),
        ("3", "flickr:1"),
        ("3", "flickr:2"),
    }
