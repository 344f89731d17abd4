"""Removals: what goes, what stays, and that it does not come back."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.db import Label, Photo, PhotoEvent, RemovedOwner, Store, Verdict
from genset.db.images_folder import check_files
from genset.release.freeze import create
from genset.sandbox import Request
from genset.scrape.removal import Removal, remove, remove_owner
from genset.scrape.state import forget_refusals
from genset.workspace import Workspace
from tests.killing import killed_at_each_change
from tests.labeled_workspace import TENCH, add_candidate, labeled_workspace, picture, vote
from tests.scrape.commands import genset
from tests.scrape.pools import CAT, DOG, Pool, Serve, record

ANN = "78733179@N04"


def taken_out(pool: Pool, photo: str, reason: str = "its owner asked") -> Removal:
    return remove(pool.workspace, pool.store, photo, reason)


def owner_out(pool: Pool, reason: str = "its owner asked") -> Removal:
    return remove_owner(pool.workspace, pool.store, f"flickr:{ANN}", reason)


def test_a_photo_leaves_the_pool_and_its_original_goes(serve: Serve, pool: Pool) -> None:
    pool.scrape(serve(*map(record, (1, 2, 3))).source)
    before = pool.files()
    done = taken_out(pool, "flickr:2", "its owner\nasked")
    assert done == Removal(["flickr:2"], None, deleted=1, in_use=0, releases={})
    assert pool.held() == ["1", "3"]
    assert pool.rejected() == {"2": "removed: its owner asked"}
    assert before.items() - pool.files().items() == {
        (name, content) for name, content in before.items() if content == picture(2)
    }
    with pool.store.session() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "2")).one()
        kept = ("sha256", "byte_size", "format", "width", "height", "fingerprint", "stored_at")
        assert [getattr(photo, name) for name in kept] == [None] * len(kept)
    assert check_files(pool.workspace, pool.store) == []


def test_an_owner_takes_all_photos_along_and_keeps_coming_ones_out(
    serve: Serve, pool: Pool
) -> None:
    sandbox = serve(
        record(1, owner=ANN),
        record(2, owner=ANN, search_key="dog"),
        record(3, owner=ANN, search_key="kitten"),
        record(4, owner="1@N00"),
    )
    pool.scrape(sandbox.source, CAT)
    assert pool.held() == ["1", "4"]  # 3 is known and not stored, 2 is not known
    done = owner_out(pool)
    assert (sorted(done.photos), done.owner, done.deleted) == (["flickr:1", "flickr:3"], ANN, 1)
    pool.scrape(sandbox.source, CAT, DOG)
    assert (pool.held(), pool.held(DOG)) == (["4"], [])
    assert pool.rejected() == dict.fromkeys("123", "removed: its owner asked")
    before = pool.rows(), pool.files()
    done = owner_out(pool, "another reason")
    assert (done.photos, done.already, done.deleted) == ([], 3, 0)
    taken_out(pool, "flickr:1", "another reason")
    assert (pool.rows(), pool.files()) == before
    # An owner may ask before any photo was found.
    other = remove_owner(pool.workspace, pool.store, "archive:Ann: of Museum", "asked")
    assert (other.photos, other.owner, other.deleted) == ([], "Ann: of Museum", 0)


def test_bytes_that_another_photo_of_the_pool_has_stay(serve: Serve, pool: Pool) -> None:
    rows = record(1), record(2, "dog")
    sandbox = serve(*rows, contents={1: picture(7), 2: picture(7)})
    pool.scrape(sandbox.source, CAT, DOG)
    first = genset("remove", "flickr:1", "--reason", "asked", cwd=pool.workspace.root)
    assert "1 still used by photos" in first and "same bytes, still in the pool: flickr:2" in first
    assert pool.held(DOG) == ["2"]
    assert check_files(pool.workspace, pool.store) == []
    second = taken_out(pool, "flickr:2")
    assert (second.deleted, second.in_use, second.same_bytes) == (1, 0, [])
    assert pool.files() == {}


def test_a_photo_refused_for_another_reason_gets_its_tombstone_too(
    serve: Serve, pool: Pool
) -> None:
    pool.scrape(serve(record(1), contents={1: b"no photo"}).source)
    assert pool.rejected()["1"].startswith("not an image")
    assert taken_out(pool, "flickr:1").deleted == 0
    forget_refusals(pool.store, pool.plan)
    assert pool.rejected() == {"1": "removed: its owner asked"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--owner", ANN], "SOURCE:OWNER"),
        (["--owner", "flickr:"], "SOURCE:OWNER"),
        (["--owner", ":Ann"], "SOURCE:OWNER"),
        (["--owner", "My Museum:Ann"], "SOURCE:OWNER"),
        (["--owner", "flickr:annko"], "78733179@N04"),
        (["--owner", "inaturalist:annko"], "487589"),
        (["--owner", f"flickr:{ANN}", "flickr:1"], "name one"),
        ([], "name one"),
        *(([photo], "flickr:6061409035") for photo in
          ("9", "flickr:9", "museum:1", "", ":", "flickr:", "Ann", "ann@N0")),
        (["--owner", f"flickr:{ANN}", "--reason", " \n"], "--reason"),
    ],
)  # fmt: skip
def test_who_and_what_cannot_be_is_said(pool: Pool, words: list[str], said: str) -> None:
    line = genset("remove", "--reason", "asked", *words, cwd=pool.workspace.root, code=2)
    assert said in line
    assert pool.rows()["removed_owner"] == []


@pytest.mark.soak
def test_the_name_in_a_credit_is_not_taken_for_an_owner(
    labeled: tuple[Workspace, Store],
) -> None:
    workspace, store = labeled
    for number in range(900, 907):
        credit = {"owner": "Bot", "owner_name": "Ann Ko"}
        add_candidate(workspace, store, TENCH, number, source="commons", **credit)
    words = "remove", "--reason", "asked", "--owner"
    said = genset(*words, "commons:Ann Ko", cwd=workspace.root, code=2)
    assert "7 photos are credited to that name" in said
    assert "such as commons:900: name its owner, of commons:Bot" in said
    with store.session() as session:
        assert session.scalars(select(RemovedOwner)).all() == []
    assert "7 photos removed" in genset(*words, "commons:Bot", cwd=workspace.root)
    said = genset(*words, "commons:Ann Ko", cwd=workspace.root)
    assert "no photo of Ann Ko will be scraped again" in said  # all that bore the name are out


@pytest.fixture
def labeled(tmp_path: Path) -> tuple[Workspace, Store]:
    """Two tench, 0 and 1, both called correct, of which a release v1 was made."""
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH], photos=2)
    for number in (0, 1):
        vote(store, f"{TENCH}/flickr:{number}", "ann", Verdict.CORRECT)
    create(workspace, store, "v1")
    return workspace, store


def test_labels_and_releases_stay_and_coming_releases_lack_the_photo(
    labeled: tuple[Workspace, Store],
) -> None:
    workspace, store = labeled
    done = remove_owner(workspace, store, "flickr:0@N00", "asked")
    assert done.releases == {"v1": 1}
    with store.session() as session:
        assert len(session.scalars(select(Label)).all()) == 2
    assert [photo.source_id for photo in create(workspace, store, "v2").photos] == ["1"]
    assert remove(workspace, store, "flickr:1", "asked").releases == {"v1": 1, "v2": 1}
    store.close()


def remove_it(_moment: int, root: Path, _images: Path) -> None:
    workspace = Workspace.find(root)
    remove_owner(workspace, Store.open(workspace.store_url), f"flickr:{ANN}", "asked")


@pytest.mark.soak
def test_a_killed_removal_is_finished_by_the_same_command(tmp_path: Path) -> None:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH], photos=3)
    with store.begin() as session:
        for photo in session.scalars(select(Photo)):
            photo.owner = ANN
    moments = 0
    for _ in killed_at_each_change(remove_it, workspace.root, workspace.images):
        moments += 1
        assert check_files(workspace, store) == []  # no row misses its file
        with store.session() as session:
            assert session.scalars(select(RemovedOwner.owner)).all() == [ANN]
    assert moments == 2  # before the first file went and before the second
    assert not [path for path in workspace.images.rglob("*") if path.is_file()]
    with store.session() as session:
        assert len(session.scalars(select(PhotoEvent)).all()) == 3
    store.close()


def test_the_command(labeled: tuple[Workspace, Store]) -> None:
    workspace, store = labeled
    store.close()
    done = genset("remove", "flickr:0", "--reason", "asked", "--json", cwd=workspace.root)
    assert json.loads(done)["releases"] == {"v1": 1}
    text = genset("remove", "--owner", "flickr:1@N00", "--reason", "asked", cwd=workspace.root)
    assert "release v1 contains 1 of them: genset release takedown v1" in text
    assert "no photo of 1@N00 will be scraped again" in text
    assert "1 removed before" in genset("remove", "flickr:0", "--reason", "x", cwd=workspace.root)


def test_a_photo_that_is_removed_while_it_is_downloaded_is_not_kept(
    serve: Serve, pool: Pool
) -> None:
    sandbox = serve(*(record(number) for number in (1, 2, 3, 4)))

    def remove_meanwhile(request: Request) -> None:
        if "/2_" in request.path:
            taken_out(pool, "flickr:2")

    sandbox.fault = remove_meanwhile
    pool.scrape(sandbox.source)
    assert pool.held() == ["1", "3", "4"]
    assert picture(2) not in pool.files().values()
    assert pool.rejected() == {"2": "removed: its owner asked"}
