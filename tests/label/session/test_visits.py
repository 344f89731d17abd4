"""Visits of paid studies at the desk, and training: how many screens, and how they end."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.db import GoldAnswer, Label, Screen, Store, now
from genset.label.comments import comments
from genset.label.crowd.studies import Studies, Study, Terms
from genset.label.gold import add_gold_question, gold_share
from genset.label.labelers import Labelers
from genset.label.review import rule
from genset.label.session.desk import Desk
from genset.label.session.shown import Done, NewComment
from genset.workspace import Workspace
from tests.label.desks import CORRECT, INCORRECT, decided, desk_of, do, do_all, owners, under
from tests.label.session.test_desk_votes import settled
from tests.labeled_workspace import GOLDFISH, TENCH, vote

Opened = tuple[Workspace, Store]


def arrive(opened: Opened, study: Study, person: str, visit: str) -> Desk:
    workspace, store = opened
    labeler = Labelers(store).by_study(study.platform, study.key, person, visit)
    return Desk(workspace, store, labeler)


def test_two_assignments_of_one_worker_have_screens_and_codes_of_their_own(opened: Opened) -> None:
    study = Studies(opened[1]).add("mturk", "HIT", 1)
    first, second = (arrive(opened, study, "W1", visit) for visit in ("A1", "A2"))
    [one], [two] = first.screens(), second.screens()
    assert one.id != two.id
    assert not set(owners(one)) & set(owners(two))
    assert first.screens() == [one]

    do(first, one)
    done = first.progress()
    assert (done.screens_done, done.screens_to_do) == (1, 1)
    assert done.done == Done("study", "done", study.code, None)
    still = second.progress()
    assert (still.screens_done, still.screens_to_do, still.done) == (0, 1, None)
    do(second, two)
    assert second.progress().done == Done("study", "done", study.code, None)


def test_the_time_left_of_a_visit_is_told_once_there_is_a_pace(opened: Opened) -> None:
    desk = arrive(opened, Studies(opened[1]).add("mturk", "HIT", 9), "W1", "A1")
    for _ in range(3):
        do(desk, desk.screens()[0])
        assert desk.progress().seconds_remaining is None
    with opened[1].begin() as session:
        done = select(Screen).where(Screen.submitted_at.is_not(None))
        for minutes, screen in enumerate(session.scalars(done)):
            screen.submitted_at = now() - timedelta(minutes=minutes)
    do(desk, desk.screens()[0])
    assert desk.progress().seconds_remaining in range(295, 305)  # five screens of a minute


def test_a_visit_that_ended_is_told_its_code_again_and_gets_no_more_work(opened: Opened) -> None:
    studies = Studies(opened[1])
    study = studies.add("prolific", "S1", 1)
    desk = arrive(opened, study, "P1", "V1")
    do_all(desk)
    done = desk.progress().done
    assert done is not None and done.code == study.code
    studies.add("prolific", "S1", 3)  # asks for more from now on: not of who is done
    again = arrive(opened, study, "P1", "V1")
    assert again.screens() == []
    assert again.progress().done == done
    [visit] = studies.visits(study)
    assert (visit.outcome, visit.ended_at is not None) == ("done", True)


def test_who_misses_gold_questions_gets_the_code_that_says_so(tmp_path: Path) -> None:
    opened = under(settled(tmp_path), gold=0.5)
    study = Studies(opened[1]).add("prolific", "S1", 15, Terms(gold_needed=0.9))
    desk = arrive(opened, study, "P1", "V1")
    do_all(desk, CORRECT)  # of every photo, though half of the gold questions are wrong ones
    done = desk.progress().done
    assert done is not None
    assert (done.outcome, done.code) == ("failed", study.code_failed)


def test_who_is_blocked_in_the_middle_gets_no_code_for_what_was_not_done(opened: Opened) -> None:
    labelers, study = Labelers(opened[1]), Studies(opened[1]).add("prolific", "S1", 2)
    desk = arrive(opened, study, "P1", "V1")
    do(desk, desk.screens(count=1)[0])
    do_all(Desk(*opened, labelers.by_name("ann")))  # nothing is left for anybody
    labelers.block("prolific:P1")
    assert desk.progress().done is None
    [visit] = Studies(opened[1]).visits(study)
    assert visit.outcome is None


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
