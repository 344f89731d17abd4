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
from genset.statistics.restarts import expected_time, expected_time_interval
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
def test_a_share_s_interval_in_tables(successes: int, trials: int, low: float, high: float) -> None:
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


# The expected time to a success, where a trial that fails is begun again.

TIMES = st.lists(st.floats(0.1, 100), min_size=1, max_size=10)


@given(TIMES, TIMES)
def test_expected_time_by_its_definition(successes: list[float], failures: list[float]) -> None:
    share = len(successes) / (len(successes) + len(failures))
    mean = np.mean(successes) + (1 - share) / share * np.mean(failures)
    assert expected_time(successes, failures) == pytest.approx(float(mean))


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95, 1.0])
@pytest.mark.parametrize("trials", [5, 10])
def test_its_interval_holds_the_truth_as_often_as_it_says(share: float, trials: int) -> None:
    rng = np.random.default_rng(trials)
    truth = 1 + (1 - share) / share * 1.2
    held = []
    for _ in range(250):
        reached = rng.binomial(trials, share)
        successes = list(rng.normal(1, 0.1, reached))
        failures = list(rng.normal(1.2, 0.02, trials - reached))
        if interval := expected_time_interval(successes, failures, 1.2):
            held.append(interval.low <= truth <= interval.high)
    assert np.mean(held) > 0.925  # of 95 %: 250 sets differ by 1.4 points


def test_one_success_has_no_interval() -> None:
    assert expected_time_interval([1.0], [2.0, 2.0], length=2.0) is None


@pytest.mark.parametrize("times", [[9.0, 11.0], [8.0, 9.0, 13.0], [10.0, 10.5, 11.0, 9.0]])
def test_without_failures_that_cost_anything_it_is_students_interval(times: list[float]) -> None:
    found = expected_time_interval(times, [], length=0.0, confidence=0.8)
    low, high = stats.t.interval(0.8, len(times) - 1, np.mean(times), stats.sem(times))
    assert found == pytest.approx((low, high), rel=0.03)


@pytest.mark.parametrize(("reached", "failed"), [(2, 1), (4, 4), (9, 1)])
def test_of_times_that_do_not_vary_only_the_share_is_unsure(reached: int, failed: int) -> None:
    found = expected_time_interval([1.0] * reached, [1.0] * failed, length=1.0)
    share = stats.beta(reached + 0.5, failed + 0.5)
    assert found == pytest.approx((1 / share.ppf(0.975), 1 / share.ppf(0.025)), rel=0.05)
