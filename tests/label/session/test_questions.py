"""Questions about further classes of a photo: who is asked which, and what is stored of it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from genset.classes import imagenet1k
from genset.db import (
    Candidate,
    Claim,
    Label,
    Photo,
    Proposal,
    ProposedBy,
    Question,
    Ruling,
    Screen,
    Store,
    Verdict,
)
from genset.db.votes_needed import question_votes_missing
from genset.label.queue.boards import boards_of
from genset.label.session.shown import AlsoScreen
from genset.label.suspicion import reasons_against
from genset.workspace import Workspace
from tests.label.desks import (
    CORRECT,
    INCORRECT,
    UNSURE,
    answered,
    classes_of,
    decide,
    decide_all,
    desk_of,
    do_all,
    done_of,
    let_expire,
    reasons,
    under,
)
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH, add_candidate, labeled_workspace, vote
from tests.questions import (
    BASSINET,
    CROQUET,
    FURTHER,
    MINK,
    TRACTOR,
    ask_about,
    questioned_workspace,
)

Opened = tuple[Workspace, Store]


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
    assert len(decide_all(bob)) == 4
    first, *_ = ann.also_screens()
    decide(ann, first, INCORRECT, MINK, CRANE)
    decide_all(ann)
    (his,) = bob.also_screens()
    assert set(classes_of(his)) == {MINK, CRANE}
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


ANY = [*FURTHER, MINK, TRACTOR]


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
