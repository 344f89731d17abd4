"""The line through models, calibration, and hits by rank."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from genset.statistics.calibration import calibration
from genset.statistics.ranks import odd_ranks, other_order
from genset.statistics.trend import expit, fit_trend, logit

ELSEWHERE = np.array([0.57, 0.62, 0.66, 0.70, 0.72, 0.76, 0.78, 0.81])


def test_the_line_is_scipys() -> None:
    here = np.array([0.44, 0.51, 0.53, 0.57, 0.60, 0.63, 0.67, 0.69])
    trend = fit_trend(ELSEWHERE, here, np.tile(here, (100, 1)), classes=1000)
    line = stats.linregress(special.logit(ELSEWHERE), special.logit(here))
    assert (trend.slope, trend.intercept) == pytest.approx((line.slope, line.intercept))
    above, _ = trend.above(ELSEWHERE, here, np.tile(here, (100, 1)))
    expected = special.expit(line.intercept + line.slope * special.logit(ELSEWHERE))
    assert above == pytest.approx(here - expected)


def test_a_model_that_is_all_on_the_line_is_not_robust() -> None:
    here = expit(-0.5 + 0.9 * logit(ELSEWHERE))
    drawn = np.tile(here, (200, 1))
    above, ends = fit_trend(ELSEWHERE, here, drawn, classes=1000).above(ELSEWHERE, here, drawn)
    assert np.allclose(above, 0)
    assert all(abs(each.low) < 1e-9 > abs(each.high) for each in ends)


def test_the_band_covers_the_true_line_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    truth = -0.5 + 0.9 * logit(ELSEWHERE)
    covered = []
    for number in range(1_500):
        scattered = expit(truth + rng.normal(0, 0.05, size=len(truth)))
        drawn = expit(logit(scattered) + rng.normal(0, 0.001, size=(400, len(truth))))
        band = fit_trend(ELSEWHERE, scattered, drawn, classes=1000, seed=number).band([0.6, 0.75])
        covered += [
            each.low <= line <= each.high
            for each, line in zip(band, expit(-0.5 + 0.9 * logit([0.6, 0.75])), strict=True)
        ]
    assert 0.93 <= np.mean(covered) <= 0.97


def test_effective_robustness_is_covered_at_least_as_often_as_its_interval_says() -> None:
    rng = np.random.default_rng(2)
    line = -0.5 + 0.9 * logit(ELSEWHERE)
    models, covered = len(line), []
    for number in range(500):
        away = rng.normal(0, 0.05, models)  # each model's own distance from the line
        here = expit(line + away + rng.normal(0, 0.02) + rng.normal(0, 0.01, models))
        luck = rng.normal(0, 0.02, (400, 1)) + rng.normal(0, 0.01, (400, models))
        drawn = expit(logit(here) + luck)
        trend = fit_trend(ELSEWHERE, here, drawn, classes=1000, seed=number)
        truth = expit(line + away) - expit(line)
        _, ends = trend.above(ELSEWHERE, here, drawn)
        covered += [each.low <= true <= each.high for each, true in zip(ends, truth, strict=True)]
    assert np.mean(covered) >= 0.94


def test_too_few_models_make_no_line() -> None:
    with pytest.raises(ValueError, match="no line through 3 models"):
        fit_trend(ELSEWHERE[:3], ELSEWHERE[:3], np.tile(ELSEWHERE[:3], (5, 1)), classes=9)
    same = np.full(5, 0.7)
    with pytest.raises(ValueError, match="no line through 5 models"):
        fit_trend(same, ELSEWHERE[:5], np.tile(ELSEWHERE[:5], (5, 1)), classes=9)


@given(st.floats(0.001, 0.999))
def test_logit_and_expit_undo_each_other(share: float) -> None:
    assert float(expit(logit(share))) == pytest.approx(share)


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
    assert found.error == pytest.approx((abs(0.05 - 1) + abs(0.5 - 1) + abs(2.91 - 2)) / 6)
    assert found.overconfidence == pytest.approx(confidence.mean() - 4 / 6)


def test_a_model_that_says_what_it_is_has_no_calibration_error() -> None:
    rng = np.random.default_rng(2)
    confidence = rng.random(200_000)
    found = calibration(confidence, rng.random(200_000) < confidence)
    assert found.error < 0.01
    assert abs(found.overconfidence) < 0.01


@pytest.mark.parametrize("bad", [[], [0.5, 1.2], [0.5, float("nan")]])
def test_what_is_no_confidence_has_no_calibration(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        calibration(np.array(bad), np.ones(len(bad), bool))


@pytest.mark.parametrize(
    ("hits", "says"),
    [
        ([6333, 1200, 500, 260, 170], None),
        ([170, 260, 500, 1200, 6333], "look reversed"),
        ([1200, 6333, 500, 260, 170], "Rank 2 is right more often than rank 1"),
        ([500, 1200, 170, 260, 6333], "The last rank is right more often than the first"),
        ([1690, 1700, 1710, 1680, 1685], "look unordered"),
        ([9, 12, 11, 8, 10], "hardly better than guesses (hits by rank: 9, 12, 11, 8, 10"),
        ([6333], None),
    ],
)
def test_odd_hits_are_named(hits: list[int], says: str | None) -> None:
    found = odd_ranks(hits, 10_000, 1000)
    assert found is None if says is None else says in (found or "")


def test_a_small_set_is_not_called_odd() -> None:
    assert odd_ranks([2, 1, 0, 0, 0], 4, 1000) is None
    assert odd_ranks([0, 1, 0, 0, 0], 4, 1000) is None
    assert odd_ranks([1, 2, 0, 0, 0], 4, 1000) is None


def test_another_order_of_classes_is_recognized() -> None:
    truth = np.random.default_rng(3).integers(1000, size=3000)
    as_text = np.array(sorted(range(1000), key=str))
    assert other_order(truth, truth) is None
    for answers, says in (
        (np.argsort(as_text)[truth], "0 to 999 sorted as text (0, 1, 10, 100), 100.0 %"),
        (as_text[truth], "once sorted as text"),
        (truth + 1, "one higher, as after a background class"),
        (truth - 1, "one lower"),
    ):
        assert says in (other_order(truth, answers) or "")
    assert other_order(truth, np.random.default_rng(4).integers(1000, size=3000)) is None
