"""Near duplicates of a pool that grows: each photo is decoded once and compared once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageOps
from sqlalchemy import select

from genset.core.hashes import hash_lines, read_hashes
from genset.core.pixels import fingerprint
from genset.db import DuplicatePair, Photo, Store
from genset.scrape import near_duplicates as pairs
from genset.scrape.near_duplicates import propose
from genset.workspace import Workspace
from tests.labeled_workspace import TENCH, add_candidate
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
