"""The strategies: properties on random tables, answers by hand, and how fair draws are."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.core.errors import BadInput
from genset.core.hashes import hash_lines
from genset.db import Verdict
from genset.licenses import LicenseChoice
from genset.release.candidates import (
    CandidateRow,
    CandidateTable,
    Exclusion,
)
from genset.release.choose import Choice, ReleasePlan, choose
from genset.release.strategies import (
    Majority,
    Matched,
    Reference,
    Strategy,
    Threshold,
    Top,
)

VERDICTS = {
    "c": Verdict.CORRECT,
    "i": Verdict.INCORRECT,
    "u": Verdict.UNSURE,
    "b": Verdict.BROKEN,
}


def entry(number: int, wnid: str = "n1", said: str = "", **other: Any) -> CandidateRow:
    """A candidate whose labelers say `said`: a letter each, of correct, incorrect and so on."""
    counts = {VERDICTS[letter]: said.count(letter) for letter in sorted(set(said))}
    values: dict[str, Any] = {
        "id": number,
        "wnid": wnid,
        "photo": f"flickr:{number}",
        "sha256": f"{number:064x}",
        "fingerprint": None,
        "owner": f"flickr:{number}@N00",
        "license": "CC BY 2.0",
        "license_url": "",
        "posted_at": f"2020-01-01T00:00:{number % 60:02}+00:00",
        "votes": counts,
        "ruling": None,
    }
    return CandidateRow(**{**values, **other})


@st.composite
def tables(draw: st.DrawFn) -> CandidateTable:
    """Candidates of a few classes; some share photos, bytes or owners, look alike or are ruled."""
    claims = draw(
        st.lists(
            st.tuples(st.sampled_from(["n1", "n2", "n3"]), st.integers(0, 25)),
            unique=True,
            max_size=40,
        )
    )
    rows = [
        entry(
            place,
            wnid,
            draw(st.text("cciub", max_size=4)),
            photo=f"flickr:{number}",
            sha256=f"{number // draw(st.sampled_from([1, 1, 1, 2])):064x}",
            owner=f"flickr:{number % 5}",
            posted_at=f"2020-01-{1 + number % 9:02}",
            license=draw(st.sampled_from(["CC BY 2.0", "All Rights Reserved"])),
            ruling=draw(st.sampled_from([None] * 8 + [Verdict.CORRECT, Verdict.INCORRECT])),
        )
        for place, (wnid, number) in enumerate(claims)
    ]
    numbers = st.integers(0, 25)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=5))
    names = [(f"flickr:{one}", f"flickr:{other}") for one, other in pairs]
    return CandidateTable(tuple(rows), tuple(names), frozenset({"flickr"}))


REFERENCE = Reference("labels.csv", "0" * 64, {"n1": (0, 1, 2, 3, 4), "n2": (1, 0, 0, 0, 2)})
STRATEGIES: st.SearchStrategy[Strategy] = st.one_of(
    st.builds(Majority, min_labels=st.integers(1, 4)),
    st.builds(
        Threshold,
        per_class=st.integers(1, 5),
        threshold=st.sampled_from([0.0, 0.5, 0.7, 1.0]),
        relax=st.booleans(),
    ),
    st.builds(Top, per_class=st.integers(1, 5)),
    st.builds(Matched, st.just(REFERENCE), per_class=st.integers(1, 7), fill_up=st.booleans()),
)
PLANS = st.builds(
    ReleasePlan,
    strategy=STRATEGIES,
    seed=st.integers(0, 3),
    licenses=st.sampled_from([None, LicenseChoice(("CC BY 2.0",))]),
    max_per_owner=st.sampled_from([None, 1, 2]),
    balance=st.booleans(),
    deduplicate=st.booleans(),
    exclude=st.sampled_from(
        [(), (Exclusion("x", "0", frozenset({f"{3:064x}"}), np.empty(0, np.uint64)),)]
    ),
)


@given(table=tables(), plan=PLANS, data=st.data())
def test_what_holds_for_every_choice(
    table: CandidateTable, plan: ReleasePlan, data: st.DataObject
) -> None:
    choice = choose(table, plan)
    tasks = [each.task for each in choice.entries]
    every = sorted(each.task for each in table.entries)
    assert sorted([*tasks, *choice.excluded]) == every  # each once, chosen or with a reason
    assert len({each.sha256 for each in choice.entries}) == len(tasks)  # no photo twice
    assert not any(each.ruling is Verdict.INCORRECT for each in choice.entries)
    assert not plan.licenses or {each.license for each in choice.entries} <= {"CC BY 2.0"}
    assert not plan.exclude or f"{3:064x}" not in {each.sha256 for each in choice.entries}
    if plan.max_per_owner:
        owners = Counter(each.owner for each in choice.entries)
        assert max(owners.values(), default=0) <= plan.max_per_owner
    sizes = Counter(each.wnid for each in choice.entries)
    if plan.balance:  # as many of each class as there are of the one with the fewest
        all_sizes = Counter(
            each.wnid for each in choose(table, replace(plan, balance=False)).entries
        )
        assert sizes == dict.fromkeys(all_sizes, min(all_sizes.values(), default=0))
    if (most := plan.strategy.parameters().get("per_class")) is not None:
        assert max(sizes.values(), default=0) <= most
    if plan.deduplicate:
        photos = {each.photo for each in choice.entries}
        assert not any(one != two and {one, two} <= photos for one, two in table.pairs)
    shuffled = data.draw(st.permutations(table.entries))
    assert choose(replace(table, entries=tuple(shuffled)), plan) == choice


def plain(*entries: CandidateRow) -> CandidateTable:
    return CandidateTable(entries)


def names(choice: Choice) -> set[str]:
    return {each.task for each in choice.entries}


# A table by hand. Class n1: 0 of 10 labels for photo 0, 1 of 10 for photo 1, ... 10 of 10 for
# photo 10, and 2 of 2 for photo 11. Class n2: photo 20 with 3 of 5, photo 21 with 1 of 1, photo 22
# without labels, photo 23 with 0 of 2 and ruled correct, photo 24 with 2 of 2 and ruled incorrect.
BY_HAND = plain(
    *(entry(number, "n1", "c" * number + "i" * (10 - number)) for number in range(11)),
    entry(11, "n1", "cc"),
    entry(20, "n2", "cccii"),
    entry(21, "n2", "c"),
    entry(22, "n2"),
    entry(23, "n2", "ii", ruling=Verdict.CORRECT),
    entry(24, "n2", "cc", ruling=Verdict.INCORRECT),
)
# Two photos below 0.2 and two from 0.8 on in n1; one of 0.6 in n2.
MATCH = Reference("by-hand.csv", "0" * 64, {"n1": (2, 0, 0, 0, 2), "n2": (0, 0, 0, 1, 0)})


@pytest.mark.parametrize(
    ("chosen_by", "photos", "short", "notes"),
    [
        (Majority(), {6, 7, 8, 9, 10, 11, 20, 21, 23}, {}, {}),
        (Majority(min_labels=3), {6, 7, 8, 9, 10, 20, 23}, {}, {}),
        (Threshold(5), {7, 8, 9, 10, 11, 21, 23}, {"n2": 3}, {}),
        (
            Threshold(3, threshold=1.0, relax=True),
            {9, 10, 11, 20, 21, 23},
            {},
            {"lowered thresholds": {"n1": 0.9, "n2": 0.6}},
        ),
        (  # Never down to what most say is wrong: n1 has six photos that are called correct.
            Threshold(9, relax=True),
            {6, 7, 8, 9, 10, 11, 20, 21, 23},
            {"n1": 3, "n2": 6},
            {"lowered thresholds": {"n1": 0.6, "n2": 0.6}},
        ),
        (Top(4), {8, 9, 10, 11, 20, 21}, {"n2": 2}, {}),
        (Top(1), {10, 21}, {}, {}),  # of 10 and 11 the one with more labels
        (
            Matched(MATCH, 7),
            {0, 1, 8, 9, 10, 11, 20},
            {"n1": 1, "n2": 6},
            {"short bins": {"n1": [1, 0, 0, 0, 0], "n2": [0, 0, 0, 6, 0]}},
        ),
        (  # Of 9 the two bins get 4 and 5 (the tie goes up). 0 and 1 fill two of the four low
            # seats; the nearest higher bin gives 2 and 3. The top bin has 8 to 11: one is empty.
            Matched(MATCH, 9, fill_up=True),
            {0, 1, 2, 3, 8, 9, 10, 11, 20, 21},
            {"n1": 1, "n2": 7},
            {"bins filled from higher ones": {"n1": [2, 0, 0, 0, 0], "n2": [0, 0, 0, 1, 0]}},
        ),
        (  # Both bins get 7 and lack 5: the higher one is filled first, and 8 are left.
            Matched(Reference("low.csv", "0" * 64, {"n1": (1, 1, 0, 0, 0)}), 14, fill_up=True),
            set(range(12)),
            {"n1": 2},
            {"bins filled from higher ones": {"n1": [3, 5, 0, 0, 0]}},
        ),
    ],
)
def test_answers_by_hand(
    chosen_by: Strategy, photos: set[int], short: dict[str, int], notes: dict[str, Any]
) -> None:
    choice = choose(BY_HAND, ReleasePlan(chosen_by))
    found = {int(each.photo.removeprefix("flickr:")) for each in choice.entries}
    assert (found, choice.short) == (photos, short)
    assert notes.items() <= choice.notes.items()


@pytest.mark.parametrize(
    ("threshold", "notes"), [(1.0, {"lowered thresholds": {"n1": 0.75}}), (0.75, {})]
)
def test_a_threshold_is_lowered_for_a_class_of_one_and_for_none_that_is_full(
    threshold: float, notes: dict[str, Any]
) -> None:
    plan = ReleasePlan(Threshold(1, threshold=threshold, relax=True))
    choice = choose(plain(entry(1, said="ccci")), plan)
    assert (names(choice), choice.notes) == ({"n1/flickr:1"}, notes)


# What is done around a strategy


def reasons(choice: Choice) -> dict[str, str]:
    return {task.partition(":")[2]: reason for task, reason in choice.excluded.items()}


def test_of_photos_that_look_alike_the_first_posted_stays() -> None:
    rows = [entry(number, said="c" * number) for number in (1, 2, 3, 4)]
    table = CandidateTable(
        tuple(rows),
        (("flickr:2", "flickr:3"), ("flickr:3", "flickr:4"), ("flickr:1", "train:n1/7.jpg")),
        frozenset({"flickr"}),
    )
    assert names(choose(table, ReleasePlan(deduplicate=True))) == {"n1/flickr:2"}
    assert reasons(choose(table, ReleasePlan(deduplicate=True))) == {
        "1": "looks like a photo of train",
        "3": "looks like a photo that was posted before it",
        "4": "looks like a photo that was posted before it",
    }
    assert len(choose(table, ReleasePlan()).entries) == 4


def test_a_photo_goes_to_the_one_class_that_it_is_called_correct_for() -> None:
    same: dict[str, Any] = {"photo": "flickr:1", "sha256": f"{1:064x}"}
    low, high = entry(1, "n1", "cciii", **same), entry(2, "n2", "ccc", **same)
    assert names(choose(plain(low, high), ReleasePlan(Top(5)))) == {"n2/flickr:1"}
    also = entry(3, "n3", "ccc", **same)
    assert not choose(plain(low, high, also), ReleasePlan(Top(5))).entries
    unsure = [entry(number, f"n{number}", "cui", **same) for number in (1, 2)]
    assert not choose(plain(*unsure), ReleasePlan(Top(5))).entries


# Files


def test_files_of_hashes_keep_photos_out(tmp_path: Path) -> None:
    bits, sums = tmp_path / "train.hashes", tmp_path / "sums.txt"
    bits.write_text("".join(hash_lines([(0xFF, "n1/1.jpg")])), "utf-8")
    sums.write_text(f"{3:064x}  n1/3.jpg\n", "utf-8")
    table = plain(
        entry(1, said="c", fingerprint=0x0F),  # 4 bits apart
        entry(2, said="c", fingerprint=0xFFFF00),  # 24
        *(entry(number, said="c") for number in (3, 4)),
    )
    choice = choose(table, ReleasePlan(exclude=(Exclusion.read(bits), Exclusion.read(sums))))
    assert reasons(choice) == {
        "1": "looks like a photo of train.hashes",
        "3": "looks like a photo of sums.txt",
    }
    for text in ("", "no hash\n", f"{1:064x}  a\nnothing\n", f"{1:063x} a\n"):
        sums.write_text(text, "utf-8")
        with pytest.raises(BadInput, match=r"sums\.txt(, line [12]: no sha256| holds no hashes)"):
            Exclusion.read(sums)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no column task: a reference has"),
        ("task,worker,label\n", "holds no labels"),
        ("task,worker,label\nn1/a,x,correct\nn1/a,x,perhaps\n", "line 3: a reference has"),
        ("task,worker,label\nn1,x,correct\n", "line 2: a reference has"),
        ('task,worker,label\n"n1/a"b,x,correct\n', "cannot be read as a table"),
    ],
)
def test_a_reference_is_read_as_exported_or_refused(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "labels.csv"
    rows = ("a,x,incorrect", "a,x,correct", "a,y,correct", "b,x,unsure")
    path.write_text("\n".join(["task,worker,label", *(f"n1/{row}" for row in rows)]), "utf-8")
    assert Reference.read(path).histograms == {"n1": (1, 0, 0, 0, 1)}
    path.write_text(text, "utf-8")
    with pytest.raises(BadInput, match=complaint):
        Reference.read(path)


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
