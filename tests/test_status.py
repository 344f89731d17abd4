"""What `genset status` and `genset doctor` say of a workspace."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, select
from sqlalchemy.pool import StaticPool

from genset.core.errors import BadInput
from genset.db import (
    Base,
    Candidate,
    Label,
    Photo,
    Search,
    SearchFailure,
    Store,
    undecided_photos,
)
from genset.db.images_folder import check_files, files_of_nobody
from genset.label import Verdict
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.release.freeze import create
from genset.release.reader import FORMAT
from genset.sets.open import open_set
from genset.status import SourceCounts, Status, failed, status
from genset.workspace import Workspace
from tests.labeled_workspace import (
    GOLDFISH,
    TENCH,
    add_candidate,
    labeled_workspace,
    photo_row,
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


def test_a_new_workspace_counts_nothing(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path)
    now = status(workspace, Store.open(workspace.store_url))
    assert now.missing.startswith("Flickr requires an API key: set FLICKR_API_KEY")
    zeros = "searched searches found stored contested waiting candidates candidate_classes"
    counts: dict[str, Any] = dict.fromkeys(f"{zeros} labeled labels labelers".split(), 0)
    counts |= {"rejected": {}, "outages": [], "releases": {}, "runs": {}, "chosen": 1000}
    assert now == Status(missing=now.missing, workspace=str(tmp_path), classes=1000, **counts)


def test_each_stage_counts_what_it_stored(place: Place) -> None:
    from tests.score.colours import colours

    workspace, store = place
    before = status(workspace, store)
    assert (before.found, before.stored, before.candidates, before.candidate_classes) == (
        4,
        4,
        4,
        2,
    )

    with store.begin() as session:
        for wnid, page in ((TENCH, 1), (TENCH, 2), (GOLDFISH, 1)):
            found = {"total": 90, "returned": 50, "last": page == 2, "capped": False}
            asked = {"wnid": wnid, "query": "a keyword", "posted_after": workspace.posted_after}
            asked |= {"licenses": ""}
            session.add(Search(source="flickr", per_page=50, page=page, **asked, **found))
    searched = status(workspace, store)
    assert searched == replace(before, chosen=2, searched=2, searches=3)

    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.INCORRECT)
    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.CORRECT)
    vote(store, f"{TENCH}/flickr:0", "bob", Verdict.CORRECT)
    vote(store, f"{GOLDFISH}/flickr:101", "bob", Verdict.UNSURE)
    labeled = status(workspace, store)
    missing = {"candidates": 2, "votes": 2}
    assert labeled == replace(  # ann has one vote
        searched, labeled=2, labels=3, labelers=2, missing_votes=missing
    )

    create(workspace, store, "v1")
    released = status(workspace, store)
    assert released == replace(labeled, releases={"v1": 1}, runs={"v1": []})

    spec = colours(workspace.root)
    evaluate(open_set("v1", workspace.releases), [spec], workspace.runs)
    assert status(workspace, store) == replace(released, runs={"v1": ["colours"]})


def add_search(store: Store, source: str, page: int = 1) -> None:
    with store.begin() as session:
        asked = {"wnid": TENCH, "query": "tench", "licenses": "", "per_page": 50}
        found = {"total": 90, "returned": 50, "last": False, "capped": False}
        after = datetime(2014, 1, 1, tzinfo=UTC)
        session.add(Search(source=source, posted_after=after, page=page, **asked, **found))


def move(store: Store, number: int, source: str) -> None:
    with store.begin() as session:
        session.query(Photo).filter_by(source_id=str(number)).one().source = source


@pytest.mark.soak
def test_several_sources_are_counted_each(place: Place) -> None:
    workspace, store = place
    add_search(store, "flickr")
    for number in (1, 100):
        move(store, number, "commons")
    move(store, 101, "own")
    assert status(workspace, store).sources == {}, "a folder of one's own is not searched"
    assert "\nsource" not in genset("status", cwd=workspace.root).stdout
    assert "sources" not in json.loads(genset("status", "--json", cwd=workspace.root).stdout)

    for page in (1, 2):
        add_search(store, "commons", page)
    refuse(store, 100, "taken too early: 2009")
    now = status(workspace, store)
    assert now.sources == {
        "commons": SourceCounts(searches=2, found=2, stored=1, rejected=1, candidates=1),
        "flickr": SourceCounts(searches=1, found=1, stored=1, rejected=0, candidates=1),
        "own": SourceCounts(searches=0, found=1, stored=1, rejected=0, candidates=1),
    }
    for total, one in (
        (now.found, "found"),
        (now.stored, "stored"),
        (now.candidates, "candidates"),
        (now.searches, "searches"),
    ):
        assert total == sum(getattr(each, one) for each in now.sources.values())
    assert genset("status", cwd=workspace.root).stdout.splitlines()[3:6] == [
        "source     commons: 1 stored, 1 rejected, 2 found; 1 candidate, 2 searches",
        "source     flickr: 1 stored, 0 rejected, 1 found; 1 candidate, 1 search",
        "source     own: 1 stored, 0 rejected, 1 found; 1 candidate, 0 searches",
    ]
    as_json = json.loads(genset("status", "--json", cwd=workspace.root).stdout)
    assert as_json["sources"] == {name: asdict(each) for name, each in now.sources.items()}


def test_a_source_that_never_answered_is_counted_too(place: Place) -> None:
    workspace, store = place
    add_search(store, "flickr")
    at = {"first_at": datetime(2026, 1, 1, tzinfo=UTC)}
    page = {"wnid": TENCH, "source": "commons", "question": "tench", "query": "tench", "page": 1}
    with store.begin() as session:
        session.add(SearchFailure(**page, **at, attempts=1, error="timed out"))
    assert status(workspace, store).sources == {
        "commons": SourceCounts(searches=0, found=0, stored=0, rejected=0, candidates=0),
        "flickr": SourceCounts(searches=1, found=4, stored=4, rejected=0, candidates=4),
    }


def test_a_run_on_another_set_of_the_same_name_is_not_counted(place: Place) -> None:
    from tests.score.colours import colours

    workspace, store = place
    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.CORRECT)
    create(workspace, store, "v1")
    elsewhere = painted_set(workspace.root / "elsewhere" / "v1")
    evaluate(open_set(str(elsewhere)), [colours(workspace.root)], workspace.runs)
    assert status(workspace, store).runs == {"v1": []}


def test_rejected_photos_are_counted_by_reason_and_listed(place: Place) -> None:
    workspace, store = place
    add_candidate(workspace, store, TENCH, 7)
    refuse(store, 0, "same bytes: as flickr:9")
    refuse(store, 7, "same bytes: as flickr:8")
    refuse(store, 101, "gone")
    now = status(workspace, store)
    assert (now.found, now.stored, now.candidates) == (5, 2, 2)
    assert now.rejected == {"same bytes": 2, "gone": 1}
    page = "https://www.flickr.com/photos/{0}@N00/{0}".format
    assert [row[:5] for row in failed(store).rows] == [
        (TENCH, "flickr:0", "rejected", "same bytes: as flickr:9", page(0)),
        (TENCH, "flickr:7", "rejected", "same bytes: as flickr:8", page(7)),
        (GOLDFISH, "flickr:101", "rejected", "gone", page(101)),
    ]


def contested_tasks(store: Store) -> list[str]:
    """The candidates of stored photos that count for no class, by photo."""
    with store.session() as session:
        stored = Photo.sha256.is_not(None), Photo.rejected.is_(None)
        undecided = select(Candidate).join(Candidate.photo).where(*stored)
        found = session.scalars(undecided.where(Photo.id.in_(undecided_photos())))
        return [c.task for c in sorted(found, key=lambda c: (c.photo.source_id, c.task))]


def test_a_photo_that_two_classes_claim_is_counted_and_not_shown(place: Place) -> None:
    workspace, store = place
    with store.begin() as session:
        photo = session.scalars(select(Photo).filter_by(source_id="0")).one()
        session.add(Candidate(wnid=GOLDFISH, photo_id=photo.id, keyword="fish", rank=3))
    assert status(workspace, store).contested == 1
    assert contested_tasks(store) == [f"{TENCH}/flickr:0", f"{GOLDFISH}/flickr:0"]
    first, *_ = Desk(workspace, store, Labelers(store).by_name("ann")).screens()
    assert [photo.owner_name for photo in first.photos] == ["owner 1"]


# Counting in the database

REASONS = (None, None, None, "gone", "too small: 75 x 75", "too small: 9 x 9", "duplicate: of a:1")
photos = st.lists(st.tuples(st.sampled_from([None, "a", "b", "c", "d"]), st.sampled_from(REASONS)))
pairs = st.sets(st.tuples(st.sampled_from("wxyz"), st.integers(0, 9)), max_size=25)
words = st.lists(st.tuples(st.integers(0, 24), st.sampled_from(["ann", "bo"])), max_size=12)


def made(
    photos: list[tuple[str | None, str | None]],
    pairs: set[tuple[str, int]],
    words: list[tuple[int, str]],
) -> Store:
    """A store in memory: photos by bytes and refusal, candidates by class and photo, labels."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    store = Store(engine)
    with store.begin() as session:
        rows = [
            photo_row(number, sha256=sha256, format=sha256 and "JPEG", rejected=rejected)
            for number, (sha256, rejected) in enumerate(photos)
        ]
        candidates = [
            Candidate(wnid=wnid, photo=rows[number], keyword="k", rank=1)
            for wnid, number in sorted(pairs)
            if number < len(rows)
        ]
        session.add_all([*rows, *candidates])
        session.flush()
        for number, worker in words:
            if number < len(candidates):
                verdict = Verdict.CORRECT
                labeled = candidates[number].id
                session.add(Label(candidate_id=labeled, worker=worker, verdict=verdict))
    return store


@given(photos, pairs, words)
@pytest.mark.soak
def test_status_counts_what_one_counts_by_hand(
    photos: list[tuple[str | None, str | None]],
    pairs: set[tuple[str, int]],
    words: list[tuple[int, str]],
) -> None:
    store = made(photos, pairs, words)
    now = status(
        Workspace(Path("/nowhere"), "", Path("/nowhere/images")),
        store,
    )
    with store.session() as session:
        everyone = list(session.scalars(select(Candidate)))
        labels = list(session.scalars(select(Label)))
        pool = [c for c in everyone if c.photo.sha256 and c.photo.rejected is None]
        votes = {(label.candidate_id, label.worker) for label in labels}
        votes &= {(c.id, worker) for c in pool for worker in ("ann", "bo")}
        labeled = {label.candidate_id for label in labels}
        claims: dict[str, list[Candidate]] = {}
        for each in everyone:  # a rival's photo counts, rejected or not
            claims.setdefault(each.photo.sha256 or each.photo.source_id, []).append(each)
        claimed = [c for c in pool if len({r.wnid for r in claims[str(c.photo.sha256)]}) > 1]
        contested = [
            c
            for c in claimed
            if {r.wnid for r in claims[str(c.photo.sha256)]}
            - {r.wnid for r in claims[str(c.photo.sha256)] if r.id in labeled}
        ]  # all that was said is "correct"
        counted = [c for c in pool if c not in claimed or c.id in labeled]
        assert (now.found, now.stored) == (len(photos), sum(sha is not None for sha, _ in photos))
        assert now.rejected == Counter(str(why).split(":")[0] for _, why in photos if why)
        classes = {c.wnid for c in counted}
        assert (now.candidates, now.candidate_classes) == (len(counted), len(classes))
        assert now.contested == len({c.photo_id for c in contested})
        assert now.labeled == sum(c.id in labeled for c in pool)
        assert (now.labels, now.labelers) == (len(votes), len({worker for _, worker in votes}))
        assert contested_tasks(store) == [
            c.task for c in sorted(contested, key=lambda c: (c.photo.source_id, c.task))
        ]
        assert {(*row[:2], row[3]) for row in failed(store).rows} == {
            (c.wnid, c.task.split("/")[1], c.photo.rejected) for c in everyone if c.photo.rejected
        }


def test_both_databases_count_the_same(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = labeled_workspace(tmp_path / "mine", (TENCH, GOLDFISH), photos=4)
    vote(store, f"{TENCH}/flickr:1", "ann", Verdict.CORRECT)
    vote(store, f"{TENCH}/flickr:1", "bob", Verdict.UNSURE)
    refuse(store, 3, "too small: 9 x 9")
    with store.begin() as session:
        first, twin = (session.query(Photo).filter_by(source_id=n).one() for n in ("0", "101"))
        session.add(Candidate(wnid=GOLDFISH, photo_id=first.id, keyword="fish", rank=3))
        twin.sha256 = session.query(Photo).filter_by(source_id="2").one().sha256
    now = status(workspace, store)
    assert (now.found, now.stored, now.rejected) == (8, 7, {"too small": 1})
    assert (now.candidates, now.candidate_classes, now.contested) == (4, 2, 3)
    assert (now.labeled, now.labels, now.labelers) == (1, 2, 2)
    tasks = [task.replace("/flickr:", " ") for task in contested_tasks(store)]
    assert tasks == [f"{TENCH} 0", f"{GOLDFISH} 0", f"{GOLDFISH} 101", f"{TENCH} 2"]
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


def test_doctor_names_missing_and_changed_originals_and_touches_nothing(place: Place) -> None:
    problems = damage(place)
    assert check_files(*place) == problems
    assert check_files(*place) == problems
    assert original(place, 100).read_bytes() == picture(55)
    assert status(*place).stored == 4


def test_repair_makes_lost_photos_count_as_not_downloaded_and_keeps_their_labels(
    place: Place,
) -> None:
    workspace, store = place
    vote(store, f"{TENCH}/flickr:1", "ann", Verdict.CORRECT)
    changed = original(place, 100)
    problems = damage(place)
    assert check_files(workspace, store, repair=True) == problems
    assert check_files(workspace, store) == []
    assert not changed.exists()
    now = status(workspace, store)
    assert (now.found, now.stored, now.rejected, now.labels) == (4, 2, {}, 0)
    with store.session() as session:
        untried = session.query(Photo).filter_by(sha256=None, rejected=None)
        assert {photo.source_id for photo in untried} == {"1", "100"}


def test_originals_are_checked_whatever_their_number(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genset.db.images_folder._PAGE", 2)  # photos read at a time; there are four
    problems = damage(place)
    assert check_files(*place, repair=True) == problems
    assert check_files(*place) == []


def test_files_of_nobody_are_those_that_no_photo_has(place: Place) -> None:
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


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "another"}, "format must be"),
        ({"photos": 5}, "photos must be a list"),
        ({"content_hash": None}, "content_hash must be a text, not null"),
        ({"created_at": 2}, "created_at must be a text, not 2"),
    ],
)
def test_a_manifest_that_is_none_is_named(
    place: Place, change: dict[str, object], says: str
) -> None:
    workspace, store = place
    manifest = workspace.releases / "v1" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    right = {"format": FORMAT, "name": "v1", "created_at": "", "content_hash": "", "photos": []}
    manifest.write_text(json.dumps(right))
    assert status(workspace, store).releases == {"v1": 0}
    manifest.write_text(json.dumps(right | change))
    with pytest.raises(BadInput, match=re.escape(says)):
        status(workspace, store)


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
    shown = genset("status", cwd=workspace.root).stdout
    assert shown.splitlines()[-1].split(maxsplit=1) == ["next", "genset label"]
    outside = genset("-w", str(workspace.root), "status", cwd=workspace.root.parent).stdout
    assert outside.splitlines()[-1].endswith(f"genset -w {workspace.root} label")
