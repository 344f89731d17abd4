"""A labeler's first screens, of photos whose answer a manager knows."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from genset.db import GoldAnswer, Label, Store
from genset.label.comments import comments
from genset.label.crowd.studies import Studies
from genset.label.gold import add_gold_question, gold_share
from genset.label.labelers import Labelers
from genset.label.review import rule
from genset.label.session.desk import Desk
from genset.label.session.shown import NewComment
from genset.workspace import Workspace
from tests.label.desks import CORRECT, INCORRECT, decided, desk_of, do, do_all, owners, under
from tests.labeled_workspace import GOLDFISH, TENCH, vote

Opened = tuple[Workspace, Store]


@pytest.fixture
def taught(anywhere: Opened) -> Opened:
    """Two tenches are known by name, one goldfish by a ruling."""
    store = anywhere[1]
    add_gold_question(store, f"{TENCH}/flickr:0", CORRECT, "it is mine")
    add_gold_question(store, f"{TENCH}/flickr:1", INCORRECT, "a carp")
    for number in (101, 103):  # labelers are still asked about the second
        rule(store, f"{GOLDFISH}/flickr:{number}", INCORRECT, "mia", "a koi")
    for name in ("bob", "cid", "dan"):
        vote(store, f"{GOLDFISH}/flickr:101", name, INCORRECT)
    return under(anywhere, votes=3, gold=0.2, training=2)


def test_training_comes_first_and_its_answers_afterwards(taught: Opened) -> None:
    ann = desk_of(taught, "ann")
    first, second, *others = ann.screens()
    assert (first.is_training, second.is_training) == (True, True)
    assert not any(screen.is_training for screen in others)
    assert sorted(owners(first)) == ["owner 0", "owner 1"]  # of both kinds, so it is first
    eve = desk_of(taught, "eve").screens()[1]  # a ruling trains everybody
    assert eve.is_training and owners(eve) == owners(second) == ["owner 101"]
    remark = NewComment(first.photos[0].id, "is it?")
    submission = replace(decided(first, CORRECT), comments=(remark,))
    for _ in range(2):  # a page that heard no answer asks again
        found = {(one.ok, one.expected, one.reason) for one in ann.submit(submission)}
        assert found == {(True, CORRECT, "it is mine"), (True, INCORRECT, "a carp")}
    assert [comment.text for comment in comments(taught[1])] == ["is it?"]
    [receipt] = do(ann, second)
    assert (receipt.expected, receipt.reason) == (INCORRECT, "a koi")
    assert all(receipt.expected is None for receipt in do(ann, others[0]))
    assert not {"owner 0", "owner 1", "owner 101"} & set(owners(*others, *do_all(ann)))
    rule(taught[1], f"{GOLDFISH}/flickr:101", CORRECT, "mia", "no koi")
    training = [screen for screen in desk_of(taught, "fay").screens() if screen.is_training]
    assert "owner 101" not in owners(*training)


def test_nothing_of_it_counts(taught: Opened) -> None:
    workspace, store = taught
    Studies(store).add("mturk", "hit", 2)
    ann = Desk(workspace, store, Labelers(store).by_study("mturk", "hit", "W1", "A1"))
    screens = ann.screens()
    assert [screen.is_training for screen in screens] == [True, True, False, False]
    for screen in screens[:2]:
        do(ann, screen, CORRECT)
    assert len(ann.screens()) == 2
    far = ann.progress()
    assert (far.photos, far.screens_done) == (0, 0)
    assert ann.earlier(None) is None
    assert gold_share(store, workspace.label).gold == 0
    with store.session() as session:
        labels = session.scalars(select(Label).where(Label.screen_id.is_not(None)))
        assert [*labels, *session.scalars(select(GoldAnswer))] == []


def test_who_labels_already_and_where_nothing_is_known_there_is_none(anywhere: Opened) -> None:
    untaught = under(anywhere, gold=0.0, training=2)[0].label
    [line] = gold_share(anywhere[1], untaught).lines()
    assert line.startswith("no photo is known, so there is no training (training = 2): name some")
    bob = desk_of(anywhere, "bob")
    do(bob, bob.screens()[0])
    add_gold_question(anywhere[1], f"{GOLDFISH}/flickr:100", CORRECT, "it is mine")
    later = under(anywhere, votes=3, training=1)
    assert "training" not in "".join(gold_share(anywhere[1], untaught).lines())
    assert not any(screen.is_training for screen in desk_of(later, "bob").screens())
    cid = desk_of(later, "cid")
    assert [screen.is_training for screen in cid.screens(2)] == [True, False]


def test_a_visit_that_has_ended_gets_none(anywhere: Opened) -> None:
    workspace, store = under(anywhere, votes=1, training=1)
    Studies(store).add("mturk", "hit", 2)
    do_all(desk_of((workspace, store), "bob"))
    ann = Desk(workspace, store, Labelers(store).by_study("mturk", "hit", "W1", "A1"))
    assert ann.screens() == [] and ann.progress().done is not None
    add_gold_question(store, f"{GOLDFISH}/flickr:100", CORRECT, "it is mine")
    assert ann.screens() == []
