"""What `genset status` and `genset doctor` say of a workspace."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.db import (
    Candidate,
    Photo,
    Search,
    SearchFailure,
    Store,
    undecided_photos,
)
from genset.db.images_folder import check_files, files_of_nobody
from genset.label import Verdict
from genset.release.freeze import create
from genset.sets.open import open_set
from genset.status import SourceCounts, failed, status
from genset.workspace import Workspace
from tests.labeled_workspace import (
    GOLDFISH,
    TENCH,
    labeled_workspace,
    picture,
    vote,
)
from tests.score.painted import painted_set
from tests.score.scoring import evaluate
from tests.test_cli import genset

Place = tuple[Workspace, Store]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A workspace with two candidates of each of two classes."""
    workspace, store = labeled_workspace(tmp_path / "mine", (TENCH, GOLDFISH), photos=2)
    yield workspace, store
    store.close()


def original(place: Place, number: int) -> Path:
    workspace, store = place
    with store.session() as session:
        return workspace.images / session.query(Photo).filter_by(source_id=str(number)).one().file


def refuse(store: Store, number: int, reason: str) -> None:
    with store.begin() as session:
        photo = session.query(Photo).filter_by(source_id=str(number)).one()
        photo.rejected, photo.sha256, photo.format = reason, None, None


def test_each_stage_counts_what_it_stored(place: Place) -> None:
    from tests.score.colours import colours

    workspace, store = place
    before = status(workspace, store)
    counted = before.found, before.stored, before.candidates, before.candidate_classes
    assert counted == (4, 4, 4, 2)
    with store.begin() as session:
        for wnid, page in ((TENCH, 1), (TENCH, 2), (GOLDFISH, 1)):
            session.add(a_search("flickr", page, wnid))
    searched = status(workspace, store)
    assert searched == replace(before, chosen=2, searched=2, searches=3)

    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.INCORRECT)
    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.CORRECT)
    vote(store, f"{TENCH}/flickr:0", "bob", Verdict.CORRECT)
    vote(store, f"{GOLDFISH}/flickr:101", "bob", Verdict.UNSURE)
    labeled = status(workspace, store)
    counts = {"labeled": 2, "labels": 3, "labelers": 2}  # ann has one vote
    assert labeled == replace(searched, **counts, missing_votes={"candidates": 2, "votes": 2})

    create(workspace, store, "v1")
    released = status(workspace, store)
    assert released == replace(labeled, releases={"v1": 1}, runs={"v1": []})

    spec = colours(workspace.root)
    elsewhere = painted_set(workspace.root / "elsewhere" / "v1")
    evaluate(open_set(str(elsewhere)), [spec], workspace.runs)
    assert status(workspace, store) == released  # a run on another set of the same name
    evaluate(open_set("v1", workspace.releases), [spec], workspace.runs)
    assert status(workspace, store) == replace(released, runs={"v1": ["colours"]})


def a_search(source: str, page: int = 1, wnid: str = TENCH) -> Search:
    asked = {"wnid": wnid, "query": "tench", "licenses": "", "per_page": 50, "page": page}
    found = {"total": 90, "returned": 50, "last": page == 2, "capped": False}
    after = datetime(2014, 1, 1, tzinfo=UTC)
    return Search(source=source, posted_after=after, **asked, **found)


def move(store: Store, number: int, source: str) -> None:
    with store.begin() as session:
        session.query(Photo).filter_by(source_id=str(number)).one().source = source


@pytest.mark.soak
def test_several_sources_are_counted_each_also_one_that_never_answered(place: Place) -> None:
    workspace, store = place
    with store.begin() as session:
        session.add(a_search("flickr"))
    for number in (1, 100):
        move(store, number, "commons")
    move(store, 101, "own")
    assert status(workspace, store).sources == {}, "a folder of one's own is not searched"
    assert "\nsource" not in genset("status", cwd=workspace.root).stdout

    page = {
        "wnid": TENCH,
        "source": "inaturalist",
        "question": "tench",
        "query": "tench",
        "page": 1,
    }
    at = datetime(2026, 1, 1, tzinfo=UTC)
    with store.begin() as session:
        session.add_all([a_search("commons", 1), a_search("commons", 2)])
        session.add(SearchFailure(**page, first_at=at, attempts=1, error="timed out"))
    refuse(store, 100, "taken too early: 2009")
    now = status(workspace, store)
    assert now.sources == {
        "commons": SourceCounts(searches=2, found=2, stored=1, rejected=1, candidates=1),
        "flickr": SourceCounts(searches=1, found=1, stored=1, rejected=0, candidates=1),
        "inaturalist": SourceCounts(searches=0, found=0, stored=0, rejected=0, candidates=0),
        "own": SourceCounts(searches=0, found=1, stored=1, rejected=0, candidates=1),
    }
    for one in ("found", "stored", "candidates", "searches"):
        assert getattr(now, one) == sum(getattr(each, one) for each in now.sources.values())
    assert genset("status", cwd=workspace.root).stdout.splitlines()[3:5] == [
        "source     commons: 1 stored, 1 rejected, 2 found; 1 candidate, 2 searches",
        "source     flickr: 1 stored, 0 rejected, 1 found; 1 candidate, 1 search",
    ]
    as_json = json.loads(genset("status", "--json", cwd=workspace.root).stdout)
    assert as_json["sources"] == {name: asdict(each) for name, each in now.sources.items()}


def contested_tasks(store: Store) -> list[str]:
    """The candidates of stored photos that count for no class, by photo."""
    with store.session() as session:
        stored = Photo.sha256.is_not(None), Photo.rejected.is_(None)
        undecided = select(Candidate).join(Candidate.photo).where(*stored)
        found = session.scalars(undecided.where(Photo.id.in_(undecided_photos())))
        return [c.task for c in sorted(found, key=lambda c: (c.photo.source_id, c.task))]


def test_both_databases_count_the_same(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = labeled_workspace(tmp_path / "mine", (TENCH, GOLDFISH), photos=4)
    vote(store, f"{TENCH}/flickr:1", "ann", Verdict.CORRECT)
    vote(store, f"{TENCH}/flickr:1", "bob", Verdict.UNSURE)
    vote(store, f"{TENCH}/flickr:3", "eve", Verdict.CORRECT)
    vote(store, f"{GOLDFISH}/flickr:103", "bob", Verdict.CORRECT)
    refuse(store, 3, "too small: 9 x 9")
    with store.begin() as session:
        photos = {photo.source_id: photo for photo in session.query(Photo)}
        for wnid, number in ((GOLDFISH, "0"), (TENCH, "103")):
            claim = Candidate(wnid=wnid, photo=photos[number], keyword="fish", rank=9)
            session.add(claim)
        photos["101"].sha256 = photos["2"].sha256
    now = status(workspace, store)
    assert (now.found, now.stored, now.rejected) == (8, 7, {"too small": 1})
    # Of those that two classes claim, only what somebody spoke of is for labelers: 103.
    assert (now.candidates, now.candidate_classes, now.contested) == (4, 2, 4)
    assert (now.labeled, now.labels, now.labelers) == (2, 3, 2)
    tasks = [task.replace("/flickr:", " ") for task in contested_tasks(store)]
    claimed = [f"{TENCH} 0", f"{GOLDFISH} 0", f"{GOLDFISH} 101", f"{TENCH} 103", f"{GOLDFISH} 103"]
    assert tasks == [*claimed, f"{TENCH} 2"]
    listed = [("flickr:3", "rejected", "too small: 9 x 9")]
    assert [row[1:4] for row in failed(store).rows] == listed
    original((workspace, store), 1).unlink()
    assert check_files(workspace, store)[0].startswith("flickr:1: images/")
    assert files_of_nobody(workspace, store) == []
    store.close()


# Files


def damage(place: Place) -> list[str]:
    """Lose one original and change another; return what should be said of them."""
    lost, changed = original(place, 1), original(place, 100)
    lost.unlink()
    changed.write_bytes(picture(55))
    images = place[0].images
    return [
        f"flickr:1: images/{lost.relative_to(images)} is missing",
        f"flickr:100: images/{changed.relative_to(images)} was changed",
    ]


def test_doctor_names_missing_and_changed_originals_and_mends_them_where_it_is_asked(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, store = place
    monkeypatch.setattr("genset.db.images_folder._PAGE", 2)  # photos read at a time; there are four
    vote(store, f"{TENCH}/flickr:1", "ann", Verdict.CORRECT)
    changed = original(place, 100)
    problems = damage(place)
    for repair in (False, False, True):
        assert changed.read_bytes() == picture(55)
        assert status(*place).stored == 4
        assert check_files(workspace, store, repair=repair) == problems
    assert check_files(workspace, store) == []
    assert not changed.exists()
    now = status(workspace, store)
    assert (now.found, now.stored, now.rejected, now.labels) == (4, 2, {}, 0)
    with store.session() as session:
        untried = session.query(Photo).filter_by(sha256=None, rejected=None)
        assert {photo.source_id for photo in untried} == {"1", "100"}


def test_files_of_nobody_are_those_that_no_photo_has(place: Place) -> None:
    """A file of no photo goes once it is an hour old; a scrape that runs may need a younger one."""
    images = place[0].images
    theirs = original(place, 0)
    strays = [theirs.with_name(".partial-1"), theirs.with_suffix(".png")]
    young = theirs.with_suffix(".webp")
    not_ours = [images / "zz" / "a.jpg", theirs.with_name("notes.jpg")]
    for path in (*strays, young, *not_ours):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
    for path in (*images.glob("*/*"),):
        if path != young:
            os.utime(path, (0, 0))
    assert files_of_nobody(*place) == sorted(strays)
    assert "2 files of no photo" in genset("doctor", cwd=place[0].root).stdout
    assert "were deleted" in genset("doctor", "--repair", cwd=place[0].root).stdout
    assert not any(path.exists() for path in strays)
    assert all(path.exists() for path in (theirs, young, *not_ours))


def test_it_ends_with_the_next_command_of_each_stage(place: Place) -> None:
    workspace, store = place
    now = status(workspace, store)
    fresh = replace(now, searched=0, stored=0, candidates=0, labeled=0)
    assert fresh.next_command == "genset scrape"
    assert now.next_command == "genset label"
    stopped = replace(now, unfinished="genset scrape --classes tench")
    assert stopped.next_command == "genset scrape --classes tench"
    assert replace(stopped, releases={"v1": 4}).next_command == "genset label"
    complete = replace(now, labeled=now.candidates, missing_votes={})
    assert complete.next_command == "genset release create v1"
    released = replace(complete, releases={"v1": 4, "v2": 3}, runs={"v1": ["m"]})
    assert released.next_command == "genset evaluate v2 --model torchvision:resnet50"
    scored = replace(released, runs={"v2": ["m"]})
    assert scored.next_command == "genset report v2"
