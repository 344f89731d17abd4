"""What waits for a ruling, and what a ruling does."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.core.errors import BadInput
from genset.db import Candidate, Label, Photo, Store, Verdict, find_candidate
from genset.label.ballots import votes_table
from genset.label.gold import decided
from genset.label.quality import missing
from genset.label.review import queue, rule, send_to_review
from genset.label.stats import collect
from genset.scrape.removal import remove
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.commands import as_json
from tests.label.desks import CORRECT, INCORRECT, UNSURE, decide_all, desk_of, do_all, owners, under
from tests.label.test_stats import say
from tests.labeled_workspace import GOLDFISH, TENCH, vote
from tests.questions import BASSINET, CROQUET, LAMPSHADE, questioned_workspace

ONE, TWO, THREE, FOUR = (f"{TENCH}/flickr:{number}" for number in range(4))


def waiting(
    store: Store, panel: str | None = None, rules: LabelRules | None = None
) -> list[tuple[str, str]]:
    return [(case.task, case.why) for case in queue(store, panel, rules)]


def also_found_for(store: Store, wnid: str, number: int) -> str:
    """Make a photo a candidate of a second class; return the task."""
    with store.begin() as session:
        photo = session.query(Photo).filter_by(source_id=str(number)).one()
        session.add(candidate := Candidate(wnid=wnid, photo=photo, keyword="other", rank=9))
        session.flush()
        return candidate.task


def test_labelers_who_disagree_wait_for_a_ruling_the_most_divided_first(store: Store) -> None:
    five = f"{TENCH}/flickr:4"
    say(store, ONE, "correct", "correct", "incorrect")
    say(store, TWO, "correct", "broken", "unsure")
    say(store, THREE, *["correct"] * 3, "incorrect")
    say(store, FOUR, *["correct"] * 4, "incorrect")  # one of five who disagrees alone is no case
    say(store, five, *["correct"] * 5, "incorrect", "broken")
    assert waiting(store) == [(task, "labelers disagree") for task in (TWO, ONE, five, THREE)]
    assert [case.detail for case in queue(store)][:2] == [
        "labelers disagree: 1 correct, 1 unsure, 1 broken",
        "labelers disagree: 2 correct, 1 incorrect",
    ]


def test_the_queue_tells_neither_side_before_the_ruling(store: Store) -> None:
    say(store, ONE, "correct", "correct", "incorrect")
    say(store, TWO, "incorrect", "incorrect", "correct")
    other = also_found_for(store, GOLDFISH, 3)
    say(store, FOUR, "correct")
    say(store, other, "correct")
    third = also_found_for(store, GOLDFISH, 2)
    first = queue(store)
    with store.begin() as session:  # the same, with every side turned round
        for task in (ONE, TWO):
            number = find_candidate(session, task).id
            for place in range(3):
                turned = Verdict.INCORRECT if (place < 2) == (task == ONE) else Verdict.CORRECT
                session.add(Label(candidate_id=number, worker=f"w{place}", verdict=turned))
    turned_round = queue(store)
    assert [case.blind() for case in turned_round] == [case.blind() for case in first]
    assert [case.votes for case in turned_round] != [case.votes for case in first]
    for case in first:
        assert not re.search(r"\d|w0|correct", str(case.why))
        assert case.blind().keys().isdisjoint({"votes", "detail"})
    # Called correct for several classes, or claimed by several and not labeled: nothing tells.
    told = [(case.task, case.why) for case in first if case.why != "labelers disagree"]
    assert told == sorted(
        (task, "several classes claim the photo") for task in (THREE, third, FOUR, other)
    )


def test_nobody_who_can_tell_waits_for_a_ruling(store: Store) -> None:
    say(store, ONE, "unsure", "unsure")
    say(store, TWO, "unsure", "correct")
    assert waiting(store) == [(ONE, "labelers are unsure")]


def test_a_photo_that_is_correct_for_two_classes_waits_until_one_is_ruled_out(store: Store) -> None:
    other = also_found_for(store, GOLDFISH, 0)
    assert waiting(store) == [
        (ONE, "several classes claim the photo"),
        (other, "several classes claim the photo"),
    ]
    say(store, ONE, "correct")
    assert [case.detail for case in queue(store)] == [
        "several classes claim the photo; labelers: 1 correct",
        "several classes claim the photo",
    ]  # who said so was asked about one class
    say(store, other, "correct")
    assert waiting(store) == [
        (ONE, "several classes claim the photo"),
        (other, "several classes claim the photo"),
    ]
    assert {case.detail for case in queue(store)} == {"correct for 2 classes"}
    rule(store, other, Verdict.INCORRECT, "mia", "it is a tench")
    assert waiting(store) == []


def test_a_panel_has_a_queue_of_its_own(store: Store) -> None:
    say(store, ONE, "correct", "incorrect")
    say(store, TWO, "correct", "incorrect", panel="fresh")
    assert [task for task, _ in waiting(store, "fresh")] == [TWO]
    with pytest.raises(BadInput, match=r"no labels of panel 'frehs'.*: fresh, main"):
        queue(store, "frehs")


def test_candidates_that_are_still_to_get_votes_do_not_wait_yet(
    opened: tuple[Workspace, Store],
) -> None:
    workspace, store = opened
    say(store, ONE, "correct", "incorrect")
    say(store, TWO, "correct", "incorrect", "incorrect", "unsure", "unsure")
    three = replace(workspace, label=LabelRules(votes=3, grow_to=(5,)))
    assert [case.task for case in queue(store, rules=three.label)] == [TWO]
    assert [case.task for case in collect(store, three).disputes] == [TWO]
    assert [case.task for case in collect(store, workspace).disputes] == [ONE, TWO]


def test_a_ruling_settles_a_candidate_and_changes_no_vote(opened: tuple[Workspace, Store]) -> None:
    workspace, store = opened
    say(store, ONE, "correct", "incorrect")
    before = votes_table(store)
    rule(store, ONE, Verdict.INCORRECT, " mia ", "a\ncarp")
    rule(store, ONE, Verdict.CORRECT, "mia", "no, a tench")
    assert waiting(store) == []
    assert votes_table(store) == before
    stats = collect(store, workspace)
    assert stats.ruled == 1
    (frequency,) = stats.frequencies
    assert (frequency.share, frequency.ruling) == (0.5, Verdict.CORRECT)


@pytest.mark.parametrize("decide", ["rule", "send_to_review"])
@pytest.mark.parametrize(
    ("task", "by", "reason", "complaint"),
    [
        (f"{TENCH}/flickr:99", "mia", "because", "there is no candidate"),
        ("tench", "mia", "because", "a task is named like"),
        (ONE, "  ", "because", "somebody who makes it, and a reason"),
        (ONE, "mia", "\n", "somebody who makes it, and a reason"),
        (ONE, "mia", "x" * 501, "at most 500 characters"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(
    store: Store, decide: str, task: str, by: str, reason: str, complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        if decide == "rule":
            rule(store, task, Verdict.CORRECT, by, reason)
        else:
            send_to_review(store, task, LabelRules(), by, reason)
    assert waiting(store) == []


ONE, TWO = f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"


ONCE = LabelRules(votes=1, gold=0)


Opened = tuple[Workspace, Store]


def test_what_is_sent_to_review_waits_there_until_a_later_ruling(store: Store) -> None:
    for worker in ("ann", "ben", "cleo"):  # of one mind, and a ruling says so, too
        vote(store, ONE, worker, Verdict.CORRECT)
    rule(store, ONE, Verdict.CORRECT, "mia", "a tench")
    vote(store, TWO, "ann", Verdict.CORRECT)
    vote(store, TWO, "ben", Verdict.INCORRECT)
    assert waiting(store, rules=ONCE) == [(TWO, "labelers disagree")]

    send_to_review(store, ONE, ONCE, "noa", "every model says teapot")
    assert waiting(store, rules=ONCE) == [(ONE, "sent to review"), (TWO, "labelers disagree")]
    case = queue(store)[0]
    assert case.detail == "sent to review by noa: every model says teapot; labelers: 3 correct"
    assert not {"noa", "teapot", "correct"} & set(str(case.blind()).split())

    rule(store, ONE, Verdict.INCORRECT, "mia", "a teapot")
    assert waiting(store, rules=ONCE) == [(TWO, "labelers disagree")]
    send_to_review(store, ONE, ONCE, "noa", "now they say tench")
    assert waiting(store, rules=ONCE)[0] == (ONE, "sent to review")


def test_it_goes_to_more_labelers_also_after_a_ruling(anywhere: Opened) -> None:
    opened = under(anywhere, votes=1, gold=0)
    workspace, store = opened
    assert len(owners(*do_all(desk_of(opened, "Ann")))) == 20
    rule(store, ONE, Verdict.CORRECT, "mia", "a tench")
    ben, cleo = desk_of(opened, "Ben"), desk_of(opened, "Cleo")
    assert ben.screens() == []
    assert (missing(store, workspace.label).votes, collect(store, workspace).done) == (0, 20)

    assert send_to_review(store, ONE, workspace.label, "noa", "every model says teapot") == 2
    assert (missing(store, workspace.label).votes, collect(store, workspace).done) == (1, 19)
    assert owners(*do_all(ben, Verdict.INCORRECT)) == ["owner 0"]
    assert cleo.screens() == []
    assert collect(store, workspace).done == 20
    # A ruling ends the asking, too.
    send_to_review(store, TWO, workspace.label, "noa", "every model says teapot")
    rule(store, TWO, Verdict.CORRECT, "mia", "a tench")
    assert cleo.screens() == []


def test_nobody_is_tested_by_a_photo_that_is_in_review(store: Store) -> None:
    with store.session() as session:
        number = find_candidate(session, ONE).id
    vote(store, ONE, "ann", Verdict.CORRECT)
    vote(store, ONE, "ben", Verdict.CORRECT)

    def is_known() -> bool:
        with store.session() as session:
            return number in decided(session, [number])

    assert is_known()
    send_to_review(store, ONE, ONCE, "noa", "every model says teapot")
    assert not is_known()
    rule(store, ONE, Verdict.CORRECT, "mia", "a tench")
    assert is_known()


PROPOSAL = f"{BASSINET}/flickr:0"

DOUBT = ("--reason", "every model says so", "--by", "mia")


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Opened]:
    """Two photos, each asked about three classes; two votes, which do not grow."""
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH], photos=2)
    (workspace.root / "genset.toml").write_text("[label]\nvotes = 2\ngrow_to = []\ngold = 0\n")
    yield Workspace.find(workspace.root), store
    store.close()


def labels(opened: Opened, *words: str) -> Result:
    return CliRunner().invoke(cli, ["-w", str(opened[0].root), "labels", *words])


def listed(opened: Opened) -> list[dict[str, Any]]:
    return as_json("-w", opened[0].root, "labels", "review")


def test_a_question_that_is_sent_to_review_is_in_the_queue_until_a_ruling(asked: Opened) -> None:
    assert listed(asked) == []
    assert labels(asked, "request-review", PROPOSAL, *DOUBT).exit_code == 0
    [case] = listed(asked)
    assert (case["task"], case["wnid"], case["home"]) == (PROPOSAL, BASSINET, TENCH)
    assert case["why"] == "sent to review"
    table = labels(asked, "review").stdout
    assert "sent to review: is bassinet in this photo of tench, too?" in table
    ruled = labels(asked, "rule", PROPOSAL, "correct", "--reason", "it is", "--by", "mia")
    assert ruled.exit_code == 0
    assert listed(asked) == []


def test_questions_that_stay_unclear_after_all_their_votes_wait_for_a_ruling(asked: Opened) -> None:
    def ann(wnid: str) -> Verdict:
        return {BASSINET: CORRECT, LAMPSHADE: UNSURE}.get(wnid, INCORRECT)

    decide_all(desk_of(asked, "ann"), ann)
    assert listed(asked) == []  # a second labeler is to come
    decide_all(desk_of(asked, "ben"), lambda wnid: UNSURE if wnid == LAMPSHADE else INCORRECT)
    found = {(each["task"], each["why"]) for each in listed(asked)}
    assert found == {
        (f"{wnid}/flickr:{number}", why)
        for number in (0, 1)
        for wnid, why in ((BASSINET, "labelers disagree"), (LAMPSHADE, "labelers are unsure"))
    }
    assert not any(each["wnid"] == CROQUET for each in listed(asked))
    stats = as_json("-w", asked[0].root, "labels", "stats")
    assert {each["task"] for each in stats["disputes"]} == {task for task, _ in found}


def test_what_most_say_of_a_question_is_no_case(asked: Opened) -> None:
    """As few votes for a candidate would be one: a question is right or wrong by the majority."""
    for name, verdict in (("ann", CORRECT), ("ben", CORRECT), ("cleo", INCORRECT)):
        vote(asked[1], PROPOSAL, name, verdict)
    assert listed(asked) == []


@pytest.mark.parametrize("task", [PROPOSAL, f"{TENCH}/flickr:0"])
def test_a_photo_that_was_removed_is_not_sent_to_review(asked: Opened, task: str) -> None:
    remove(*asked, "flickr:0", "its owner asked")
    failed = labels(asked, "request-review", task, *DOUBT).exception
    assert str(failed).startswith(f"{task} cannot go to review: its photo is not in the pool (")
    assert "\n" not in str(failed)
    assert listed(asked) == []
