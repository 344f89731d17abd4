"""Gold questions are asked at the share that is set, and a labeler cannot tell where they are."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks import gold_guesses
from genset.classes import imagenet1k
from genset.core.photo import PhotoOrigin
from genset.db import Store, now
from genset.label import gold
from genset.label.crowd.studies import Studies, Terms
from genset.label.crowd.visits import report_visits
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.label.stats import collect
from genset.scrape.add import add
from genset.status import status
from genset.workspace import Workspace
from tests.label.desks import CORRECT, INCORRECT, desk_of, do_all, owners, under
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, picture
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
