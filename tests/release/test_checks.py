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


def happens(pool: Pool, number: int, *events: str) -> None:
    """What became of a photo at its source."""
    with pool.store.begin() as session:
        photo = session.query(Photo).filter_by(source_id=str(number)).one()
        session.add_all(PhotoEvent(photo_id=photo.id, what=what, detail="") for what in events)


@pytest.fixture
def flawed(pool: Pool) -> Pool:
    """A pool with a photo for each fault, from 900 on."""
    reserved = {"license": "All Rights Reserved", "license_url": ""}
    faults: dict[int, dict[str, Any]] = {
        **{number: {} for number in (900, 904, 905)},
        901: reserved,
        902: {"license": "Ask me", "license_url": "https://example.org/terms"},
        903: {"owner": "", "owner_name": " "},
        **dict.fromkeys(range(910, 920), reserved),
    }
    for number, values in faults.items():
        task = add_candidate(pool.workspace, pool.store, TENCH, number, **values)
        pool.label(task, ann="correct")
    happens(pool, 904, "gone")
    happens(pool, 905, "gone", "back")
    return pool


def test_a_dry_run_and_verify_name_what_others_may_not_have(flawed: Pool) -> None:
    restricted = {"901", "902", *map(str, range(910, 920))}
    found = json.loads(run(flawed, "create", "v1", "--dry-run", "--json"))["checks"]
    assert {name: numbers(flawed, files) for name, files in found.items() if files} == {
        "restricted": restricted,
        "uncredited": {"903"},
    }
    assert set(found) >= {"gone", "revoked", "removed", "places", "persons"}
    text = run(flawed, "create", "v1", "--dry-run")
    for line in (
        "12 photos under no licence that lets others share them: exports leave them out",
        "    and 2 more (--json names all)",
        "1 photo without an owner to credit",
        "left out: 1 gone at its source",
    ):
        assert line in text
    release = flawed.create()
    run(flawed, "verify", "v1")  # what was known when it was frozen is not held against it
    happens(flawed, 905, "gone")
    remove(flawed.workspace, flawed.store, "flickr:900", "its owner asked")
    remove_owner(flawed.workspace, flawed.store, "flickr:905@N00", "all of it")
    found = json.loads(run(flawed, "verify", "v1", "--json", exit_code=1))["checks"]
    assert set(found["removed"]) == {
        photo.file for photo in release.photos if photo.source_id in ("900", "905")
    }
    assert found["gone"] == []  # it is removed
    text = run(flawed, "verify", "v1", exit_code=1)
    assert "2 photos removed from the pool since: genset release takedown v1" in text
    # Of a folder alone its manifest is all that there is.
    moved = release.root.rename(flawed.workspace.root / "moved")
    found = json.loads(run(flawed, "verify", moved, "--json"))["checks"]
    assert (len(found["restricted"]), len(found["uncredited"])) == (12, 1)
    assert (found["gone"], found["removed"]) == ([], [])


def test_verify_fails_where_a_photo_can_not_be_shared_any_more(pool: Pool) -> None:
    pool.label_all_correct()
    pool.create()
    assert run(pool, "verify", "v1") == "v1: 8 photos are what the manifest says\n"
    with pool.store.begin() as session:
        photo = session.query(Photo).filter_by(source_id="0").one()
        photo.license, photo.license_url = "All Rights Reserved", ""
    assert "licence that no longer lets others share them" in run(pool, "verify", "v1", exit_code=1)
    happens(pool, 1, "gone")
    found = json.loads(run(pool, "verify", "v1", "--json", exit_code=1))["checks"]
    assert [numbers(pool, found[change]) for change in ("revoked", "gone")] == [{"0"}, {"1"}]
