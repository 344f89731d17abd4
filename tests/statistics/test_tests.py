"""Tests between models: against scipy and statsmodels, and by simulation."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from genset.statistics.multiple_testing import holm
from genset.statistics.paired import exact_mcnemar, exact_mcnemars
from genset.statistics.power import (
    detectable_difference,
    fewest_discordant,
    least_detectable,
    shown_difference,
)

COUNTS = st.integers(0, 3000)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(COUNTS, COUNTS)
@example(0, 0)
@example(5, 5)
@example(5, 6)
@example(0, 20_000)
@example(9_700, 10_300)
def test_mcnemar_is_scipys_and_statsmodels(first: int, second: int) -> None:
    # Below 1e-250 theirs may be 0.
    ours = exact_mcnemar(first, second)
    theirs = mcnemar([[7, first], [second, 7]], exact=True).pvalue
    assert ours == pytest.approx(min(1, theirs), rel=1e-8, abs=1e-250)
    if first + second:
        assert ours == pytest.approx(binomtest(first, first + second).pvalue, rel=1e-8, abs=1e-250)


@given(st.integers(0, 150), st.integers(0, 150))
def test_mcnemar_adds_up_the_binomial_terms(first: int, second: int) -> None:
    trials, fewer = first + second, min(first, second)
    tail = sum(Fraction(comb(trials, count), 2**trials) for count in range(fewer + 1))
    assert exact_mcnemar(first, second) == pytest.approx(float(min(1, 2 * tail)), rel=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "p_value"),
    [
        (0, 1, 1.0),
        (5, 0, 2 / 2**5),
        (8, 1, 2 * (1 + 9) / 2**9),
        (0, 1000, 2.0**-999),
        # Bentur's 21 children, in Fagerland, Lydersen and Laake, BMC Medical Research Methodology
        # 13, 2013: 0.070.
        (1, 7, 0.0703125),
    ],
)
def test_mcnemar_by_hand(first: int, second: int, p_value: float) -> None:
    assert exact_mcnemar(first, second) == pytest.approx(p_value, rel=1e-12)


def test_models_with_as_many_photos_each_do_not_differ() -> None:
    assert [exact_mcnemar(count, count) for count in range(40)] == [1.0] * 40


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="no test of -1"):
        exact_mcnemar(-1, 3)
    with pytest.raises(ValueError, match="no test of 3 against -1"):
        exact_mcnemar(3, -1)
    with pytest.raises(ValueError, match="no test of -2 against 4"):
        exact_mcnemars([3, -2, 5], [3, 4, 5])


@settings(max_examples=8)
@given(P_VALUES)
@example([0.01, 0.01, 0.01])
@example([0.04, 0.01, 0.03, 0.2])
@pytest.mark.soak
def test_adjusted_p_values_are_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


def test_adjusted_p_values_by_hand() -> None:
    p_values = [0.04, 0.01, 0.03, 0.4]
    # Times 4, 3, 2 and 1 from the least on, and none is less than one before it.
    assert holm(p_values) == pytest.approx([0.09, 0.04, 0.09, 0.4])
    assert holm([0.5, 0.6]) == [1.0, 1.0]


def test_no_test_needs_no_adjusting() -> None:
    assert holm([]) == []


@pytest.mark.parametrize(("photos", "discordant"), [(2864, 0.17), (2864, 0.05), (10_000, 0.3)])
def test_a_difference_of_this_size_is_found_four_times_in_five(
    photos: int, discordant: float
) -> None:
    found = detectable_difference(photos, discordant)
    chances = [(discordant + found) / 2, (discordant - found) / 2, 1 - discordant]
    draws = np.random.default_rng(1).multinomial(photos, chances, size=4_000)
    p_values = [exact_mcnemar(int(first), int(second)) for first, second, _ in draws]
    # The exact test finds a little less than the test that the formula is of.
    assert 0.77 <= np.mean(np.array(p_values) < 0.05) <= 0.82


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_more_photos_show_smaller_differences(photos: int, discordant: float) -> None:
    found = detectable_difference(photos, discordant)
    assert 0 <= detectable_difference(2 * photos, discordant) <= found <= discordant


def test_fewer_than_six_photos_that_differ_reach_no_level() -> None:
    assert fewest_discordant() == 6
    assert exact_mcnemar(5, 0) > 0.05 > exact_mcnemar(6, 0)


@pytest.mark.parametrize("photos", [6, 20, 100, 2864, 50_000])
def test_the_least_difference_is_found_four_times_in_five_at_best(photos: int) -> None:
    found = least_detectable(photos)
    assert found is not None
    alone = np.random.default_rng(1).binomial(photos, found, size=20_000)
    at_best = np.mean(exact_mcnemars(alone, np.zeros_like(alone)) < 0.05)
    assert 0.79 <= at_best <= 0.81


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_what_is_shown_supposes_a_discordance_that_can_show_it(
    photos: int, discordant: float
) -> None:
    found = shown_difference(photos, discordant)
    if photos < 6:
        assert found is None
        return
    assert found is not None
    difference, supposed = found
    assert 0 < difference <= supposed
    assert supposed == max(discordant, least_detectable(photos) or 0)


@given(st.integers(4, 10**6), st.floats(0.01, 1), st.floats(0.1, 0.99))
def test_the_difference_solves_its_equation(photos: int, discordant: float, power: float) -> None:
    found = detectable_difference(photos, discordant, power=power)
    a, b = stats.norm.ppf(0.975), stats.norm.ppf(power)
    left = discordant - found**2
    needed = a * np.sqrt(discordant) + b * np.sqrt(left)
    if found < discordant:
        assert found * np.sqrt(photos) == pytest.approx(needed, rel=1e-9)
    else:  # the largest difference that there can be is too small to be found so often
        assert found * np.sqrt(photos) <= needed * (1 + 1e-9)


def test_at_even_chances_of_finding_it_the_difference_is_at_the_level() -> None:
    found = detectable_difference(400, 0.25, power=0.5)
    assert found == pytest.approx(stats.norm.ppf(0.975) * 0.025, rel=1e-12)


def test_what_is_shown_of_many_photos_is_what_the_formula_says() -> None:
    assert shown_difference(1000, 0.2) == (detectable_difference(1000, 0.2), 0.2)
    least = least_detectable(1000)
    assert least is not None
    assert shown_difference(1000, least / 2) == (least, least)


@pytest.mark.parametrize(
    "bad",
    [
        (0, 0.1),
        (10, -0.1),
        (10, 1.1),
        *((10, 0.1, level) for level in (0.0, 1.0, 1.5)),
        *((10, 0.1, 0.05, power) for power in (0.0, 1.0, 1.5)),
    ],
)
def test_impossible_numbers_have_no_difference(bad: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="no difference for"):
        detectable_difference(*bad)
    if len(bad) > 2:
        with pytest.raises(ValueError, match="no difference at the level"):
            least_detectable(100, *bad[2:])


def test_four_photos_that_all_differ_show_a_difference_by_the_formula_too() -> None:
    a, b = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    found = detectable_difference(4, 1.0)
    assert found < 1
    assert found * 2 == pytest.approx(a + b * (1 - found**2) ** 0.5)
