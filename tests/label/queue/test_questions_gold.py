"""Gold questions among the questions about a photo: there, true, and not to be told apart."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.db import Claim, GoldAnswer, GoldQuestion, LabelerAct, ScreenPhoto, Store
from genset.label.decisions import record
from genset.label.gold import (
    add_gold_question,
    gold_scores,
    list_gold_questions,
    retire_gold_question,
)
from genset.label.queue import asking
from genset.label.queue.hiding import Shown
from genset.label.session.desk import Desk
from genset.label.session.shown import AlsoScreen
from genset.settings import LabelRules
from genset.workspace import Workspace
from labeler_app.routes import screen_json
from tests.label.also import answered, classes_of, decide, decide_all
from tests.label.desks import CORRECT, INCORRECT, desk_of
from tests.labeled_workspace import CRANE, TABBY, TENCH, labeled_workspace, vote
from tests.labeler_app.test_gold_hidden import counted
from tests.questions import BASSINET, CROQUET, LAMPSHADE, MINK, TRACTOR, ask_about

Opened = tuple[Workspace, Store]
OF_ANIMALS = [BASSINET, LAMPSHADE, CROQUET, TRACTOR, "n03876231", "n04254777"]
PHOTOS = 6


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Opened]:
    """Photos of three animals, asked about two of six things; a third is known to be absent."""
    opened = with_questions(tmp_path / "pool")
    yield opened
    opened[1].close()


def with_questions(root: Path) -> Opened:
    workspace, store = labeled_workspace(root, [TENCH, CRANE, TABBY], photos=PHOTOS)
    questions = {}
    for place, wnid in enumerate((TENCH, CRANE, TABBY)):
        for number in range(PHOTOS):
            task = f"{wnid}/flickr:{100 * place + number}"
            for worker in ("first", "second"):
                vote(store, task, worker, CORRECT)
            questions[task] = [OF_ANIMALS[(number + each) % 6] for each in (0, 1)]
            add_gold_question(store, task, INCORRECT, "seen", OF_ANIMALS[(number + 2) % 6])
    ask_about(store, questions)
    rules = LabelRules(votes=2, gold=0.4, threshold=0.3)
    return replace(workspace, label=rules), store


def gold_on(store: Store, *screens: AlsoScreen) -> set[str]:
    """The questions, by their id, that are gold questions."""
    on = select(ScreenPhoto.id).where(
        ScreenPhoto.screen_id.in_([screen.id for screen in screens]),
        ScreenPhoto.gold_id.is_not(None),
    )
    with store.session() as session:
        return set(session.scalars(on))


@pytest.mark.soak
def test_gold_questions_are_about_the_photo_look_like_others_and_measure_a_labeler(
    pool: Opened,
) -> None:
    screens = decide_all(desk_of(pool, "ann"))
    decide_all(desk_of(pool, "bob"), CORRECT)

    gold = gold_on(pool[1], *screens)
    questions = [each for screen in screens for each in screen.questions]
    assert 18 <= len(gold) <= 36  # one or two beside each two questions: 0.4 of all
    assert len(questions) == 36 + len(gold)
    places = set()
    for screen in screens:
        assert len(set(classes_of(screen))) == len(classes_of(screen)) <= 8
        assert screen.home.wnid not in classes_of(screen)
        places |= {n for n, each in enumerate(screen.questions, 1) if each.id in gold}
        told = screen_json(screen)
        assert len({frozenset(each) for each in told["questions"]}) == 1
        assert len({len(each["id"]) for each in told["questions"]}) == 1
        assert told["photo"]["src"] == f"/genset/picture/{told['questions'][0]['id']}"
    assert places >= {1, 2, 3}
    with pool[1].session() as session:
        right, of = gold_scores(session, GoldAnswer.worker)["ann"]
        assert right == of == len(gold)  # nothing was there, and she said so
        right, of = gold_scores(session, GoldAnswer.worker)["bob"]
        assert right < of / 2


@pytest.mark.soak
def test_what_two_found_in_a_photo_or_did_not_tests_a_third(
    pool: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    for known_one in list_gold_questions(pool[1]):
        retire_gold_question(pool[1], known_one.id)
    with monkeypatch.context() as without_gold:
        without_gold.setattr(Shown, "gold_among", lambda *_: 0)
        for name in ("ann", "bob"):
            decide_all(desk_of(pool, name), lambda wnid: CORRECT if wnid == BASSINET else INCORRECT)
    monkeypatch.setattr(asking, "_random", random.Random(1))  # that draws photos of both kinds
    tasks = [
        f"{wnid}/flickr:{100 * place + number}"
        for place, wnid in enumerate((TENCH, CRANE, TABBY))
        for number in range(PHOTOS)
    ]
    ask_about(pool[1], {task: [MINK] for task in tasks})  # something to be asked by all of them
    gold = gold_on(pool[1], *decide_all(desk_of(pool, "cid")))
    with pool[1].session() as session:
        shown = select(GoldQuestion).join(ScreenPhoto, ScreenPhoto.gold_id == GoldQuestion.id)
        known = session.scalars(shown.where(ScreenPhoto.id.in_(gold))).all()
        own = [each for each in known if each.expected is CORRECT]
        assert {each.wnid for each in own} == {BASSINET} and len(own) < len(known)
        assert all(session.get_one(Claim, each.basis_id).wnid == each.wnid for each in known)
        right, of = gold_scores(session, GoldAnswer.worker)["cid"]
    assert (right, of) == (len(gold) - len(own), len(gold))
    with pool[1].begin_alone() as session:  # without whose words nothing was settled
        record(session, "ann", LabelerAct.VOID, by="mia", reason="spam")
    with pool[1].session() as session:
        assert "cid" not in gold_scores(session, GoldAnswer.worker)


def test_the_store_is_asked_as_much_with_gold_questions_as_without(
    pool: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(opened: Opened, gold: int) -> list[tuple[int, int]]:
        monkeypatch.setattr(Shown, "gold_among", lambda *_: gold)
        ann: Desk = desk_of(opened, "ann")
        found = []
        while True:
            with counted(opened[1].engine) as to_get:
                screens = ann.also_screens(count=1)
            if not screens:
                return found
            given = answered(screens[0])
            with counted(opened[1].engine) as to_submit:
                ann.submit(given)
            found.append((len(to_get), len(to_submit)))

    spared = with_questions(tmp_path / "spared")
    tested, plain = asked(pool, 1), asked(spared, 0)
    with pool[1].session() as session:
        assert len(session.scalars(select(GoldAnswer)).all()) == len(tested)
    assert tested[2:] == plain[2:]
    spared[1].close()


@pytest.mark.soak
def test_nobody_is_asked_about_a_class_that_is_a_gold_question_of_the_photo(
    pool: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody adds it, to whom it was none."""
    tasks = [each.task.partition("/") for each in list_gold_questions(pool[1])]
    class_of = {photo.replace("flickr:", "owner "): wnid for wnid, _, photo in tasks}
    monkeypatch.setattr(Shown, "gold_among", lambda *_: 0)
    bob = desk_of(pool, "bob")
    while his := bob.also_screens(count=1):
        add = class_of[his[0].photo.owner_name]
        assert all(receipt.ok for receipt in decide(bob, his[0], INCORRECT, add))
    asked = [wnid for screen in decide_all(desk_of(pool, "cid")) for wnid in classes_of(screen)]
    assert len(class_of) == 18 and len(asked) == 36
