"""Answers that cannot be right as a whole, and weak or few ones that can."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from genset.core.errors import GensetError
from genset.score.results.arrays import Names, answers_of, in_utf8, read_answers
from genset.score.results.checks import flags_of
from genset.score.results.results import load_results
from genset.score.results.runs import PREDICTIONS, Prediction, load_predictions, save_run
from genset.score.shards import Answers, BadShard, ShardLabel, load_shard, save_shard
from genset.sets.open import open_set
from genset.statistics.ranks import odd_ranks, other_order
from tests.reporting.many import many_made_up
from tests.score.colours import WNIDS

BY_PLACE = np.array(WNIDS)
PHOTOS = 2_000


def answers(share: float, photos: int = PHOTOS, seed: int = 1) -> tuple[NDArray[np.int64], ...]:
    """True classes, and five answers to each photo: the best one is right on such a share."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1000, size=photos)
    ranked = (truth[:, None] + rng.integers(2, 199, size=(photos, 5)) * [[1, 2, 3, 4, 5]]) % 1000
    luck = rng.random(photos)
    hit = luck < share
    ranked[hit, 0] = truth[hit]
    later = ~hit & (luck < share + (1 - share) / 2)
    ranked[later, 2] = truth[later]
    second = ~hit & ~later & (luck < share + 0.9 * (1 - share))
    ranked[second, 1] = truth[second]
    return truth, ranked


def flags(truth: NDArray[np.int64], ranked: NDArray[np.int64], classes: int = 1000) -> str:
    return " ".join(reasons(truth, ranked, classes))


def reasons(
    truth: NDArray[np.int64],
    ranked: NDArray[np.int64],
    classes: int = 1000,
    probabilities: NDArray[np.float64] | None = None,
) -> tuple[str, ...]:
    names = Names()
    numbers = [names.numbers(in_utf8(BY_PLACE[each].ravel())) for each in (truth, ranked)]
    return flags_of(numbers[0], numbers[1].reshape(ranked.shape), names, classes, probabilities)


@pytest.mark.parametrize(
    ("meant", "says"),
    [
        (lambda place: (place + 1) % 1000, "one higher"),
        (lambda place: (place - 1) % 1000, "one lower"),
        (lambda place: np.argsort(sorted(range(1000), key=str))[place], "999 sorted as text"),
        (lambda place: np.array(sorted(range(1000), key=str))[place], "once sorted as text"),
    ],
)
def test_classes_in_another_order_are_flagged(meant: object, says: str) -> None:
    truth, ranked = answers(0.7)
    assert callable(meant)
    found = flags(truth, meant(ranked))
    assert says in found
    assert "Write the answers by the sorted wnids" in found


def test_one_class_for_nearly_all_photos_is_flagged() -> None:
    truth, ranked = answers(0.7)
    ranked[20:, 0] = 7
    assert "first answers are one class (n01514668)" in flags(truth, ranked[:, :1])


def test_guesses_are_flagged_and_a_weak_model_is_not() -> None:
    truth, ranked = answers(0.7)
    assert "hardly better than guesses" in flags(truth, ranked[::-1])
    assert "hardly better than guesses" in flags(truth[:24], ranked[100:124])  # none is right
    rng = np.random.default_rng(2)
    weak = np.where(rng.random(PHOTOS) < 0.02, truth, rng.integers(1000, size=PHOTOS))
    assert flags(truth, weak[:, None]) == ""


def of_hits(hits: Sequence[int], photos: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """True classes, and answers that are right so often at each rank."""
    truth = np.arange(photos) % 1000
    ranked = (truth[:, None] + 7 * np.arange(1, len(hits) + 1) + np.arange(photos)[:, None]) % 1000
    ranked = np.where(ranked == truth[:, None], 1000 - 1 - truth[:, None], ranked)
    place = np.repeat(np.arange(len(hits)), hits)
    ranked[np.arange(len(place)), place] = truth[: len(place)]
    return truth, ranked


@pytest.mark.parametrize(
    ("hits", "photos", "flagged"),
    [
        ((358, 1909, 126, 78, 50), 2864, True),  # the first two answers exchanged
        ((0, 7511, 477, 305, 172), 10_000, True),
        ((350, 990, 7610, 190, 120), 10_000, True),  # the first and the third
        ((1070, 4400, 570, 390, 300), 10_000, True),  # AlexNet's first two on ImageNetV2
        ((990, 7610), 10_000, True),
        # The second answer is the best on photos that the first has wrong.
        ((19, 456, 369, 309, 235), 7500, False),  # a genuine model on ImageNet-A
        ((0, 4350, 1520, 810, 500), 10_000, False),  # DenseNet-161 on what it gets wrong
        ((0, 4350), 10_000, False),
        ((19, 456), 7500, False),
        ((0, 14, 3, 1, 0), 40, False),
    ],
)
def test_a_best_answer_that_is_not_the_first_is_flagged(
    hits: tuple[int, ...], photos: int, flagged: bool
) -> None:
    found = flags(*of_hits(hits, photos))
    assert "best class first, and score it again" in found if flagged else found == ""


def test_the_second_of_few_classes_may_be_the_best_by_far() -> None:
    assert flags(*of_hits((0, 7500, 1500, 400, 100), 10_000), classes=10) == ""


def test_a_probability_that_is_no_number_is_flagged() -> None:
    truth, ranked = answers(0.7)
    sure = np.full(PHOTOS, 0.5)
    assert reasons(truth, ranked, 1000, sure) == ()
    sure[3] = np.nan
    (said,) = reasons(truth, ranked, 1000, sure)
    assert "probability of 1 of 2,000 answers is no number" in said


@settings(max_examples=20, deadline=None)
@given(share=st.floats(0.45, 1), photos=st.integers(1, 400), seed=st.integers(0, 1000))
def test_an_ordinary_model_is_never_flagged(share: float, photos: int, seed: int) -> None:
    assert flags(*answers(share, photos, seed)) == ""


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), min_size=1, max_size=5))
def test_a_handful_of_photos_flags_nobody(rows: list[tuple[int, int]]) -> None:
    truth, first = np.array(rows).T
    assert flags(truth, first[:, None]) == ""


@pytest.mark.parametrize(
    ("hits", "says"),
    [
        ([6333, 1200, 500, 260, 170], None),
        ([170, 260, 500, 1200, 6333], "look reversed"),
        ([1000, 1700, 1800], "look reversed"),
        ([1200, 6333, 500, 260, 170], "Rank 2 is right more often than rank 1"),
        ([5000, 1000, 3000], "Rank 3 is right more often than rank 2"),
        ([5000, 1000, 1010, 900], None),
        ([500, 1200, 170, 260, 6333], "The last rank is right more often than the first"),
        ([1690, 1700, 1710, 1680, 1685], "look unordered"),
        ([1690, 1700, 1710, 1680, 500], None),
        ([3000, 500, 510, 490, 505], None),
        ([3000, 2950, 500, 300, 100], None),
        ([9, 12, 11, 8, 10], "hardly better than guesses (hits by rank: 9, 12, 11, 8, 10"),
        ([6333], None),
    ],
)
def test_odd_hits_are_named(hits: list[int], says: str | None) -> None:
    found = odd_ranks(hits, 10_000, 1000)
    assert found is None if says is None else says in (found or "")


def one_higher(photos: int, as_given: int, classes: int = 20) -> str | None:
    """Of 1,000 photos so many that are right one class lower, and some that are right as given."""
    truth = 100 + 10 * (np.arange(1000) % classes)
    answers = np.full(1000, 5)  # a class of no photo, nor is one beside it
    answers[:photos] = truth[:photos] + 1
    answers[photos : photos + as_given] = truth[photos : photos + as_given]
    return other_order(truth, answers)


def test_another_order_is_right_on_five_classes_at_least() -> None:
    assert one_higher(1000, 0, classes=4) is None
    assert "100.0 %" in (one_higher(1000, 0, classes=5) or "")
    # Four classes are right one lower; that others are wrong is no sign of it.
    truth = np.repeat(100 + 10 * np.arange(20), 50)
    answers = np.where(np.arange(1000) < 200, truth + 1, 5)
    assert other_order(truth, answers) is None


# Runs' tables read as arrays say what Python's CSV reader says.


@pytest.mark.parametrize(
    ("image", "wnid", "shares"),
    [
        ("a/plain.jpg", WNIDS[0], (0.5, 0.25)),
        ('"quoted", 猫\n', "bird, blue", (1e-9, float("nan"))),
        ("a", "", ()),
    ],
)
def test_a_table_as_arrays_says_what_it_says_line_by_line(
    tmp_path: Path, image: str, wnid: str, shares: tuple[float, ...]
) -> None:
    run = many_made_up(tmp_path / "any", models=1, photos=5).made[0]
    save_run(tmp_path / "run", run, [Prediction(image, wnid, ('a"b', WNIDS[1]), shares)] * 2)
    read, names = load_predictions(tmp_path / "run"), Names()
    found, expected = read_answers(tmp_path / "run", names), answers_of(read, names)
    assert list(found.images) == list(expected.images) == [image] * 2
    assert names.all()[found.ranked].tolist() == [['a"b', WNIDS[1]]] * 2
    assert names.all()[found.truth].tolist() == [wnid] * 2
    np.testing.assert_array_equal(found.confidence, expected.confidence)
    assert found.counts() == expected.counts()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(",n0", ",n0,n0", 1),
        lambda text: text.replace("0.", "zero", 1),
        lambda text: text.replace("photo00003", "photo99999"),
        lambda text: "",
    ],
    ids=["cut", "one cell more", "no number", "another photo", "empty"],
)
def test_a_table_that_was_damaged_is_named(tmp_path: Path, spoil: object) -> None:
    many = many_made_up(tmp_path, models=2, photos=40)
    table = next(many.runs.rglob(PREDICTIONS))
    assert callable(spoil)
    table.write_text(spoil(table.read_text()))
    photos = open_set(str(tmp_path / "photos.csv"))
    with pytest.raises(GensetError, match=r"predictions .*; delete the folder and run genset"):
        load_results(photos, many.runs)


# A kept shard counts only if it is whole, of this run and of these photos.

LABEL = ShardLabel("key", "photos", range(16, 20), logits=7)
ANSWERS = Answers(
    indices=np.array([16, 17, 19]),
    classes=np.arange(15, dtype=np.int32).reshape(3, 5),
    probabilities=np.full((3, 5), 0.2, np.float32),
    losses=np.full(3, 1.6, np.float32),
    logits=np.ones((3, 7), np.float32),
    unreadable={18: "cut"},
)


@pytest.mark.parametrize(
    ("answers", "label"),
    [
        (ANSWERS, replace(LABEL, key="other")),
        (ANSWERS, replace(LABEL, photos="other")),
        (ANSWERS, replace(LABEL, indices=range(16, 21))),
        (replace(ANSWERS, unreadable={}), LABEL),
        (replace(ANSWERS, indices=np.array([16, 17, 17])), LABEL),
        (replace(ANSWERS, probabilities=np.full((3, 5), np.nan, np.float32)), LABEL),
        (replace(ANSWERS, logits=np.full((3, 7), np.inf, np.float32)), LABEL),
    ],
)
def test_another_shard_is_refused(tmp_path: Path, answers: Answers, label: ShardLabel) -> None:
    path = tmp_path / "new" / "1.npz"
    save_shard(path, ANSWERS, LABEL)
    assert load_shard(path, LABEL).indices.tolist() == [16, 17, 19]
    save_shard(path, answers, LABEL)
    with pytest.raises(BadShard, match="is not a shard of this run"):
        load_shard(path, label)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadShard):
        load_shard(path, label)
