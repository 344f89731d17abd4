"""Draws are fair: an owner's many photos, or a crowded bin, are no advantage."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.release.candidates import CandidateRow, CandidateTable
from genset.release.choose import Choice, ReleasePlan, choose
from genset.release.strategies import Matched, Reference, Strategy, Threshold, Top
from tests.release.tables import entry, tables

ALL_RIGHT = Reference("labels.csv", "0" * 64, {"n1": (0, 0, 0, 0, 1)})
TEN = [Threshold(10), Matched(ALL_RIGHT, 10), Top(10)]

# One class: 99 owners with a photo each, and one with a hundred, 99 to 198. All are correct.
CROWD = CandidateTable(
    tuple(entry(number, said="ccc", owner=f"flickr:{min(number, 99)}@N00") for number in range(199))
)


def photos(choice: Choice) -> set[int]:
    return {int(each.photo.removeprefix("flickr:")) for each in choice.entries}


@pytest.mark.parametrize("strategy", TEN, ids=lambda strategy: strategy.name)
def test_an_owner_with_a_hundred_photos_is_drawn_as_often_as_one_with_one(
    strategy: Strategy,
) -> None:
    plans = (ReleasePlan(strategy, seed, max_per_owner=1) for seed in range(200))
    drawn = [photos(choose(CROWD, plan)) for plan in plans]
    assert {len(each) for each in drawn} == {10}
    theirs = [number for each in drawn for number in each if number >= 99]
    assert 10 <= len(theirs) <= 45  # 20 are expected: one in ten
    assert len(set(theirs)) > len(theirs) / 2  # and any of their photos may be the one
    others = Counter(number for each in drawn for number in each if number < 99)
    assert len(others) == 99
    assert max(others.values()) <= 45


def test_balance_keeps_to_no_bin() -> None:
    crowded = [entry(number, said="ccccc") for number in range(200)]
    sparse = [entry(200 + number, said="ciiii") for number in range(5)]
    two = [entry(300 + number, "n2", "c") for number in range(2)]
    table = CandidateTable((*crowded, *sparse, *two))
    matched = Matched(
        Reference("labels.csv", "0" * 64, {"n1": (0, 1, 0, 0, 1), "n2": (0, 0, 0, 0, 1)}), 10
    )
    drawn = Counter[bool]()
    for seed in range(200):
        both = photos(choose(table, ReleasePlan(matched, seed, balance=True)))
        drawn.update(number < 200 for number in both if number < 300)
    assert drawn.total() == 400
    assert 150 <= drawn[True] <= 250  # half of the ten are of either bin


# The highest, and the limit for owners


def levels(each: CandidateRow) -> tuple[float, int]:
    return each.frequency, each.labels


def test_photos_of_a_class_that_is_full_are_no_disadvantage_to_their_owner() -> None:
    ann = {"owner": "flickr:ann"}
    full = [entry(number, "n1", "cci", **ann) for number in range(50)]
    table = CandidateTable(
        (*full, entry(50, "n1", "ccc"), entry(60, "n2", "cci", **ann), entry(61, "n2", "cci"))
    )
    plans = (ReleasePlan(Top(1), seed, max_per_owner=1) for seed in range(60))
    drawn = Counter(frozenset(photos(choose(table, plan))) for plan in plans)
    assert set(drawn) == {frozenset({50, 60}), frozenset({50, 61})}
    assert 15 <= drawn[frozenset({50, 60})] <= 45


@given(table=tables(), count=st.integers(1, 5), most=st.integers(1, 3), seed=st.integers(0, 3))
def test_of_the_top_nothing_is_left_out_that_might_be_in(
    table: CandidateTable, count: int, most: int, seed: int
) -> None:
    choice = choose(table, ReleasePlan(Top(count), seed, max_per_owner=most))
    by_task = {each.task: each for each in table.entries}
    for task, reason in choice.excluded.items():
        left = by_task[task]
        ours = [each for each in choice.entries if each.wnid == left.wnid]
        owners = [each for each in choice.entries if each.owner == left.owner]
        if reason == "not drawn":
            assert len(ours) == count
            assert all(levels(each) >= levels(left) for each in ours)
        elif reason == f"more than {most} of one owner":
            assert len(owners) == most
            assert all(levels(each) >= levels(left) for each in owners)
