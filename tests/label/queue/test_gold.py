"""Gold questions are asked at the share that is set, true, and not to be told apart."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from benchmarks import gold_guesses
from genset.classes import imagenet1k
from genset.core.photo import PhotoOrigin
from genset.db import Claim, GoldAnswer, GoldQuestion, LabelerAct, ScreenPhoto, Store, now
from genset.label import gold
from genset.label.crowd.studies import Studies, Terms
from genset.label.crowd.visits import report_visits
from genset.label.decisions import record
from genset.label.gold import (
    add_gold_question,
    gold_scores,
    list_gold_questions,
    retire_gold_question,
)
from genset.label.labelers import Labelers
from genset.label.queue import asking
from genset.label.queue.hiding import Shown
from genset.label.session.desk import Desk
from genset.label.session.shown import AlsoScreen
from genset.label.stats import collect
from genset.scrape.add import add
from genset.settings import LabelRules
from genset.status import status
from genset.workspace import Workspace
from labeler_app.routes import screen_json
from tests.label.desks import (
    CORRECT,
    INCORRECT,
    answered,
    classes_of,
    decide,
    decide_all,
    desk_of,
    do_all,
    owners,
    under,
)
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, labeled_workspace, picture, vote
from tests.labeler_app.test_gold_hidden import counted
from tests.questions import BASSINET, CROQUET, LAMPSHADE, MINK, TRACTOR, ask_about
from tests.scrape.commands import genset
from tests.scrape.test_folder import put

WNIDS = [cls.wnid for cls in imagenet1k()]


def with_known(root: Path, classes: int, every: int = 1) -> tuple[Workspace, Store]:
    """Five photos a class; of `every` so many classes one is known, right and wrong by turns."""
    opened = labeled_workspace(root, WNIDS[:classes])
    for place in range(0, classes, every):
        expected = (CORRECT, INCORRECT)[place // every % 2]
        task = f"{WNIDS[place]}/flickr:{100 * place + place % 5}"
        gold.add_gold_question(opened[1], task, expected, "seen")
    return opened


@pytest.mark.parametrize("votes", [1, 3])
def test_75_known_photos_are_asked_from_the_first_screen_on(tmp_path: Path, votes: int) -> None:
    opened = under(with_known(tmp_path / "pool", 75), votes=votes, gold=0.2)
    for number in range(votes):
        do_all(desk_of(opened, f"labeler {number}"))
        ((_, is_gold), *_) = gold_guesses.seen(opened, f"labeler {number}")
        assert is_gold
    share = gold.gold_share(opened[1], opened[0].label)
    assert (share.answered, share.gold) == (votes * 375, votes * 75)
    assert collect(opened[1], opened[0]).done == 300  # what is known needs no votes
    opened[1].close()


def test_where_too_few_are_known_it_is_said(tmp_path: Path) -> None:
    opened = under(with_known(tmp_path / "pool", 20, every=4), votes=2, gold=0.2)
    do_all(desk_of(opened, "ann"))
    assert desk_of(opened, "ben").screens()  # not answered yet
    share = gold.gold_share(opened[1], opened[0].label)
    assert (share.answered, share.gold, share.correct, share.incorrect) == (100, 5, 3, 2)
    assert share.lines() == [
        "gold questions: 5 of 100 photos answered, 5% (gold = 0.2); "
        "3 correct and 2 incorrect named",
        "fewer photos are known than that: name more with genset add --gold DIR",
    ]
    assert "who says correct to all is not" in gold.GoldShare(0.2, 0, 0, 0, 0, 0, 0).lines()[2]
    opened[1].close()


def test_what_is_named_is_no_candidate_until_it_is_retired(tmp_path: Path) -> None:
    opened = under(labeled_workspace(tmp_path / "pool", [TENCH, GOLDFISH]), gold=0.0)
    ann = desk_of(opened, "ann")
    made = gold.add_gold_question(opened[1], f"{TENCH}/flickr:2", INCORRECT, "a goldfish", GOLDFISH)
    assert "owner 2" not in owners(*do_all(ann))
    assert status(*opened).candidates == 9
    gold.retire_gold_question(opened[1], made.id)
    assert owners(*do_all(ann)) == ["owner 2"]
    opened[1].close()


@pytest.mark.parametrize(("known", "proposal"), [(75, "reject"), (2, "wait"), (0, "wait")])
def test_a_worker_who_says_incorrect_to_all_is_not_approved(
    tmp_path: Path, known: int, proposal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genset.label.crowd.visits.hurries", lambda _: [])  # takes their time
    opened = under(labeled_workspace(tmp_path / "pool", WNIDS[:75]), votes=3, gold=0.2)
    for place in range(known):
        gold.add_gold_question(opened[1], f"{WNIDS[place]}/flickr:{100 * place}", CORRECT, "seen")
    study = Studies(opened[1]).add("prolific", "S1", 10, Terms(gold_needed=0.8))
    do_all(Desk(*opened, Labelers(opened[1]).by_study("prolific", "S1", "P1", "V1")), INCORRECT)
    [report] = report_visits(opened[1], study)
    assert (report.screens, report.proposal) == (10, proposal)
    assert known != 2 or report.reason.startswith("answered 2 gold questions, too few to judge")
    opened[1].close()


# Not of grids: where each photo is as likely a gold question as any other, a screen of 40 photos
# holds one more often than a screen of 10 (area 0.66), and which photo it is nobody knows by that.
@pytest.mark.soak
def test_a_labeler_who_guesses_where_gold_questions_are_guesses_in_vain(tmp_path: Path) -> None:
    areas = gold_guesses.areas(tmp_path, 40)
    assert len(areas) == 7 and all(0.4 < area <= 0.55 for area in areas.values()), areas


OWN = PhotoOrigin(source="own", owner="Ann", license="", license_url="", posted_at=now())


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """A photo that is right and one that is wrong for the tench, and one that is in the pool."""
    large = 400, 320
    put(tmp_path / "known" / "correct", **{f"{TENCH}_a": picture(901, large)})
    wrong = {f"{TENCH}_b": picture(902, large), f"{GOLDFISH}_c": picture(3)}
    put(tmp_path / "known" / "incorrect", **wrong)
    return tmp_path / "known"


def test_a_folder_of_known_photos_becomes_gold_questions(tmp_path: Path, known: Path) -> None:
    opened = labeled_workspace(tmp_path / "pool", [TENCH, GOLDFISH])
    for times in (1, 2):
        done = add(*opened, known, OWN, gold=True, min_size=50)
        assert (done.added, done.already, done.rejected) == (
            (3, 0, {}) if times == 1 else (0, 3, {})
        )
    questions = {each.task: each.expected for each in gold.list_gold_questions(opened[1])}
    assert questions.pop(f"{GOLDFISH}/flickr:3") is INCORRECT  # the pool's own row, no second one
    assert sorted(questions.values()) == [CORRECT, INCORRECT]
    assert (status(*opened).candidates, status(*opened).found) == (9, 10)
    screens = do_all(desk_of(under(opened, gold=0.4), "ann"))
    assert Counter(owners(*screens))["Ann"] + Counter(owners(*screens))["owner 3"] == 3
    [other] = (known / "incorrect" / TENCH).iterdir()
    other.rename(known / "correct" / TENCH / "y.jpg")  # which costs itself only
    put(known / "correct", **{f"{TENCH}_z": picture(904, (400, 320))})
    done = add(*opened, known, OWN, gold=True, min_size=50)
    assert (done.added, list(done.rejected)) == (1, [f"correct/{TENCH}/y.jpg"])
    opened[1].close()


def test_the_command_adds_gold_questions(tmp_path: Path, known: Path) -> None:
    labeled_workspace(root := tmp_path / "pool", [TENCH, GOLDFISH])[1].close()
    words = "add", "--gold", "--min-size", "50", "--reason", "my own"
    assert genset(*words, str(known), cwd=root).startswith("3 gold questions added")
    assert "no gold question is shown (3 named): set gold" in genset("labels", "stats", cwd=root)
    assert "my own" in genset("labelers", "gold", "list", cwd=root)
    put(known / "maybe", **{f"{TENCH}_z": picture(904)})
    assert "known/maybe holds no gold" in genset(*words, str(known), cwd=root, code=2)
    wrong = genset(*words, str(known / "correct"), cwd=root, code=2)
    assert "holds no gold questions: put photos into" in wrong
    assert "do not go together" in genset(*words, str(known), "--examples", cwd=root, code=2)


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
