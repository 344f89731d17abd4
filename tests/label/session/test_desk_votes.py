"""How photos are shared out among labelers: votes, growth, leases, gold questions."""

from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.db import GoldAnswer, Label, Store, votes
from genset.label import Verdict
from genset.label.gold import add_gold_question, list_gold_questions, retire_gold_question
from genset.label.labelers import Labelers
from genset.label.review import rule
from genset.label.session.shown import Done, Screen
from genset.scrape.removal import remove
from genset.workspace import Workspace
from tests.label.desks import (
    CORRECT,
    INCORRECT,
    decided,
    desk_of,
    do,
    do_all,
    let_expire,
    owners,
    reasons,
    under,
)
from tests.labeled_workspace import GOLDFISH, TABBY, TENCH, add_candidate, labeled_workspace, vote

Opened = tuple[Workspace, Store]


GOLF_CART = "n03445924"

LATE = "given to another labeler meanwhile"


def labels_by_task(store: Store) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    with store.session() as session:
        for label in session.scalars(select(Label).order_by(Label.number)):
            found[label.candidate.task].append(label.worker)
    return found


# Votes
def test_with_one_vote_labelers_share_the_photos_out(anywhere: Opened) -> None:
    ann, bob = desk_of(anywhere, "ann"), desk_of(anywhere, "bob")
    hers, his = ann.screens(count=2), bob.screens(count=2)

    assert len(set(owners(*hers, *his))) == 20
    assert ann.screens(count=4) == hers
    assert ann.progress().done is None
    for screen in hers:
        do(ann, screen)
    assert ann.screens() == []
    assert ann.progress().done is None  # bob's may yet come to her
    for screen in his:
        do(bob, screen)
    assert ann.progress().done == bob.progress().done == Done("all")
    assert all(len(workers) == 1 for workers in labels_by_task(anywhere[1]).values())


def test_a_photo_labeled_in_one_panel_is_new_to_others_in_the_next(opened: Opened) -> None:
    do_all(desk_of(opened, "ann"))
    fresh = under(opened, panel="fresh")

    assert do_all(desk_of(fresh, "ann")) == []
    assert len(owners(*do_all(desk_of(fresh, "bob"), INCORRECT))) == 20
    with opened[1].session() as session:
        assert set(map(str, votes(session, "main").values())) == {str(Counter({CORRECT: 1}))}
        assert set(map(str, votes(session, "fresh").values())) == {str(Counter({INCORRECT: 1}))}


def test_a_candidate_grows_while_its_interval_straddles_the_threshold(opened: Opened) -> None:
    opened = under(opened, votes=3, grow_to=(5, 8))
    said: dict[str, Callable[[int], Verdict]] = {
        "owner 0": lambda _: INCORRECT,  # 0 of 3: clear
        "owner 1": lambda turn: INCORRECT if turn < 4 else CORRECT,  # the same, at 3
        "owner 2": lambda turn: CORRECT if turn == 0 else INCORRECT,  # 1 of 3, then 1 of 5: clear
        "owner 3": lambda _: CORRECT,  # 3 of 3, 5 of 5: not clear; 8 of 8 is the end
        "owner 4": lambda _: CORRECT,  # somebody ruled on it: it grows no more
    }
    rule(opened[1], f"{TENCH}/flickr:4", CORRECT, "eve", "a tench")
    for turn in range(9):
        do_all(
            desk_of(opened, f"labeler {turn}"),
            lambda owner, turn=turn: said.get(owner, said["owner 0"])(turn),  # type: ignore[misc]
        )
    counts = {task: len(workers) for task, workers in labels_by_task(opened[1]).items()}
    assert [counts[f"{TENCH}/flickr:{number}"] for number in range(5)] == [3, 3, 5, 8, 3]


# Leases
def test_a_screen_left_alone_goes_to_others_and_late_labels_are_refused(anywhere: Opened) -> None:
    ann, bob = desk_of(anywhere, "ann"), desk_of(anywhere, "bob")
    left = ann.screens(count=4)
    assert bob.screens() == []
    let_expire(anywhere[1], left[0])

    taken = bob.screens()

    assert owners(*taken) == owners(left[0])
    assert ann.beat([screen.id for screen in left]) == [left[0].id]
    assert reasons(do(ann, left[0])) == [LATE] * 5
    assert reasons(do(bob, taken[0])) == [""] * 5
    assert all(workers == ["bob"] for workers in labels_by_task(anywhere[1]).values())


def test_late_labels_are_taken_photo_by_photo_where_votes_allow(anywhere: Opened) -> None:
    ann = desk_of(anywhere, "ann")
    screen = ann.screens(count=1)[0]
    let_expire(anywhere[1], screen)
    vote(anywhere[1], f"{TENCH}/flickr:3", "bob", INCORRECT)
    given = decided(screen)

    expected = ["", "", "", LATE, ""]
    assert reasons(ann.submit(given)) == expected
    assert reasons(ann.submit(given)) == expected
    assert labels_by_task(anywhere[1])[f"{TENCH}/flickr:3"] == ["bob"]


def test_what_was_leased_is_taken_whatever_comes_from_a_table_meanwhile(opened: Opened) -> None:
    ann = desk_of(opened, "ann")
    screen = ann.screens(count=1)[0]
    vote(opened[1], f"{TENCH}/flickr:3", "bob", INCORRECT)

    assert reasons(do(ann, screen)) == [""] * 5


def test_many_tabs_of_many_labelers_at_once_get_no_photo_twice(anywhere: Opened) -> None:
    anywhere = under(anywhere, votes=2)
    names = [f"labeler {number % 4}" for number in range(12)]
    desks = [desk_of(anywhere, name) for name in names]
    with ThreadPoolExecutor(12) as threads:
        shown = list(threads.map(lambda desk: desk.screens(count=2), desks))

    by_name: dict[str, dict[str, Screen]] = defaultdict(dict)
    for name, screens in zip(names, shown, strict=True):
        by_name[name] |= {screen.id: screen for screen in screens}
    for screens in by_name.values():
        assert len(screens) == 2
        assert max(Counter(owners(*screens.values())).values()) == 1
    every = [screen for screens in by_name.values() for screen in screens.values()]
    assert max(Counter(owners(*every)).values()) <= 2


# Gold questions
def settled(root: Path) -> Opened:
    """Three classes, 30 photos each, on which two labelers agree; two get 40 new photos each.

    A third of the photos is not of its class.
    """

    def verdict(owner: str) -> Verdict:
        return CORRECT if int(owner.removeprefix("owner ")) % 3 else INCORRECT

    opened = labeled_workspace(root, [TENCH, TABBY, GOLF_CART], photos=30)
    for name in ("ann", "bob"):
        do_all(desk_of(under(opened, votes=2), name), verdict)
    for wnid, start in ((TENCH, 1000), (TABBY, 2000)):
        for number in range(start, start + 40):
            add_candidate(*opened, wnid, number, rank=number)
    return opened


def test_a_manager_s_gold_question_is_shown_once_to_each_labeler_until_it_is_retired(
    opened: Opened,
) -> None:
    _, store = opened
    for number in range(5):
        for worker in ("one", "two"):
            vote(store, f"{TENCH}/flickr:{number}", worker, CORRECT)
    question = add_gold_question(store, f"{TENCH}/flickr:0", INCORRECT, "a  pike", GOLDFISH)
    assert (question.task, question.reason) == (f"{GOLDFISH}/flickr:0", "a pike")

    tested = under(opened, votes=2, gold=0.5)
    assert "owner 0" in owners(*only(GOLDFISH, do_all(desk_of(tested, "ann"))))
    retire_gold_question(store, question.id)
    assert "owner 0" not in owners(*only(GOLDFISH, do_all(desk_of(tested, "bob"))))

    with store.session() as session:
        [answer] = session.scalars(select(GoldAnswer))
        assert (answer.worker, answer.verdict, answer.question.expected) == (
            "ann",
            CORRECT,
            INCORRECT,
        )
    with pytest.raises(BadInput, match="labelers have seen"):
        add_gold_question(store, f"{TENCH}/flickr:0", CORRECT, "no pike", GOLDFISH)
    assert [each.retired_at is None for each in list_gold_questions(store)] == [False]


def only(wnid: str, screens: list[Screen]) -> list[Screen]:
    return [screen for screen in screens if screen.cls.wnid == wnid]


def test_a_removed_gold_question_is_not_shown(opened: Opened) -> None:
    _, store = opened
    add_gold_question(store, f"{TENCH}/flickr:0", INCORRECT, "a pike", GOLDFISH)
    remove(*opened, "flickr:0", "its owner asked")

    assert "owner 0" not in owners(*do_all(desk_of(under(opened, gold=0.5), "ann")))


def test_what_another_server_leases_meanwhile_is_not_given_again(anywhere: Opened) -> None:
    other = Store.open(anywhere[0].store_url)
    ann, bob = desk_of(anywhere, "ann"), desk_of((anywhere[0], other), "bob")
    (hers,) = ann.screens(count=1)  # this server knows the leases of all four classes now
    his = bob.screens(count=2)
    both = ann.screens(count=4)

    assert len(set(owners(*both, *his))) == len(owners(*both, *his)) == 20
    assert both[0].id == hers.id
    other.close()


def test_screens_that_are_given_back_go_to_others_or_back(anywhere: Opened) -> None:
    ann, bob = desk_of(anywhere, "ann"), desk_of(anywhere, "bob")
    hers = [screen.id for screen in ann.screens(count=4)]
    assert bob.next(1)[1].screens_of_others == 4
    bob.leave(hers)  # not bob's: nothing happens
    assert bob.screens() == []
    ann.leave(hers)
    (his,) = bob.screens(count=1)

    # Of those that are left she gets no more than she asks for, and the others stay free.
    (again,) = ann.screens(count=1)
    assert again.id in hers and owners(again) != owners(his)
    assert len(bob.screens(count=4)) == 3
    assert ann.next(4, [again.id])[1].screens_of_others == 3
    assert set(ann.beat(hers)) == {*hers} - {again.id}
    Labelers(anywhere[1]).block("ann")
    assert len(bob.screens(count=4)) == 4
