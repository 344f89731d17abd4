"""Photos that a maintainer should look at: named by ``create --dry-run`` and by ``verify``."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import GensetError
from genset.db import Photo, PhotoEvent
from genset.scrape.removal import remove, remove_owner
from tests.labeled_workspace import TENCH, add_candidate
from tests.release.conftest import Pool


def run(pool: Pool, *words: object, exit_code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), "release", *map(str, words)])
    error = done.exception
    code = error.exit_code if isinstance(error, GensetError) else done.exit_code
    assert code == exit_code, repr(error)
    return done.stdout


def numbers(pool: Pool, files: list[str]) -> set[str]:
    """The source ids of these photos of the pool."""
    hashes = [file.rpartition("/")[2].partition(".")[0] for file in files]
    with pool.store.session() as session:
        found = session.query(Photo).filter(Photo.sha256.in_(hashes))
        return {photo.source_id for photo in found}


@pytest.fixture
def flawed(pool: Pool) -> Pool:
    """A pool with a photo for each fault, from 900 on."""
    faults: dict[int, dict[str, Any]] = {
        900: {},
        901: {"license": "All Rights Reserved", "license_url": ""},
        902: {"license": "Ask me", "license_url": "https://example.org/terms"},
        903: {"owner": "", "owner_name": " "},
        904: {},
        905: {},
    }
    for number, values in faults.items():
        task = add_candidate(pool.workspace, pool.store, TENCH, number, **values)
        pool.label(task, ann="correct")
    with pool.store.begin() as session:
        for number, events in {"904": ("gone",), "905": ("gone", "back")}.items():
            photo = session.query(Photo).filter_by(source_id=number).one()
            session.add_all(PhotoEvent(photo_id=photo.id, what=what, detail="") for what in events)
    return pool


def test_a_dry_run_names_what_others_may_not_have(flawed: Pool) -> None:
    found = json.loads(run(flawed, "create", "v1", "--dry-run", "--json"))["checks"]
    assert {name: numbers(flawed, files) for name, files in found.items()} == {
        "restricted": {"901", "902"},
        "uncredited": {"903"},
        "gone": set(),
        "revoked": set(),
        "removed": set(),
        "places": set(),
        "persons": set(),
    }
    text = run(flawed, "create", "v1", "--dry-run")
    for line in (
        "2 photos under no licence that lets others share them: exports leave them out",
        "1 photo without an owner to credit",
        "left out: 1 gone at its source",
    ):
        assert line in text


def test_verify_names_the_same_and_what_was_removed_since(flawed: Pool) -> None:
    release = flawed.create()
    with flawed.store.begin() as session:
        photo = session.query(Photo).filter_by(source_id="905").one()
        session.add(PhotoEvent(photo_id=photo.id, what="gone", detail=""))
    remove(flawed.workspace, flawed.store, "flickr:900", "its owner asked")
    remove_owner(flawed.workspace, flawed.store, "flickr:905@N00", "all of it")
    found = json.loads(run(flawed, "verify", "v1", "--json", exit_code=1))["checks"]
    assert set(found["removed"]) == {
        photo.file for photo in release.photos if photo.source_id in ("900", "905")
    }
    assert found["gone"] == []  # it is removed
    text = run(flawed, "verify", "v1", exit_code=1)
    assert "2 photos removed from the pool since: genset release takedown v1" in text


def test_verify_fails_where_a_photo_can_not_be_shared_any_more(pool: Pool) -> None:
    """What was known when it was frozen, such as reserved rights, is not held against it."""
    reserved = {"license": "All Rights Reserved", "license_url": ""}
    pool.label(add_candidate(pool.workspace, pool.store, TENCH, 900, **reserved), ann="correct")
    pool.label_all_correct()
    pool.create()
    run(pool, "verify", "v1")
    for number, change in ((0, "revoked"), (1, "gone")):
        with pool.store.begin() as session:
            photo = session.query(Photo).filter_by(source_id=str(number)).one()
            if change == "gone":
                session.add(PhotoEvent(photo_id=photo.id, what="gone", detail=""))
            else:
                photo.license, photo.license_url = "All Rights Reserved", ""
        found = json.loads(run(pool, "verify", "v1", "--json", exit_code=1))["checks"]
        assert numbers(pool, found[change]) == {str(number)}
    assert "licence that no longer lets others share them" in run(pool, "verify", "v1", exit_code=1)


def test_a_folder_alone_is_checked_by_its_manifest(flawed: Pool) -> None:
    release = flawed.create()
    moved = release.root.rename(flawed.workspace.root / "moved")
    found = json.loads(run(flawed, "verify", moved, "--json"))["checks"]
    assert (len(found["restricted"]), len(found["uncredited"])) == (2, 1)
    assert (found["gone"], found["removed"]) == ([], [])


def test_of_many_photos_ten_are_printed(pool: Pool) -> None:
    for number in range(900, 912):
        reserved = {"license": "All Rights Reserved", "license_url": ""}
        task = add_candidate(pool.workspace, pool.store, TENCH, number, **reserved)
        pool.label(task, ann="correct")
    text = run(pool, "create", "v1", "--dry-run")
    assert "12 photos under no licence" in text and "    and 2 more (--json names all)" in text


def test_nothing_is_said_where_nothing_is_wrong(pool: Pool) -> None:
    pool.label_all_correct()
    pool.create()
    assert run(pool, "verify", "v1") == "v1: 8 photos are what the manifest says\n"
