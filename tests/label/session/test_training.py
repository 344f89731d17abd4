"""A labeler's first screens, of photos whose answer a manager knows."""

import pytest

from genset.db import Store
from genset.label import Verdict
from genset.label.crowd.studies import Studies
from genset.label.gold import add_gold_question, gold_scores, gold_share
from genset.label.people.labelers import Labelers
from genset.label.review import rule
from genset.label.session.desk import Desk
from genset.label.session.shown import Receipt, Screen
from genset.workspace import Workspace
from tests.label.desks import CORRECT, INCORRECT, decided, desk_of, do, do_all, owners, under
from tests.labeled_workspace import GOLDFISH, TENCH

Opened = tuple[Workspace, Store]


@pytest.fixture
def taught(anywhere: Opened) -> Opened:
    """Two tenches are known by name, one goldfish by a ruling."""
    store = anywhere[1]
    add_gold_question(store, f"{TENCH}/flickr:0", CORRECT, "it is mine")
    add_gold_question(store, f"{TENCH}/flickr:1", INCORRECT, "a carp")
    rule(store, f"{GOLDFISH}/flickr:101", INCORRECT, "mia", "a koi")
    return under(anywhere, votes=3, gold=0.2, training=2)


def answers(screen: Screen, receipts: list[Receipt]) -> dict[str, tuple[Verdict | None, str]]:
    return {
        photo.owner_name: (receipt.expected, receipt.reason)
        for photo, receipt in zip(screen.photos, receipts, strict=True)
    }


def test_training_comes_first_and_its_answers_afterwards(taught: Opened) -> None:
    ann = desk_of(taught, "ann")
    first, second, *others = ann.screens()
    assert (first.is_training, second.is_training) == (True, True)
    assert not any(screen.is_training for screen in others)
    assert sorted(owners(first)) == ["owner 0", "owner 1"]  # of both kinds, so it is first
    assert owners(second) == ["owner 101"]
    told = {"owner 0": (CORRECT, "it is mine"), "owner 1": (INCORRECT, "a carp")}
    submission = decided(first, CORRECT)
    for _ in range(2):  # a page that heard no answer asks again
        receipts = ann.submit(submission)
        assert all(receipt.ok for receipt in receipts)
        assert answers(first, receipts) == told
    assert answers(second, do(ann, second)) == {"owner 101": (INCORRECT, "a koi")}
    assert all(receipt.expected is None for receipt in do(ann, others[0]))
    do_all(ann)
    seen = [owner for screen in ann.screens() for owner in owners(screen)]
    assert not {"owner 0", "owner 1", "owner 101"} & set(seen)


def test_nothing_of_it_counts(taught: Opened) -> None:
    store = taught[1]
    ann = desk_of(taught, "ann")
    first, second, *_ = ann.screens()
    do(ann, first, CORRECT)
    do(ann, second, CORRECT)
    far = ann.progress()
    assert (far.photos, far.screens_done) == (0, 0)
    assert ann.earlier(None) is None
    assert gold_share(store, 0.2).gold == 0
    with store.session() as session:
        assert gold_scores(session) == {}


def test_a_study_s_screens_come_after_it(taught: Opened) -> None:
    workspace, store = taught
    Studies(store).add("mturk", "hit", 2)
    desk = Desk(workspace, store, Labelers(store).by_study("mturk", "hit", "W1", "A1"))
    screens = desk.screens()
    assert [screen.is_training for screen in screens] == [True, True, False, False]
    for screen in screens[:2]:
        do(desk, screen, INCORRECT)
    assert desk.progress().screens_done == 0
    assert len(desk.screens()) == 2


def test_who_labels_already_and_where_nothing_is_known_there_is_none(anywhere: Opened) -> None:
    bob = desk_of(anywhere, "bob")
    do(bob, bob.screens()[0])
    add_gold_question(anywhere[1], f"{GOLDFISH}/flickr:100", CORRECT, "it is mine")
    later = under(anywhere, votes=3, training=1)
    assert not any(screen.is_training for screen in desk_of(later, "bob").screens())
    cid = desk_of(later, "cid")
    assert [screen.is_training for screen in cid.screens(2)] == [True, False]
