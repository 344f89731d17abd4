"""What waits for a ruling, and what a ruling does."""

import re
from dataclasses import replace

import pytest

from genset.core.errors import BadInput
from genset.db import Candidate, Label, Photo, find_candidate
from genset.label import Store, Verdict
from genset.label.ballots import votes_table
from genset.label.review import Dispute, queue, rule, send_to_review
from genset.label.stats import collect
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.label.test_stats import say
from tests.labeled_workspace import GOLDFISH, TENCH

ONE, TWO, THREE, FOUR = (f"{TENCH}/flickr:{number}" for number in range(4))


def waiting(store: Store, panel: str | None = None) -> list[tuple[str, str]]:
    return [(case.task, case.why) for case in queue(store, panel)]


def also_found_for(store: Store, wnid: str, number: int) -> str:
    """Make a photo a candidate of a second class; return the task."""
    with store.begin() as session:
        photo = session.query(Photo).filter_by(source_id=str(number)).one()
        session.add(candidate := Candidate(wnid=wnid, photo=photo, keyword="other", rank=9))
        session.flush()
        return candidate.task


def test_labelers_who_disagree_wait_for_a_ruling_the_most_divided_first(store: Store) -> None:
    say(store, ONE, "correct", "correct", "incorrect")
    say(store, TWO, "correct", "broken", "unsure")
    say(store, THREE, "correct", "correct", "correct")
    say(store, FOUR, *["correct"] * 9, "incorrect")  # clear enough
    assert waiting(store) == [(TWO, "labelers disagree"), (ONE, "labelers disagree")]
    assert [case.detail for case in queue(store)] == [
        "labelers disagree: 1 correct, 1 unsure, 1 broken",
        "labelers disagree: 2 correct, 1 incorrect",
    ]


def test_one_of_five_labelers_who_disagrees_alone_is_no_case(store: Store) -> None:
    say(store, ONE, *["correct"] * 4, "incorrect")
    say(store, TWO, *["incorrect"] * 5, "correct")
    say(store, THREE, *["correct"] * 3, "incorrect")
    say(store, FOUR, *["correct"] * 5, "incorrect", "broken")
    assert [task for task, _ in waiting(store)] == [FOUR, THREE]


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


def test_a_case_shows_who_said_what_and_the_photos_credits(store: Store) -> None:
    say(store, TWO, "correct", "incorrect")
    (case,) = queue(store)
    assert case == Dispute(
        task=TWO,
        wnid=TENCH,
        why="labelers disagree",
        detail="labelers disagree: 1 correct, 1 incorrect",
        votes=(("w0", "correct"), ("w1", "incorrect")),
        photo_id=case.photo_id,
        source="flickr",
        source_id="1",
        owner_name="owner 1",
        license="CC BY 2.0",
        license_url="https://creativecommons.org/licenses/by/2.0/",
        page_url="https://www.flickr.com/photos/1@N00/1",
        home=None,
    )
    with store.session() as session:
        assert session.get_one(Photo, case.photo_id).source_id == "1"


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
