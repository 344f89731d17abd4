"""All pairs at once, against each pair by itself."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.statistics.bootstrap import Resampling, intervals
from genset.statistics.paired import paired_interval
from genset.statistics.pairwise import pairwise

DRAWS = Resampling(draws=700, seed=3)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    models=st.integers(2, 7),
    classes=st.integers(1, 9),
    photos=st.integers(1, 60),
    kinds=st.integers(1, 7),
)
def test_every_pair_has_the_numbers_that_it_has_alone(
    seed: int, models: int, classes: int, photos: int, kinds: int
) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(classes, size=photos)
    # So many kinds of models, of which each counts other photos; the first kind counts all.
    masks = rng.random((photos, kinds)) < 0.8
    masks[:, 0] = True
    counted = masks[:, rng.integers(kinds, size=models)]
    right = (rng.random((photos, models)) < 0.6) & counted
    found = pairwise(right, counted, numbers, classes, DRAWS)
    common = {(a, b): counted[:, a] & counted[:, b] for a, b in combinations(range(models), 2)}
    listed = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert listed == [pair for pair, both in common.items() if both.any()]
    for place, (a, b) in enumerate(listed):
        both = common[a, b]
        one, other = right[:, a] & both, right[:, b] & both
        only = int((one & ~other).sum()), int((other & ~one).sum())
        shared = len(np.unique(numbers[both]))
        assert found.photos[place] == both.sum()
        assert found.classes[place] == shared
        assert found.both[place] == (one & other).sum()
        assert (found.only_first[place], found.only_second[place]) == only
        drawn = DRAWS.ratios(numbers, (one * 1.0 - other)[:, None], both[:, None])
        if drawn.shape[1] and len(np.unique(numbers)) == classes:
            (resampled,) = intervals(drawn, shared, widest=(-1.0, 1.0))
            expected = paired_interval(*only, int(both.sum()), resampled=resampled)
            assert (found.low[place], found.high[place]) == pytest.approx(expected, abs=1e-12)
            assert found.spread[place] == pytest.approx(float(np.nanstd(drawn)), abs=1e-7)


def test_an_interval_is_as_wide_as_either_at_each_end() -> None:
    numbers = np.repeat(np.arange(20), 5)
    right = np.ones((100, 2), bool)
    right[::5, 1] = False  # one photo of each class: all classes are the same
    found = pairwise(right, np.ones_like(right), numbers, 20)
    assert (found.low[0], found.high[0]) == paired_interval(20, 0, 100)
    right[:, 1] = True
    right[:25, 1] = False  # all photos of five classes
    found = pairwise(right, np.ones_like(right), numbers, 20)
    alone = paired_interval(25, 0, 100)
    assert found.low[0] < alone.low
    assert found.high[0] > alone.high
