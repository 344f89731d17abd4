"""What a labeler answers about one photo: stored once, taken back, added to."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from genset.classes import imagenet1k
from genset.db import (
    Candidate,
    Claim,
    Label,
    Proposal,
    ProposedBy,
    Question,
    Ruling,
    Screen,
    Store,
    Verdict,
)
from genset.label.queue.boards import boards_of
from genset.label.session.shown import AddedClass, AlsoScreen, Submission
from genset.label.suspicion import reasons_against
from genset.workspace import Workspace
from tests.label.also import answered, classes_of, decide, decide_all
from tests.label.desks import (
    CORRECT,
    INCORRECT,
    UNSURE,
    decided,
    desk_of,
    let_expire,
    reasons,
    under,
)
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote
from tests.questions import (
    BASSINET,
    CROQUET,
    FURTHER,
    LAMPSHADE,
    MINK,
    ask_about,
    questioned_workspace,
)

Opened = tuple[Workspace, Store]


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Opened]:
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH], photos=2)
    yield workspace, store
    store.close()


@pytest.fixture
def asked_anywhere(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opened]:
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH], photos=2)
    yield workspace, store
    store.close()


def labels_of(store: Store, worker: str) -> list[Label]:
    with store.session() as session:
        mine = select(Label).where(Label.worker == worker).order_by(Label.number)
        found = list(session.scalars(mine))
        for label in found:
            assert label.candidate.photo
        return found


def test_answers_are_labels_with_all_that_a_label_has(asked: Opened) -> None:
    ann = desk_of(asked, "ann")
    (screen,) = ann.also_screens(count=1)
    said = dict(zip(FURTHER, (CORRECT, UNSURE, INCORRECT), strict=True))
    given = answered(screen, lambda wnid: said[wnid])
    assert reasons(ann.submit(given)) == ["", "", ""]
    labels = labels_of(asked[1], "ann")
    assert {each.candidate.task: each.verdict for each in labels} == {
        f"{wnid}/flickr:0": verdict for wnid, verdict in said.items()
    }
    assert [each.id for each in labels] == [each.id for each in given.labels]
    assert {(each.screen_id, each.via, each.panel, each.guideline) for each in labels} == {
        (screen.id, "page", "main", "1")
    }
    assert [each.decided_order for each in labels] == [1, 2, 3]


def test_a_question_is_not_broken(asked: Opened) -> None:
    ann = desk_of(asked, "ann")
    (screen,) = ann.also_screens(count=1)
    receipts = decide(ann, screen, lambda w: Verdict.BROKEN if w == LAMPSHADE else INCORRECT)
    assert sorted(reasons(receipts)) == ["", "", "a question is answered by yes, no or maybe"]


def test_one_looks_back_and_thinks_again_about_what_was_asked_and_added(
    asked_anywhere: Opened,
) -> None:
    ann = desk_of(asked_anywhere, "ann")
    (screen,) = ann.also_screens(count=1)
    decide(ann, screen, INCORRECT, MINK)
    again = ann.earlier(None)
    assert isinstance(again, AlsoScreen)
    assert again.submitted
    assert [each.cls.wnid for each in again.questions] == [*classes_of(screen), MINK]
    assert [each.verdict for each in again.questions] == [INCORRECT] * 3 + [CORRECT]
    assert all(receipt.ok for receipt in decide(ann, again, UNSURE))
    labels = labels_of(asked_anywhere[1], "ann")
    assert len(labels) == 8
    assert [each.supersedes for each in labels[4:]] == [each.id for each in labels[:4]]
    stale = decide(ann, again, CORRECT)
    assert set(reasons(stale)) == {"you have changed this verdict elsewhere meanwhile"}
    assert ann.earlier(again.id) is None


def test_a_class_that_two_add_is_one_question_with_two_labels(asked_anywhere: Opened) -> None:
    opened = under(asked_anywhere, votes=2)
    store = opened[1]
    ann, bob = desk_of(opened, "ann"), desk_of(opened, "bob")
    (hers,), (his,) = ann.also_screens(count=1), bob.also_screens(count=1)
    assert hers.home == his.home
    assert all(receipt.ok for receipt in decide(ann, hers, INCORRECT, MINK))
    assert all(receipt.ok for receipt in decide(bob, his, INCORRECT, MINK))
    with store.session() as session:
        (claim,) = session.scalars(select(Claim).where(Claim.wnid == MINK))
        assert isinstance(claim, Proposal)
        question = session.get_one(Question, claim.id)
        assert question.home == TENCH
        proposed = session.scalars(select(ProposedBy).where(ProposedBy.candidate_id == claim.id))
        assert {(each.kind, each.name) for each in proposed} == {
            ("labeler", "ann"),
            ("labeler", "bob"),
        }
        counted = select(func.count()).where(Label.candidate_id == claim.id)
        assert session.scalar(counted) == 2
    assert all(MINK not in classes_of(each) for each in decide_all(desk_of(opened, "cid")))


def test_what_one_adds_others_are_asked(asked_anywhere: Opened) -> None:
    opened = under(asked_anywhere, votes=2)
    other = Store.open(opened[0].store_url)  # of a second server, which knew the questions before
    ann, bob = desk_of(opened, "ann"), desk_of((opened[0], other), "bob")
    assert len(decide_all(bob)) == 2
    first, second = ann.also_screens(count=2)
    decide(ann, first, INCORRECT, MINK, GOLDFISH)
    decide(ann, second)
    (his,) = bob.also_screens()
    assert set(classes_of(his)) == {MINK, GOLDFISH}
    assert his.photo.owner_name == first.photo.owner_name
    decide(bob, his)
    assert ann.also_screens() == bob.also_screens() == []
    other.close()


@pytest.mark.parametrize(
    ("wnid", "reason"),
    [
        (TENCH, "this is the photo's own class"),
        (BASSINET, "this class is asked about already"),
        ("n00000001", "there is no such class"),
    ],
)
def test_a_class_that_cannot_be_added_is_refused_alone(
    asked: Opened, wnid: str, reason: str
) -> None:
    ann = desk_of(asked, "ann")
    (screen,) = ann.also_screens(count=1)
    receipts = decide(ann, screen, INCORRECT, wnid, MINK)
    assert reasons(receipts) == ["", "", "", reason, ""]


def test_only_so_many_classes_are_added_to_a_screen(asked: Opened) -> None:
    ann = desk_of(asked, "ann")
    (screen,) = ann.also_screens(count=1)
    decide(ann, screen)
    told = []
    for cls in list(imagenet1k())[2:14]:
        added = (AddedClass(uuid.uuid4(), cls.wnid, 0, 0, 1),)
        told += reasons(ann.submit(Submission(screen.id, 0, 0, (), added)))
    assert told == [""] * 9 + ["no more classes can be added here"] * 3


def test_no_class_is_added_to_a_screen_of_candidates(opened: Opened) -> None:
    ann = desk_of(opened, "ann")
    (screen,) = ann.screens(count=1)
    added = (AddedClass(uuid.uuid4(), MINK, 0, 0, 1),)
    receipts = ann.submit(replace(decided(screen), added=added))
    assert reasons(receipts) == [""] * 5 + ["classes are added where one photo is shown"]


def test_who_comes_too_late_adds_nothing(asked_anywhere: Opened) -> None:
    ann, bob = desk_of(asked_anywhere, "ann"), desk_of(asked_anywhere, "bob")
    (hers,) = ann.also_screens(count=1)
    let_expire(asked_anywhere[1], hers)
    his = bob.also_screens(count=2)
    assert hers.photo.owner_name in [each.photo.owner_name for each in his]
    receipts = decide(ann, hers, INCORRECT, MINK)
    assert set(reasons(receipts)) == {"given to another labeler meanwhile"}
    assert labels_of(asked_anywhere[1], "ann") == []
    with asked_anywhere[1].session() as session:
        assert session.scalar(select(Claim).where(Claim.wnid == MINK)) is None


def test_one_look_that_answers_eight_questions_is_no_cause_for_suspicion(tmp_path: Path) -> None:
    further = [*FURTHER, MINK, "n01484850", "n01491361", "n01494475", "n01496331"]
    opened = questioned_workspace(tmp_path / "asked", [TENCH], photos=6, further=further)
    ann = desk_of(opened, "ann")
    decide_all(ann)
    with opened[1].begin() as session:
        for screen in session.scalars(select(Screen)):
            screen.seconds = 1.5  # 0.19 s a question, and nobody decides photos so fast
            screen.created_at = screen.created_at.replace(year=2020)
    with opened[1].session() as session:
        assert reasons_against(session, "ann") == []
    opened[1].close()


def test_a_question_has_an_example_and_never_the_photo_itself(tmp_path: Path) -> None:
    """What labelers found in a photo, others must not be shown by that very photo."""
    opened = labeled_workspace(tmp_path / "workspace", [TENCH, BASSINET], photos=1)
    store = opened[1]
    with store.begin() as session:  # the bassinet was found for another class, too
        both = Candidate(wnid=CROQUET, photo_id=2, keyword="", rank=1)
        session.add(both)
        session.flush()
        for number in session.scalars(select(Candidate.id)):
            ruled = Ruling(candidate_id=number, verdict=CORRECT, by="mia", reason="seen")
            session.add(ruled)
    for task in (f"{TENCH}/flickr:0", f"{BASSINET}/flickr:100"):
        vote(store, task, "first", CORRECT)
    ask_about(store, {f"{TENCH}/flickr:0": [BASSINET], f"{BASSINET}/flickr:100": [CROQUET]})
    ann = desk_of(opened, "ann")

    bassinet, tench = ann.also_screens()
    if bassinet.home.wnid == TENCH:
        bassinet, tench = tench, bassinet
    decide(ann, bassinet, CORRECT)
    again = ann.earlier(None)

    (asked,) = tench.questions
    assert asked.photo is not None
    assert asked.photo.owner_name == "owner 100"
    assert isinstance(again, AlsoScreen)
    assert again.photo.owner_name == "owner 100"
    assert [(each.cls.wnid, each.photo) for each in again.questions] == [(CROQUET, None)]
    # To others, who are not asked, that photo is an example of both classes.
    board = boards_of(store, opened[0].label).candidates
    with store.session() as session:
        board.catch_up(session, "bob")
        assert board.examples(session, "bob", CROQUET, 1) == [both.id]
    store.close()
