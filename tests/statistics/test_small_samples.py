"""Intervals of a handful of runs hold what they promise."""

from statistics import fmean

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from genset.score.results.runs import Accuracy
from genset.statistics.intervals import wilson
from genset.statistics.small_samples import (
    clopper_pearson,
    mean_without_ends,
    variation,
    variation_interval,
)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("trials", [1, 4, 5, 10, 40])
def test_the_interval_of_a_share_is_the_exact_one(trials: int, confidence: float) -> None:
    for successes in range(trials + 1):
        found = clopper_pearson(successes, trials, confidence)
        scipys = stats.binomtest(successes, trials).proportion_ci(confidence, "exact")
        assert found == pytest.approx((scipys.low, scipys.high), abs=1e-9)
        theirs = proportion_confint(successes, trials, 1 - confidence, method="beta")
        assert found == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.3085), (4, 5, 0.2836, 0.9949), (5, 10, 0.1871, 0.8129), (5, 5, 0.4782, 1.0)],
)
def test_the_interval_of_a_share_is_that_of_the_tables(
    successes: int, trials: int, low: float, high: float
) -> None:
    assert clopper_pearson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_a_variation_is_the_published_one() -> None:
    # Computed by R's confint.cv(x, method = "modmckay") of K. Wright, after Vangel (1996).
    values = [3.8, 3.9, 3.9, 3.8, 4.1, 4.0, 3.4, 3.6, 3.8, 3.7]
    observed = variation(values)
    assert observed == pytest.approx(0.05263158, abs=1e-8)
    found = variation_interval(observed, len(values))
    assert found == pytest.approx((0.03617573, 0.09632067), abs=1e-7)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("count", [2, 3, 4, 10, 100, 10_000])
def test_it_agrees_with_the_quantiles_of_scipy(count: int, confidence: float) -> None:
    low, high = variation_interval(0.04, count, confidence)
    for end, tail in ((low, (1 + confidence) / 2), (high, (1 - confidence) / 2)):
        quantile = stats.chi2.ppf(tail, count - 1)
        factor = ((quantile + 2) / count - 1) * 0.04**2 + quantile / (count - 1)
        assert end == pytest.approx(0.04 / factor**0.5 if factor > 0 else np.inf, rel=1e-9)


def test_a_large_variation_of_few_runs_has_no_upper_end() -> None:
    assert variation_interval(0.6, 4).high == np.inf


@pytest.mark.parametrize("values", [[1.0], [-1.0, 1.0], [-1.0, -2.0]])
def test_one_value_and_no_mean_have_no_variation(values: list[float]) -> None:
    with pytest.raises(ValueError, match="needs two values above 0"):
        variation(values)


def test_the_mean_without_ends_is_mlperfs() -> None:
    assert mean_without_ends([5.0, 1.0, 2.0, 3.0, 100.0]) == pytest.approx(10 / 3)
    # A run that fails is the slowest, so only the fastest of the others is left out.
    assert mean_without_ends([5.0, 1.0, 2.0, 3.0], failures=1) == pytest.approx(10 / 3)
    assert mean_without_ends([5.0, 1.0, 2.0], failures=2) is None
    assert mean_without_ends([1.0, 2.0]) is None
    assert mean_without_ends([float(n) for n in range(38)], failures=2, dropped=4) == fmean(
        range(4, 36)
    )


COUNTS = st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.floats(0.5, 0.999))
@example((0, 1), 0.95)
@example((1, 1), 0.95)
@example((6333, 10_000), 0.95)
def test_wilson_is_scipys(counts: tuple[int, int], confidence: float) -> None:
    of_scipy = stats.binomtest(*counts).proportion_ci(confidence, method="wilson")
    ours = wilson(*counts, confidence)
    assert ours.low == pytest.approx(of_scipy.low, rel=1e-9, abs=1e-12)
    assert ours.high == pytest.approx(of_scipy.high, rel=1e-9, abs=1e-12)


def test_nothing_is_known_without_a_trial() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert Accuracy.of(0, 0) == Accuracy(correct=0, photos=0, share=0.0, low=0.0, high=1.0)
