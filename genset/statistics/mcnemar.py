"""Whether two models differ, judged by the photos where only one of them is right."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def exact_mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of McNemar's exact test, 0 to 1.

    If the models were equally good, then each photo that only one of them has right would be the
    first's with probability 1/2. So this is a binomial test of `only_first` among `only_first` +
    `only_second`. Photos that both have right, or both have wrong, do not count.

    Source: McNemar, "Note on the sampling error of the difference between correlated proportions
    or percentages", Psychometrika 12, 1947; in the exact form of Cochran, 1950.

    Raises:
        ValueError: a count is negative.
    """
    return float(exact_mcnemars([only_first], [only_second])[0])


def exact_mcnemars(only_first: ArrayLike, only_second: ArrayLike) -> NDArray[np.float64]:
    """The same of many pairs: counts and p-values of shape (K,).

    Counts may be means over several trainings, and need not be whole. Between whole counts the
    p-value follows the binomial tail's continuation, the incomplete beta function.

    Raises:
        ValueError: a count is negative.
    """
    from scipy.special import betainc

    first, second = np.asarray(only_first, float), np.asarray(only_second, float)
    fewer = np.minimum(first, second)
    if (fewer < 0).any():
        at = int(np.argmin(fewer))
        raise ValueError(f"no test of {first[at]:g} against {second[at]:g}")
    # The probability of at most `fewer` of all, each with 1/2.
    tails = betainc(np.maximum(first, second), fewer + 1, 0.5)
    p_values: NDArray[np.float64] = np.minimum(1.0, 2 * tails)  # with equal counts, both tails
    return p_values  # hold the middle
