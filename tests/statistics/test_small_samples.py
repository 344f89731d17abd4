"""Intervals of a handful of runs hold what they promise."""

import numpy as np
import pytest
from scipy import stats

from genset.statistics.small_samples import clopper_pearson, variation, variation_interval


@pytest.mark.parametrize("trials", [1, 4, 5, 10, 40])
def test_the_interval_of_a_share_is_the_exact_one(trials: int) -> None:
    for successes in range(trials + 1):
        exact = stats.binomtest(successes, trials).proportion_ci(0.95, "exact")
        found = clopper_pearson(successes, trials)
        assert found == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_no_interval_of_no_runs() -> None:
    with pytest.raises(ValueError, match="no interval for 0 of 0"):
        clopper_pearson(0, 0)


def test_the_interval_of_a_variation_is_the_published_one() -> None:
    # Computed by R's confint.cv(x, method = "modmckay") of K. Wright, after Vangel (1996).
    values = [3.8, 3.9, 3.9, 3.8, 4.1, 4.0, 3.4, 3.6, 3.8, 3.7]
    observed = variation(values)
    assert observed == pytest.approx(0.05263158, abs=1e-8)
    found = variation_interval(observed, len(values))
    assert found == pytest.approx((0.03617573, 0.09632067), abs=1e-7)


@pytest.mark.parametrize("count", [2, 3, 4, 10, 100])
def test_it_agrees_with_the_quantiles_of_scipy(count: int) -> None:
    low, high = variation_interval(0.04, count)
    for end, tail in ((low, 0.975), (high, 0.025)):
        quantile = stats.chi2.ppf(tail, count - 1)
        factor = ((quantile + 2) / count - 1) * 0.04**2 + quantile / (count - 1)
        assert end == pytest.approx(0.04 / factor**0.5 if factor > 0 else np.inf, rel=1e-9)


@pytest.mark.parametrize("count", [4, 10])
@pytest.mark.parametrize("truth", [0.02, 0.25])
def test_it_holds_the_truth_19_times_out_of_20(count: int, truth: float) -> None:
    draws = np.random.default_rng(count).normal(1, truth, (1000, count))
    found = draws.std(axis=1, ddof=1) / draws.mean(axis=1)
    held = 0
    for observed in found:
        low, high = variation_interval(float(observed), count)
        held += low <= truth <= high
    assert 0.93 < held / len(draws) < 0.97


def test_a_large_variation_of_few_runs_has_no_upper_end() -> None:
    assert variation_interval(0.6, 4).high == np.inf


def test_one_value_has_no_variation() -> None:
    with pytest.raises(ValueError, match="needs two values"):
        variation([1.0])
