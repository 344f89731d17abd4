"""Weighted sums of means: what others compute for two groups, and the truth of several."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize
from scipy.stats import norm

from genset.statistics.contrasts import Floats, contrast, regression

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


# Regression, also on values that are known only to be above a number.


def drawn(seed: int, runs: int, columns: int) -> tuple[Floats, Floats]:
    """A design of zeros and ones, with values around a line."""
    random = np.random.default_rng(seed)
    design = np.column_stack([np.ones(runs), random.integers(0, 2, (runs, columns))])
    return design, design @ random.normal(size=columns + 1) + 0.3 * random.normal(size=runs)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), runs=st.integers(6, 40), columns=st.integers(1, 4))
def test_known_values_give_what_statsmodels_gives(seed: int, runs: int, columns: int) -> None:
    design, values = drawn(seed, runs, columns)
    found = regression(design, values, np.zeros(runs, bool))
    if np.linalg.matrix_rank(design) <= columns or runs <= columns + 1:
        assert found is None
        return
    expected = sm.OLS(values, design).fit()
    assert found is not None
    assert [each.estimate for each in found] == pytest.approx(list(expected.params), abs=1e-6)
    assert [each.p for each in found] == pytest.approx(list(expected.pvalues), rel=1e-4, abs=1e-9)
    ends = [end for each in found for end in each.interval or ()]
    assert ends == pytest.approx(expected.conf_int().ravel().tolist(), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_censored_values_are_at_the_maximum_of_the_likelihood(seed: int) -> None:
    design, values = drawn(seed, 40, 2)
    limit = np.quantile(values, 0.7)
    censored, cut = values > limit, np.minimum(values, limit)

    def loss(point: Floats) -> float:
        away = (cut - design @ point[:-1]) / np.exp(point[-1])
        return -float(np.where(censored, norm.logsf(away), norm.logpdf(away) - point[-1]).sum())

    expected = minimize(loss, [*np.linalg.lstsq(design, cut)[0], -1.0], tol=1e-9).x[:-1]
    found = regression(design, cut, censored)
    assert found is not None
    assert [each.estimate for each in found] == pytest.approx(expected.tolist(), abs=1e-4)


def test_what_determines_nothing_is_none() -> None:
    design, values = drawn(0, 8, 1)
    known = np.zeros(8, bool)
    assert regression(design, design @ [1.0, 2.0], known) is None  # no scatter
    assert regression(design, values, ~known) is None
    assert regression(design, values, design[:, 1] == 1) is None  # none with it is known
