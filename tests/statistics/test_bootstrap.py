"""Intervals: against scipy, and by drawing whole sets of which the truth is known."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genset.statistics.bootstrap import (
    STANDARD,
    Resampling,
    intervals,
)
from genset.statistics.intervals import quantile, wilson

PHOTOS = 2864


SETS = 2_000


def drawn_sets(seed: int, classes: int, sets: int = SETS) -> tuple[Any, Any]:
    """Class numbers, and the hits of a model on so many sets: photos x sets.

    Its accuracy differs from class to class, 0.7 on average; each set has classes of its own. Some
    classes have more photos than others, as in a release.
    """
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.multinomial(PHOTOS - classes, np.full(classes, 1 / classes))
    numbers = np.repeat(np.arange(classes), sizes)
    of_class = rng.beta(2.1, 0.9, size=(classes, sets))
    return numbers, rng.random((PHOTOS, sets)) < of_class[numbers]


def coverage(numbers: Any, values: Any, classes: int, truth: float) -> float:
    """How often the interval of a column's mean, one of each set, holds the truth."""
    drawn = Resampling(draws=1_000).ratios(numbers, values, np.ones_like(values, dtype=float))
    ends = intervals(drawn, classes, widest=(-1.0, 1.0))
    return float(np.mean([low <= truth <= high for low, high in ends]))


@pytest.mark.parametrize("classes", [30, 600])
def test_resampled_classes_cover_the_truth_as_often_as_they_say(classes: int) -> None:
    numbers, right = drawn_sets(2, classes)
    assert 0.94 <= coverage(numbers, right, classes, 0.7) <= 0.96
    ends = [wilson(hits, PHOTOS) for hits in right.sum(axis=0).tolist()]
    # What takes photos for independent is too sure.
    assert np.mean([low <= 0.7 <= high for low, high in ends]) < 0.92


def test_each_draw_is_the_ratio_over_classes_taken_with_replacement() -> None:
    """scipy resamples the classes' own sums; the same spread must come out."""
    numbers, right = drawn_sets(4, 100, sets=1)
    ours = Resampling(draws=20_000).ratios(numbers, right, np.ones((PHOTOS, 1)))[:, 0]
    hits, photos = np.bincount(numbers, weights=right[:, 0]), np.bincount(numbers)
    theirs = stats.bootstrap(
        (hits, photos),
        lambda h, n, axis: h.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=20_000,
        random_state=np.random.default_rng(5),
    )
    assert ours.std() == pytest.approx(theirs.standard_error, rel=0.03)
    ((low, high),) = intervals(ours[:, None], 100)
    wide = np.sqrt(100 / 99) * stats.t.ppf(0.975, 99) / stats.norm.ppf(0.975)
    middle = right.mean()
    assert low - middle == pytest.approx(wide * (theirs.confidence_interval.low - middle), rel=0.05)
    assert high - middle == pytest.approx(
        wide * (theirs.confidence_interval.high - middle), rel=0.05
    )


def test_the_same_seed_gives_the_same_draws_and_pairs_stay_paired() -> None:
    numbers, right = drawn_sets(6, 50, sets=1)
    both = np.hstack([right, ~right])
    ones = np.ones_like(both)
    first = Resampling(draws=1_200, seed=7).ratios(numbers, both, ones)
    again = Resampling(draws=1_200, seed=7).ratios(numbers, both[:, :1], ones[:, :1])
    other = Resampling(draws=1_200, seed=8).ratios(numbers, both, ones)
    assert (first[:, :1] == again).all()
    assert np.allclose(first.sum(axis=1), 1)  # a photo that one has right, the other has wrong
    assert not (first == other).all()


def test_large_sums_are_exact() -> None:
    """Beyond 2**24 four bytes do not hold every whole number."""
    count = 2**23 + 1
    (drawn,) = Resampling(draws=1_000).sums(np.array([[count], [0.0], [0.0]]))
    assert set(drawn.tolist()) == {0.0, count, 2.0 * count, 3.0 * count}


@given(st.integers(1, 6), st.integers(1, 6), st.integers(2, 40), st.floats(0.01, 0.99))
def test_ends_are_quantiles_of_the_draws_that_are_numbers(
    draws: int, numbers: int, clusters: int, confidence: float
) -> None:
    drawn = np.random.default_rng(draws).random((draws, numbers))
    drawn[:, 0][: numbers % (draws + 1)] = np.nan
    ends = intervals(drawn, clusters, confidence)
    reach = stats.t.ppf((1 + confidence) / 2, clusters - 1)
    tail = stats.norm.cdf(-np.sqrt(clusters / (clusters - 1)) * reach)
    for column, (low, high) in zip(drawn.T, ends, strict=True):
        there = column[~np.isnan(column)]
        expected = np.quantile(there, [tail, 1 - tail]) if len(there) else [np.nan, np.nan]
        assert [low, high] == pytest.approx(
            expected.tolist() if len(there) else expected, nan_ok=True
        )


@pytest.mark.parametrize("below", [[[2.0, 1.0], [2.0, 2.0]], [[2.0, 1.0], [1.0, 2.0]]])
def test_a_ratio_is_of_the_photos_that_count_for_it(below: list[list[float]]) -> None:
    above, under = np.array([[1.0, 1.0], [0.0, 2.0]]), np.array(below)
    both = STANDARD.ratios_of_sums(above, under)
    for column in range(2):
        alone = STANDARD.ratios_of_sums(above[:, [column]], under[:, [column]])
        assert (both[:, column] == alone[:, 0]).all()


def test_ten_thousand_draws_of_seed_0_are_the_standard() -> None:
    """As docs/statistics.md says: other ones would change each interval that was published."""
    numbers, right = drawn_sets(4, 30, sets=1)
    ones = np.ones_like(right)
    drawn = STANDARD.ratios(numbers, right, ones)
    assert (drawn == Resampling(10_000, seed=0).ratios(numbers, right, ones)).all()


def test_one_class_says_nothing_of_others() -> None:
    drawn = Resampling(draws=10).ratios(np.zeros(5, int), np.ones((5, 1)), np.ones((5, 1)))
    assert intervals(drawn, 1) == [(0.0, 1.0)]
    assert intervals(drawn, 1, widest=(-1.0, 1.0)) == [(-1.0, 1.0)]


@given(st.floats(0.51, 0.9999), st.integers(1, 10**6))
def test_students_quantile_is_that_of_the_distribution(share: float, freedom: int) -> None:
    found = quantile(2 * share - 1, freedom)
    assert stats.t.cdf(found, freedom) == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("clusters", [2, 3, 4, 5, 10, 600])
def test_intervals_are_widened_as_the_source_says(clusters: int, confidence: float) -> None:
    evenly = np.linspace(0, 1, 100_001)[:, None]  # whose quantile at a share is that share
    ((low, high),) = intervals(evenly, clusters, confidence)
    reach = stats.t.ppf((1 + confidence) / 2, clusters - 1)
    tail = stats.norm.cdf(-np.sqrt(clusters / (clusters - 1)) * reach)
    assert (low, 1 - high) == pytest.approx((tail, tail), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_of_few_classes_it_reaches_from_the_worst_to_the_best(count: int) -> None:
    hits = np.array([1, 4, 3, 2])[:count]  # of five photos each
    classes = np.repeat(np.arange(count), 5)
    right = (np.arange(5) < hits[:, None]).reshape(-1, 1)
    drawn = Resampling().ratios(classes, right, np.ones_like(right))
    assert intervals(drawn, count) == [pytest.approx((0.2, 0.8))]


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_an_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="no interval at"):
        intervals(np.ones((10, 1)), 5, confidence)


def test_reports_draw_ten_thousand_times_by_seed_0_unless_they_are_told_otherwise() -> None:
    assert Resampling() == Resampling(draws=10_000, seed=0)
