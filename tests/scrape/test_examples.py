"""Photos given as examples: known to be right, shown beside their class, and nothing else."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from genset.core.files import sha256_of
from genset.core.hashes import read_hashes
from genset.core.photo import PhotoOrigin
from genset.db.images_folder import check_files
from genset.label.duplicates import decide, examples_in, open_pairs, paired
from genset.scrape.add import add
from genset.scrape.near_duplicates import hash_folder, propose
from genset.status import status
from tests.label.desks import desk_of
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, picture
from tests.scrape.pools import Pool, Serve, image_class, record
from tests.scrape.test_duplicates import jpeg, scene
from tests.scrape.test_folder import put

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
