"""Regression, also on values that are known only to be above a number."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

from genset.statistics.contrasts import Floats, regression


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
