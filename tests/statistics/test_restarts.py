"""The expected time to a success, where a trial that fails is begun again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genset.statistics.restarts import expected_time, expected_time_interval

TIMES = st.lists(st.floats(0.1, 100), min_size=1, max_size=10)


@given(TIMES, TIMES)
def test_it_is_a_success_and_the_failures_that_come_before_it(
    successes: list[float], failures: list[float]
) -> None:
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
