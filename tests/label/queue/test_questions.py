"""Which further classes of which photos are asked, of whom, and how often."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from genset.classes import imagenet1k
from genset.db import (
    Photo,
    Store,
    Verdict,
)
from genset.db.votes_needed import question_votes_missing
from genset.label.session.shown import AlsoScreen
from genset.workspace import Workspace
from tests.label.also import classes_of, decide_all, done_of
from tests.label.desks import CORRECT, INCORRECT, UNSURE, desk_of, do_all, under
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, labeled_workspace, vote
from tests.questions import (
    BASSINET,
    CROQUET,
    FURTHER,
    LAMPSHADE,
    MINK,
    TRACTOR,
    ask_about,
    questioned_workspace,
)

Opened = tuple[Workspace, Store]
ANY = [*FURTHER, MINK, TRACTOR]


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Opened]:
    """Two classes of two photos, each photo asked about three classes."""
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH, GOLDFISH], photos=2)
    yield workspace, store
    store.close()


@pytest.fixture
def asked_anywhere(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opened]:
    """The same on SQLite and on PostgreSQL by turns."""
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH, GOLDFISH], photos=2)
    yield workspace, store
    store.close()


def test_all_questions_of_a_photo_come_on_one_screen_class_after_class(asked: Opened) -> None:
    ann = desk_of(asked, "ann")
    screens = ann.also_screens(count=12)
    assert [screen.home.wnid for screen in screens] == [TENCH, TENCH, GOLDFISH, GOLDFISH]
    assert all(set(classes_of(screen)) == set(FURTHER) for screen in screens)
    assert [screen.photo.owner_name for screen in screens] == [
        "owner 0",
        "owner 1",
        "owner 100",
        "owner 101",
    ]
    assert {screen.photo.id == screen.questions[0].id for screen in screens} == {True}
    assert [screen.id for screen in ann.also_screens(count=12)] == [each.id for each in screens]


def test_the_order_of_the_questions_is_another_for_each_labeler_and_photo(tmp_path: Path) -> None:
    def orders(root: Path) -> list[list[str]]:
        workspace, store = questioned_workspace(root, [TENCH], photos=4, further=ANY)
        opened = under((workspace, store), votes=3)
        found = [
            classes_of(screen)
            for name in ("ann", "bob", "cid")
            for screen in desk_of(opened, name).also_screens(count=4)
        ]
        store.close()
        return found

    drawn = orders(tmp_path / "one")
    assert len({tuple(order) for order in drawn}) > 6
    assert len({order[0] for order in drawn}) > 2
    assert orders(tmp_path / "two") == drawn  # by the seed of the round


def test_questions_come_before_candidates_and_both_are_counted(asked: Opened) -> None:
    add_candidate(*asked, TENCH, 77, 9)
    ann = desk_of(asked, "ann")
    before = ann.progress()
    assert before.classes == 2
    assert [isinstance(each, AlsoScreen) for each in ann.next(12)[0]] == [True] * 4 + [False]
    decide_all(ann)
    between = ann.progress()
    assert (between.screens_done, between.photos) == (4, 12)
    assert len(do_all(ann)) == 1
    assert done_of(ann) is not None


@pytest.mark.parametrize(("questions", "sizes"), [(8, [8]), (9, [5, 4]), (17, [6, 6, 5])])
def test_many_questions_of_a_photo_come_on_several_screens_of_about_as_many(
    tmp_path: Path, questions: int, sizes: list[int]
) -> None:
    further = [cls.wnid for cls in imagenet1k() if cls.wnid != TENCH][:questions]
    opened = questioned_workspace(tmp_path / "many", [TENCH], photos=1, further=further)
    ann = desk_of(opened, "ann")
    assert [len(screen.questions) for screen in ann.also_screens(count=12)] == sizes
    opened[1].close()


def test_a_round_that_comes_meanwhile_is_asked_at_once(tmp_path: Path) -> None:
    opened = labeled_workspace(tmp_path / "workspace", [TENCH])
    ann = desk_of(opened, "ann")
    assert len(do_all(ann)) == 1
    ask_about(opened[1], {f"{TENCH}/flickr:0": [BASSINET, TENCH]})  # its own class is never asked
    (screen,) = ann.also_screens()
    assert classes_of(screen) == [BASSINET]
    opened[1].close()


def test_a_question_that_a_labeler_has_answered_is_not_asked_again(asked: Opened) -> None:
    store = asked[1]
    vote(store, f"{BASSINET}/flickr:0", "ann", INCORRECT, panel="another")
    first, *_ = desk_of(under(asked, votes=2), "ann").also_screens()
    assert set(classes_of(first)) == {LAMPSHADE, CROQUET}


@pytest.mark.parametrize(
    ("said", "grow_to", "more"),
    [
        ((INCORRECT, UNSURE), (3,), 1),
        ((CORRECT, UNSURE), (3,), 1),
        ((UNSURE, UNSURE), (3,), 0),
        ((INCORRECT, INCORRECT, INCORRECT, CORRECT), (6, 9), 2),
        ((INCORRECT,) * 5 + (CORRECT,), (6,), 0),
    ],
)
def test_votes_grow_wherever_verdicts_are_not_the_same(
    tmp_path: Path, said: tuple[Verdict, ...], grow_to: tuple[int, ...], more: int
) -> None:
    """Whatever the threshold is: one who says no does not outvote one who cannot tell."""
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH], 1, [BASSINET])
    votes = 4 if len(said) > 3 else 2
    opened = under((workspace, store), votes=votes, grow_to=grow_to)
    for number, verdict in enumerate(said):
        vote(store, f"{BASSINET}/flickr:0", f"labeler {number}", verdict)
    assert question_votes_missing(opened[0].label, Counter(said), ruled=False) == more
    asked = desk_of(opened, "third").also_screens()
    assert [classes_of(screen) for screen in asked] == ([[BASSINET]] if more else [])
    store.close()


def test_a_removed_photo_is_asked_no_more_and_its_screen_is_over(asked: Opened) -> None:
    ann = desk_of(asked, "ann")
    first, second = ann.also_screens(count=2)
    with asked[1].begin() as session:
        session.execute(
            update(Photo).where(Photo.source_id == "0").values(rejected="removed by its owner")
        )
    told, _ = ann.next(2, loaded=[first.id, second.id])
    assert next(each.id for each in told) == second.id
    assert len(decide_all(ann)) == 3
    assert desk_of(asked, "bob").also_screens() == []
