"""Intervals of a handful of runs hold what they promise."""

from statistics import fmean

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.metrics import label_ranking_average_precision_score

from genset.score.results.runs import Accuracy
from genset.statistics.average_precision import average_precision
from genset.statistics.contrasts import Floats, contrast, regression
from genset.statistics.intervals import wilson
from genset.statistics.restarts import expected_time_interval
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


def test_the_interval_of_a_variation_is_the_published_one() -> None:
    # Computed by R's confint.cv(x, method = "modmckay") of K. Wright, after Vangel (1996).
    values = [3.8, 3.9, 3.9, 3.8, 4.1, 4.0, 3.4, 3.6, 3.8, 3.7]
    observed = variation(values)
    assert observed == pytest.approx(0.05263158, abs=1e-8)
    found = variation_interval(observed, len(values))
    assert found == pytest.approx((0.03617573, 0.09632067), abs=1e-7)


def test_a_large_variation_of_few_runs_has_no_upper_end() -> None:
    assert variation_interval(0.6, 4).high == np.inf


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


@pytest.mark.parametrize(("share", "trials"), [(0.5, 10), (0.8, 5), (0.95, 10), (1.0, 5)])
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


# Weighted sums of means: what others compute for two groups, and the truth of several.

VALUE = st.floats(-100, 100).map(lambda value: round(value, 3))
GROUP = st.lists(VALUE, min_size=2, max_size=6).filter(lambda group: max(group) > min(group))


@given(GROUP, GROUP)
def test_a_difference_is_welchs(one: list[float], other: list[float]) -> None:
    found = contrast([one, other], [1, -1])
    welch = stats.ttest_ind(one, other, equal_var=False)
    assert found.interval is not None
    assert found.p == pytest.approx(welch.pvalue, abs=1e-9)
    assert found.interval == pytest.approx(tuple(welch.confidence_interval(0.95)), rel=1e-6)


@pytest.mark.parametrize("groups", [[[1.0]], [[1.0, 2.0], [3.0]], [[1.0, 1.0], [2.0, 2.0]]])
def test_what_does_not_scatter_has_no_interval(groups: list[list[float]]) -> None:
    found = contrast(groups, [1] * len(groups))
    assert (found.interval, found.p) == (None, None)
    assert found.estimate == sum(float(np.mean(group)) for group in groups)


@pytest.mark.parametrize(
    ("counts", "deviations", "weights"),
    [
        ((2, 2), (1, 1), (1, -1)),
        ((5, 2), (1, 1), (1, -1)),
        ((2,) * 8, (1, 4) * 4, (0.25, -0.25) * 4),
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


# Average precision over the right classes of a photo.

SCORES = st.lists(st.integers(-3, 3), min_size=2, max_size=12)


@st.composite
def ranked(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    """Scores of some classes, many of them equal, and the right ones."""
    scores = np.array(draw(SCORES), float)
    places = st.integers(0, len(scores) - 1)
    return scores, sorted(draw(st.sets(places, min_size=1)))


@given(ranked())
def test_it_is_scikit_learns(given_scores: tuple[np.ndarray, list[int]]) -> None:
    scores, right = given_scores
    truth = np.zeros((1, len(scores)), int)
    truth[0, right] = 1
    theirs = label_ranking_average_precision_score(truth, scores[None, :])
    if len(right) < len(scores):  # where all are right, it says 1 whatever the scores
        assert average_precision(scores, right) == pytest.approx(theirs)
    assert average_precision(scores, right) <= 1


@given(ranked(), st.integers(1, 5))
def test_a_class_that_it_lacks(given_scores: tuple[np.ndarray, list[int]], missing: int) -> None:
    scores, right = given_scores
    whole = average_precision(scores, right)
    share = len(right) / (len(right) + missing)
    assert average_precision(scores, right, missing) == pytest.approx(share * whole)
