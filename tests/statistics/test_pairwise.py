"""All pairs at once, against each pair by itself."""

from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.statistics.paired import paired_tests
from genset.statistics.pairwise import pairwise


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    models=st.integers(2, 7),
    classes=st.integers(1, 9),
    photos=st.integers(1, 60),
    kinds=st.integers(1, 7),
)
def test_pairs_as_they_are_alone(
    seed: int, models: int, classes: int, photos: int, kinds: int
) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(classes, size=photos)
    # So many kinds of models, of which each counts other photos; the first kind counts all.
    masks = rng.random((photos, kinds)) < 0.8
    masks[:, 0] = True
    counted = masks[:, rng.integers(kinds, size=models)]
    right = (rng.random((photos, models)) < 0.6) & counted
    found = pairwise(right, counted, numbers)
    common = {(a, b): counted[:, a] & counted[:, b] for a, b in combinations(range(models), 2)}
    listed = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert listed == [pair for pair, both in common.items() if both.any()]
    for place, (a, b) in enumerate(listed):
        both = common[a, b]
        one, other = right[both, a], right[both, b]
        only = int((one & ~other).sum()), int((other & ~one).sum())
        shared, sizes = np.unique(numbers[both], return_counts=True)
        assert found.photos[place] == both.sum()
        assert found.classes[place] == len(shared)
        assert found.both[place] == (one & other).sum()
        assert (found.only_first[place], found.only_second[place]) == only
        effect = design_effect(numbers[both], one, other)
        assert found.effect[place] == pytest.approx(effect)
        freedom = inf if sizes.max() == 1 else sizes.sum() ** 2 / (sizes**2).sum() - 1
        assert found.freedom[place] == pytest.approx(freedom, abs=1e-9)
        counts = [np.array([float(n)]) for n in (*only, both.sum())]
        expected = [float(each[0]) for each in paired_tests(*counts, effect, freedom)]
        got = (found.p_value[place], found.low[place], found.high[place])
        assert got == pytest.approx(expected, abs=1e-9)


def design_effect(numbers: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """By its definition, class by class."""
    photos, mean = len(numbers), one.mean() - other.mean()
    gains = {n: (one[numbers == n] * 1.0 - other[numbers == n]) for n in np.unique(numbers)}
    sizes = np.array([len(each) for each in gains.values()])
    if sizes.max() == 1 or len(gains) < 2:
        return 1.0
    whole = (sizes**2).sum() / photos
    independent = (one != other).sum() - photos * mean**2
    squares = sum((each - mean).sum() ** 2 for each in gains.values())
    measured = 1 + 0.3 * (whole - 1)
    if independent > 1e-9:
        # What makes deviations of independent sums, and how much of their variance it keeps.
        maker = np.eye(len(sizes)) - np.outer(sizes, np.ones(len(sizes))) / photos
        varies = np.diag(sizes * (1 + 0.3 * (sizes - 1)))
        kept = np.trace(maker @ varies @ maker.T) / np.trace(varies)
        measured = max(1.0, squares / kept / independent)
    varied = sum(each.sum() != 0 for each in gains.values())
    expected = 1 + 0.3 * (whole - 1)
    return max(measured, (varied * measured + 3 * expected) / (varied + 3))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 20), st.floats(0.02, 0.98))
def test_intervals_and_tests_agree_on_zero(
    seed: int, classes: int, each: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    right = rng.random((classes * each, 3)) < np.array([share, share / 2, 0.5])
    found = pairwise(right, np.ones_like(right), np.repeat(np.arange(classes), each))
    assert ((found.p_value < 0.05) == ((found.low > 0) | (found.high < 0))).all()
