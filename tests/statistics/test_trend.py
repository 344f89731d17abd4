"""The line through models, and calibration."""

import numpy as np
import pytest
from scipy import special, stats

from genset.statistics.bootstrap import Resampling
from genset.statistics.calibration import calibration
from genset.statistics.trend import expit, fit_published, fit_trend, logit

ELSEWHERE = np.array([0.57, 0.62, 0.66, 0.70, 0.72, 0.76, 0.78, 0.81])


def test_the_line_is_scipys() -> None:
    here = np.array([0.44, 0.51, 0.53, 0.57, 0.60, 0.63, 0.67, 0.69])
    trend = fit_trend(ELSEWHERE, here, np.tile(here, (100, 1)), classes=1000)
    line = stats.linregress(special.logit(ELSEWHERE), special.logit(here))
    assert (trend.slope, trend.intercept) == pytest.approx((line.slope, line.intercept))
    above, _ = trend.above(ELSEWHERE, here, np.tile(here, (100, 1)))
    expected = special.expit(line.intercept + line.slope * special.logit(ELSEWHERE))
    assert above == pytest.approx(here - expected)


def test_where_both_accuracies_are_of_the_same_photos_their_common_luck_is_no_robustness() -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(0.6, 0.85, 200)
    y = expit(0.4 + 0.95 * logit(x) + rng.normal(0, 0.02, 200))
    trend = fit_published(x, y, [str(number) for number in range(200)], draws=500)
    drawn_there = (0.75 + rng.normal(0, 0.01, 500))[:, None]
    drawn_here = expit(0.4 + 0.95 * logit(drawn_there))
    here = expit([0.4 + 0.95 * logit(0.75)])
    _, (paired,) = trend.above([0.75], here, drawn_here, drawn_there)
    _, (exact,) = trend.above([0.75], here, drawn_here)
    assert paired.high - paired.low < 0.3 * (exact.high - exact.low)


def test_two_architectures_tell_nothing_of_other_ones() -> None:
    here = expit(-0.5 + 0.9 * logit(ELSEWHERE)) + np.array([1, -1, 1, -1, 1, -1, 1, -1]) / 100
    groups = ["a"] * 4 + ["b"] * 4
    trend = fit_trend(ELSEWHERE, here, np.tile(here, (100, 1)), 1000, groups=groups)
    assert trend.slope_interval() == (float("-inf"), float("inf"))
    _, ends = trend.above(ELSEWHERE, here, np.tile(here, (100, 1)))
    assert set(ends) == {(-1.0, 1.0)}
    with pytest.raises(ValueError, match="no interval from 2 groups"):
        fit_published(ELSEWHERE, here, groups)


def test_a_line_s_prediction_is_the_textbook_s() -> None:
    rng = np.random.default_rng(8)
    x = rng.uniform(0.3, 0.8, 6)
    y = 0.1 + 0.8 * x + rng.normal(0, 0.01, 6)
    trend = fit_trend(expit(x), expit(y), np.tile(expit(y), (10, 1)), 1000)
    fitted = stats.linregress(x, y)
    scatter = np.sqrt(((y - fitted.intercept - fitted.slope * x) ** 2).sum() / 4)
    for at, ends in zip((0.2, 0.5), trend.prediction(expit([0.2, 0.5])), strict=True):
        far = (at - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()
        off = stats.t.ppf(0.975, 4) * scatter * np.sqrt(1 + 1 / 6 + far)
        middle = fitted.intercept + fitted.slope * at
        assert logit(ends) == pytest.approx([middle - off, middle + off], abs=1e-12)


def test_models_that_lie_on_the_line_are_rarely_off_it_by_a_small_sample_elsewhere() -> None:
    """Of 300 photos elsewhere, taken for exact, a quarter of such models would be off."""
    rng, off = np.random.default_rng(5), []
    there = rng.uniform(-0.5, 2, 12)
    for _ in range(25):
        sums = [
            rng.binomial(size, expit(mean + 0.5 * rng.standard_normal((100, 1))), (100, 12))
            for size, mean in ((30, 0.9 * there - 0.4), (3, there))
        ]
        drawn = [
            Resampling(200, seed).ratios_of_sums(hits, np.full_like(hits, each))
            for seed, (hits, each) in enumerate(zip(sums, (30, 3), strict=True))
        ]
        here, elsewhere = (
            hits.sum(axis=0) / each for hits, each in zip(sums, (3000, 300), strict=True)
        )
        for known in (None, drawn[1]):
            trend = fit_trend(elsewhere, here, drawn[0], 100, drawn_reference=known)
            _, ends = trend.above(elsewhere, here, drawn[0], known)
            off.append(np.mean([not low <= 0 <= high for low, high in ends]))
    assert np.mean(off[::2]) > 0.15
    assert np.mean(off[1::2]) < 0.06


def test_draws_scatter_about_the_line_as_models_do() -> None:
    """One model is far above the line, and the last one pulls the line towards itself."""
    x = np.array([0.3, 0.35, 0.4, 0.42, 0.45, 0.8])
    y = 0.1 + 0.8 * x + np.array([0.0, 0.06, -0.01, 0.0, -0.01, -0.01])
    trend = fit_trend(expit(x), expit(y), np.tile(expit(y), (40_000, 1)), 1000)
    again = fit_trend(expit(x), expit(y), np.tile(expit(y), (40_000, 1)), 1000, seed=0)
    assert (trend.drawn_slopes == again.drawn_slopes).all()
    levels = trend.drawn_intercepts + trend.drawn_slopes * x.mean()
    assert levels.mean() == pytest.approx(y.mean(), abs=4 * levels.std() / np.sqrt(40_000))
    assert stats.skew(levels) > 0.2


def test_groups_that_scatter_together_vary_the_line_as_the_source_says() -> None:
    """Webb's weights have variance 1: the slope's is the sum of squares of the groups' parts."""
    rng = np.random.default_rng(3)
    x = rng.uniform(0.3, 0.8, 12)
    y = 0.1 + 0.8 * x + rng.normal(0, 0.02, 12)
    groups = list("aaabbbcccddd")
    trend = fit_trend(expit(x), expit(y), np.tile(expit(y), (60_000, 1)), 1000, groups=groups)
    away = x - x.mean()
    fitted = stats.linregress(x, y)
    left = y - fitted.intercept - fitted.slope * x
    left /= np.sqrt(1 - 1 / 12 - away**2 / (away**2).sum())
    left -= left.mean()
    parts = (left * away / (away**2).sum()).reshape(4, 3).sum(axis=1)
    assert trend.drawn_slopes.var() == pytest.approx((parts**2).sum(), rel=0.03)


@pytest.mark.parametrize("groups", ["abcdefghijkl", "aaabbbcccddd", "aaaaaabbbccc"])
def test_published_models_vary_the_line_by_the_sandwich_of_groups(groups: str) -> None:
    """Cameron and Miller's covariance, by matrices: X'X^-1 (sum of X'uu'X) X'X^-1, corrected."""
    rng = np.random.default_rng(4)
    x = rng.uniform(0.3, 0.8, 12)
    y = 0.1 + 0.8 * x + rng.normal(0, 0.02, 12)
    trend = fit_published(expit(x), expit(y), list(groups), draws=200_000)
    design = np.stack([np.ones(12), x], axis=1)
    bread = np.linalg.inv(design.T @ design)
    left = y - design @ (bread @ design.T @ y)
    members = [np.array(list(groups)) == group for group in sorted(set(groups))]
    scores = [design[own].T @ left[own] for own in members]
    count = len(members)
    few = count / (count - 1) * 11 / 10
    covariance = few * bread @ sum(np.outer(each, each) for each in scores) @ bread
    drawn = np.stack([trend.drawn_intercepts, trend.drawn_slopes])
    assert np.cov(drawn) == pytest.approx(covariance, rel=0.02)
    assert drawn.mean(axis=1) == pytest.approx([trend.intercept, trend.slope], abs=1e-3)
    assert trend.clusters == count - 1


def test_log_odds_are_clipped_and_shares_are_not() -> None:
    odds = np.log(0.9995 / 0.0005)
    assert logit([0, 0.5, 0.8, 1]) == pytest.approx([-odds, 0, np.log(4), odds])
    with np.errstate(over="raise"):
        assert expit([-1e6, 0, np.log(4), 1e6]) == pytest.approx([0, 0.5, 0.8, 1])


def test_the_calibration_error_is_the_mean_distance_of_bins() -> None:
    confidence = np.array([0.0, 0.05, 0.95, 0.96, 1.0, 0.5])
    right = np.array([False, True, True, True, False, True])
    found = calibration(confidence, right)
    assert [each.photos for each in found.bins] == [2, 1, 3]
    assert [each.confidence for each in found.bins] == pytest.approx([0.025, 0.5, 2.91 / 3])
    assert [each.accuracy for each in found.bins] == pytest.approx([1 / 2, 1, 2 / 3])
    assert found.error == pytest.approx((abs(0.05 - 1) + abs(0.5 - 1) + abs(2.91 - 2)) / 6)
    assert found.overconfidence == pytest.approx(confidence.mean() - 4 / 6)


def test_a_confidence_between_two_bins_is_in_the_lower_one() -> None:
    said = [0.0, 0.1, 0.2, 0.21, 0.4, 0.92, 1.0]  # each in a bin of its own; 0.2 = 3/15, 0.4 = 6/15
    right = [False, True, True, False, True, False, True]
    found = calibration(np.array(said), np.array(right))
    assert [(each.photos, each.confidence) for each in found.bins] == [(1, each) for each in said]
    assert found.error == pytest.approx((0 + 0.9 + 0.8 + 0.21 + 0.6 + 0.92 + 0) / 7)
