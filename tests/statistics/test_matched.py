"""Two groups of photos over the classes that both have: by hand, by drawing, and in general."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.statistics.bootstrap import Resampling
from genset.statistics.intervals import quantile
from genset.statistics.matched import FEWEST, Matched, match

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


def test_intervals_are_those_of_classes_drawn_one_by_one() -> None:
    """An independent bootstrap, with a loop for each draw and no array."""
    rng = random.Random(3)
    shares = [((rng.randint(0, 3), 3), (rng.randint(0, 5), 5)) for _ in range(25)]
    photos = photos_of([*shares, ((1, 4), (0, 0)), ((0, 0), (2, 2))])
    _, _, pairs = by_hand(*photos)
    drawn = []
    for _ in range(20_000):
        taken = [pairs[rng.randrange(25)] for _ in range(25)]
        first, other = (sum(float(pair[n]) for pair in taken) / 25 for n in (0, 1))
        drawn.append((first, other, other - first))
    found = matched(*photos, Resampling(draws=20_000))
    wide = np.sqrt(25 / 24) * quantile(0.95, 24) / 1.959964
    for mean, column in zip(
        (found.first, found.second, found.difference), zip(*drawn, strict=True), strict=True
    ):
        assert mean
        ordered = np.array(sorted(column))
        middle, spread = mean.value, ordered.std()
        assert mean.interval.low == pytest.approx(middle - 1.96 * wide * spread, abs=0.15 * spread)
        assert mean.interval.high == pytest.approx(middle + 1.96 * wide * spread, abs=0.15 * spread)


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
