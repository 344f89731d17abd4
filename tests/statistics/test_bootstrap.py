"""Intervals: against scipy, and by drawing whole sets of which the truth is known."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genset.statistics.bootstrap import (
    Resampling,
    intervals,
)

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
def test_ends_are_quantiles(draws: int, numbers: int, clusters: int, confidence: float) -> None:
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
