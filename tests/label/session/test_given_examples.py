"""Photos given as examples of classes, as labelers see them, and as the command tells of them."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.core.photo import PhotoOrigin
from genset.db import Candidate, ExamplePhoto, Store
from genset.db.images_folder import check_files
from genset.label.session.shown import Screen
from genset.scrape.add import AddSummary, add
from genset.scrape.removal import remove
from genset.status import status
from genset.workspace import Workspace
from tests.label.desks import desk_of
from tests.labeled_workspace import GOLDFISH, TENCH, picture
from tests.scrape.test_folder import put

LARGE = 400, 320
OWN = PhotoOrigin(source="own", owner="", license="", license_url="", posted_at=datetime.now(UTC))
Opened = tuple[Workspace, Store]


def screen_of(opened: Opened, wnid: str) -> Screen:
    screens = desk_of(opened, "ann").screens(12)
    return next(each for each in screens if each.cls.wnid == wnid)


def sha256_of(number: int) -> str:
    return hashlib.sha256(picture(number, LARGE)).hexdigest()


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """Two photos of a tench and one of a goldfish."""
    photos = {f"{TENCH}_a": picture(901, LARGE), f"{TENCH}_b": picture(902, LARGE)}
    return put(tmp_path / "known", **photos, **{f"{GOLDFISH}_a": picture(903, LARGE)})


def test_a_class_that_nobody_has_labeled_is_shown_with_them(anywhere: Opened, known: Path) -> None:
    workspace, store = anywhere
    assert screen_of(anywhere, TENCH).examples == ()
    done = add(workspace, store, known, OWN, examples=True)
    assert done == AddSummary("own", added=3, classes={GOLDFISH: 1, TENCH: 2})
    screen = screen_of(anywhere, TENCH)
    assert len(screen.examples) == 2
    assert {(each.source, each.owner_name, each.license) for each in screen.examples} == {
        ("own", "", "")
    }
    goldfish = screen_of(anywhere, GOLDFISH)
    assert len(goldfish.examples) == 1
    as_confusable = next(each for each in screen.confusable if each.cls.wnid == GOLDFISH)
    assert as_confusable.photo == goldfish.examples[0]


def test_they_are_no_candidates_and_come_into_no_release(anywhere: Opened, known: Path) -> None:
    workspace, store = anywhere
    before = status(workspace, store)
    add(workspace, store, known, OWN, examples=True)
    after = status(workspace, store)
    assert (after.found, after.stored, after.candidates) == (before.found, before.stored, 20)
    assert (before.examples, after.examples) == (0, 3)
    screens = desk_of(anywhere, "bob").screens(12)
    asked = [photo for each in screens for photo in each.photos]
    assert len(asked) == 20 and {photo.source for photo in asked} == {"flickr"}
    assert check_files(workspace, store) == []
    with store.session() as session:
        claimed = session.scalars(select(Candidate.photo_id)).all()
        given = session.scalars(select(ExamplePhoto.photo_id)).all()
    assert not set(claimed) & set(given)


def test_who_asks_to_have_one_removed_is_heard(anywhere: Opened, known: Path) -> None:
    workspace, store = anywhere
    add(workspace, store, known, OWN, examples=True)
    remove(workspace, store, f"own:{sha256_of(903)[:32]}", "their wish")
    assert screen_of(anywhere, GOLDFISH).examples == ()
    again = add(workspace, store, known, OWN, examples=True)
    assert again.rejected == {f"{GOLDFISH}/a.jpg": "removed: somebody asked for it"}
