"""Tests between models: against scipy and statsmodels, and by simulation."""

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


@settings(max_examples=8)
@given(P_VALUES)
@example([0.01, 0.01, 0.01])
@example([0.04, 0.01, 0.03, 0.4])
def test_adjusted_p_values_are_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


@pytest.mark.parametrize(("photos", "discordant"), [(2864, 0.17), (2864, 0.05), (10_000, 0.3)])
def test_this_difference_is_found_four_times_in_five(photos: int, discordant: float) -> None:
    found = detectable_difference(photos, discordant)
    chances = [(discordant + found) / 2, (discordant - found) / 2, 1 - discordant]
    draws = np.random.default_rng(1).multinomial(photos, chances, size=4_000)
    p_values = [exact_mcnemar(int(first), int(second)) for first, second, _ in draws]
    # The exact test finds a little less than the test that the formula is of.
    assert 0.77 <= np.mean(np.array(p_values) < 0.05) <= 0.82


@pytest.mark.parametrize("photos", [6, 20, 100, 2864, 50_000])
def test_the_least_difference_is_found_four_times_in_five_at_best(photos: int) -> None:
    found = least_detectable(photos)
    assert found is not None
    alone = np.random.default_rng(1).binomial(photos, found, size=20_000)
    at_best = np.mean(exact_mcnemars(alone, np.zeros_like(alone)) < 0.05)
    assert 0.79 <= at_best <= 0.81


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_what_is_shown_supposes_enough_discordance(photos: int, discordant: float) -> None:
    found = shown_difference(photos, discordant)
    if photos < 6:
        assert found is None
        return
    assert found is not None
    least = least_detectable(photos)
    assert least is not None
    formula = max(detectable_difference(photos, discordant), least)
    assert found == ((least, least) if discordant < least else (formula, discordant))


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
