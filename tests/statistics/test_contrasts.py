"""Weighted sums of means: what others compute for two groups, and the truth of several."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genset.statistics.contrasts import contrast

VALUE = st.floats(-100, 100).map(lambda value: round(value, 3))
GROUP = st.lists(VALUE, min_size=2, max_size=6).filter(lambda group: max(group) > min(group))


@given(GROUP, GROUP)
def test_a_difference_is_welchs(one: list[float], other: list[float]) -> None:
    found = contrast([one, other], [1, -1])
    welch = stats.ttest_ind(one, other, equal_var=False)
    assert found.interval is not None
    assert found.p == pytest.approx(welch.pvalue, abs=1e-9)
    assert found.interval == pytest.approx(tuple(welch.confidence_interval(0.95)), rel=1e-6)


@given(GROUP)
def test_a_mean_has_students_interval(values: list[float]) -> None:
    found = contrast([values], [1], confidence=0.9)
    theirs = stats.t.interval(0.9, len(values) - 1, np.mean(values), stats.sem(values))
    assert found.estimate == pytest.approx(np.mean(values), abs=1e-9)
    assert found.interval == pytest.approx(theirs)


@pytest.mark.parametrize("groups", [[[1.0]], [[1.0, 2.0], [3.0]], [[1.0, 1.0], [2.0, 2.0]]])
def test_what_does_not_scatter_has_no_interval(groups: list[list[float]]) -> None:
    found = contrast(groups, [1] * len(groups))
    assert (found.interval, found.p) == (None, None)
    assert found.estimate == sum(float(np.mean(group)) for group in groups)


@pytest.mark.parametrize(
    ("counts", "deviations", "weights"),
    [
        ((2, 2), (1, 1), (1, -1)),
        ((3, 3), (1, 4), (1, -1)),
        ((5, 2), (1, 1), (1, -1)),
        ((2,) * 8, (1, 4) * 4, (0.25, -0.25) * 4),
        ((3,) * 4, (1, 1, 2, 3), (1, -1, -1, 1)),
    ],
)
def test_the_interval_holds_the_truth_of_few_repeats(
    counts: tuple[int, ...], deviations: tuple[float, ...], weights: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(0)
    truth = sum(weight * at for at, weight in enumerate(weights))
    trials, held = 2000, 0
    for _ in range(trials):
        groups = [
            rng.normal(at, deviation, count).tolist()
            for at, (count, deviation) in enumerate(zip(counts, deviations, strict=True))
        ]
        interval = contrast(groups, weights).interval
        assert interval is not None
        held += interval.low <= truth <= interval.high
    assert held / trials > 0.92
