"""Intervals: against scipy, and by drawing whole sets of which the truth is known."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genset.statistics.bootstrap import Resampling, intervals
from genset.statistics.matched import FEWEST, Matched, match

PHOTOS = 2864


def drawn_sets(seed: int, classes: int, sets: int) -> tuple[Any, Any]:
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


# Two groups of photos over the classes that both have: by hand, by drawing, and in general.

FEW_DRAWS = Resampling(draws=200)


def matched(classes: Any, right: Any, second: Any, resampling: Resampling = FEW_DRAWS) -> Matched:
    """One model that is counted on every photo."""
    column = np.asarray(right, float)[:, None]
    everywhere = np.ones(column.shape, bool)
    numbers, sides = np.asarray(classes, np.int64), np.asarray(second, bool)
    (found,) = match(numbers, column, everywhere, sides, resampling)
    return found


def photos_of(shares: list[tuple[tuple[int, int], tuple[int, int]]]) -> tuple[Any, Any, Any]:
    """Photos with so many hits of so many in each class's first and second group."""
    rows = [
        (number, hit < hits, bool(side))
        for number, sides in enumerate(shares)
        for side, (hits, photos) in enumerate(sides)
        for hit in range(photos)
    ]
    classes, right, second = (np.array(column) for column in zip(*rows, strict=True))
    return classes, right, second


def by_hand(classes: Any, right: Any, second: Any) -> tuple[Fraction, Fraction, list[Any]]:
    """Both accuracies, and each shared class's pair of them, with nothing but fractions."""
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for number, hit, side in zip(classes, right, second, strict=True):
        groups.setdefault(int(number), ([], []))[int(side)].append(int(hit))
    pairs = [
        tuple(Fraction(sum(each), len(each)) for each in sides)
        for sides in groups.values()
        if all(sides)
    ]
    first, other = (sum((pair[n] for pair in pairs), Fraction()) / len(pairs) for n in (0, 1))
    return first, other, pairs


GROUP = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda two: (min(two), max(two)))
CLASSES = st.lists(st.tuples(GROUP, GROUP), min_size=12, max_size=30).filter(
    lambda shares: any(first[1] and other[1] for first, other in shares)
)


@given(CLASSES)
def test_accuracies_are_those_counted_by_hand(shares: Any) -> None:
    photos = photos_of(shares)
    found = matched(*photos)
    first, other, pairs = by_hand(*photos)
    assert found.classes == len(pairs)
    both = [(one[1], two[1]) for one, two in shares if one[1] and two[1]]
    assert found.photos == (sum(one for one, _ in both), sum(two for _, two in both))
    for mean, value in zip(
        (found.first, found.second, found.difference), (first, other, other - first), strict=True
    ):
        if mean:
            assert mean.value == pytest.approx(float(value))


@pytest.mark.parametrize(
    "shares",
    [
        [((3, 3), (0, 0)), ((0, 0), (2, 2))],  # no class of both
        [((3, 3), (1, 2))],
        [((n % 4, 3), (n % 3, 2)) for n in range(FEWEST)],
        [((3, 3), (2, 2))] * 300,  # all right
        [((0, 3), (2, 2))] * 300,  # the same difference in every class
        [((3, 3), (2, 2))] * 300 + [((2, 3), (1, 2))] * (FEWEST - 1),
    ],
)
def test_too_few_classes_carry_no_number(shares: Any) -> None:
    found = matched(*photos_of(shares))
    assert (found.first, found.second, found.difference) == (None, None, None)
    both = [(one[1], two[1]) for one, two in shares if one[1] and two[1]]
    assert found.classes == len(both)
    assert found.photos == (sum(one for one, _ in both), sum(two for _, two in both))
