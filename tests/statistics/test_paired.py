"""The interval of a difference on the same photos."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import norm

from genset.statistics.paired import exact_mcnemar, paired_interval, tango_intervals

Z = norm.ppf(0.975)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    """Photos that the first alone and the second alone has right, and all."""
    photos = draw(st.integers(1, 3000))
    first = draw(st.integers(0, photos))
    return first, draw(st.integers(0, photos - first)), photos


def score_statistic(first: int, second: int, photos: int, supposed: float) -> float:
    """The score test of a supposed difference, with the likeliest shares found by search."""
    rest = photos - first - second

    def unlikely(q: float) -> float:
        shares = q + supposed, q, 1 - 2 * q - supposed
        seen = first, second, rest
        return -sum(xlogy(n, max(p, 1e-300)) for n, p in zip(seen, shares, strict=True))

    bounds = max(0.0, -supposed), (1 - supposed) / 2
    q = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    variance = float(2 * q + supposed - supposed**2)
    return (first - second - photos * supposed) / sqrt(photos * variance)


def test_the_published_example_comes_out() -> None:
    """Bentur's 21 children, in Fagerland, Lydersen and Laake, Statistics in Medicine 33, 2014."""
    low, high = tango_intervals([1], [7], [21])
    assert (round(low[0], 3), round(high[0], 3)) == (-0.517, -0.026)
    assert exact_mcnemar(1, 7) == pytest.approx(0.0703125)
    # McNemar's exact test does not reject 0, so neither does the interval that is shown.
    assert paired_interval(1, 7, 21) == (low[0], 0)


@pytest.mark.parametrize(
    "seen", [(30, 12, 200), (3, 1, 40), (100, 260, 2317), (5, 5, 60), (8, 0, 10)]
)
def test_its_ends_are_what_the_score_test_just_allows(seen: tuple[int, int, int]) -> None:
    low, high = paired_interval(*seen)
    assert score_statistic(*seen, low) == pytest.approx(Z, abs=1e-3)
    assert score_statistic(*seen, high) == pytest.approx(-Z, abs=1e-3)


@given(counts())
def test_it_holds_the_difference_and_turns_with_the_models(seen: tuple[int, int, int]) -> None:
    first, second, photos = seen
    low, high = paired_interval(first, second, photos)
    assert -1 <= low <= (first - second) / photos <= high <= 1
    assert low < high
    turned = paired_interval(second, first, photos)
    assert (-turned.high, -turned.low) == pytest.approx((low, high), abs=1e-9)


@given(counts())
@pytest.mark.soak
def test_it_leaves_out_zero_where_mcnemars_test_does(seen: tuple[int, int, int]) -> None:
    first, second, photos = seen
    (low,), (high,) = tango_intervals([first], [second], [photos])
    statistic = (first - second) ** 2 / (first + second) if first + second else 0.0
    if abs(statistic - Z**2) > 1e-6:
        assert (low > 0 or high < 0) == (statistic > Z**2)
    shown = paired_interval(first, second, photos)
    assert (shown.low > 0 or shown.high < 0) == (exact_mcnemar(first, second) < 0.05)
    assert shown.low <= low
    assert shown.high >= high


@pytest.mark.parametrize("confidence", [0.3, 0.95])
def test_of_models_that_never_differ_the_ends_are_known(confidence: float) -> None:
    z = norm.ppf((1 + confidence) / 2)
    low, high = tango_intervals(0, 0, [1, 10, 2864], confidence)
    assert high == pytest.approx([z**2 / (photos + z**2) for photos in (1, 10, 2864)], rel=1e-9)
    assert low == pytest.approx(-high, rel=1e-9)


def test_means_of_several_trainings_have_an_interval() -> None:
    between = paired_interval(10.5, 3.5, 200)
    assert paired_interval(10, 3, 200).low < between.high
    assert between.low < 7 / 200 < between.high
    # The exact test rejects 0 for 12 and 3, and not for 11 and 3: between them it changes once.
    reach = [paired_interval(11 + tenth / 10, 3, 200).low == 0 for tenth in range(11)]
    assert reach == sorted(reach, reverse=True)
    assert (reach[0], reach[-1]) == (True, False)
