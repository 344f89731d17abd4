"""The expected time to a success where a trial that fails is begun again."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

from genset.statistics.intervals import Interval

_DRAWS = 10_000


def expected_time(successes: Sequence[float], failures: Sequence[float]) -> float:
    """The mean time to the first success: all time that was spent, over the successes.

    It is the mean time of a success, and (1 - p) / p times the mean time of a failure, with the
    share of successes for p.

    Args:
        successes: the times of the trials that succeeded, at least one.
        failures: the times that the others took until they were over.
    """
    return (sum(successes) + sum(failures)) / len(successes)


def expected_time_interval(
    successes: Sequence[float],
    failures: Sequence[float],
    length: float,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval | None:
    """A fiducial interval of the expected time to the first success, for a handful of trials.

    Three unknowns are drawn and put together: the share of successes, from Beta(k + 1/2,
    n - k + 1/2), and the two mean times, from Student's distribution around the measured ones.
    So it is wide even where no trial failed, since a few that succeeded do not show that all do.
    A single failure says nothing of how such times differ: then its time is taken as it is.

    Args:
        successes: the times of the trials that succeeded.
        failures: the times that the others took until they were over.
        length: the time that a failure is taken to cost where there was none.
        confidence: the share of intervals that contain the truth, between 0 and 1.
        seed: of the draws.

    Returns:
        None with fewer than two successes: their times could differ by anything. The upper end may
        be infinite.

    Source: Krishnamoorthy and Lee, "Inference for functions of parameters in discrete distributions
    based on fiducial approach: binomial and Poisson cases", Journal of Statistical Planning and
    Inference 140, 2010, for the share; Weerahandi, "Generalized confidence intervals", Journal of
    the American Statistical Association 88, 1993, for putting them together; Brown, Cai and
    DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16, 2001, for the
    end at a share of 1.
    """
    import numpy as np

    if len(successes) < 2:
        return None
    random = np.random.default_rng(seed)

    def means(times: Sequence[float]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        if len(times) < 2:
            return np.full(_DRAWS, fmean(times) if times else length)
        around = random.standard_t(len(times) - 1, _DRAWS) * stdev(times) / sqrt(len(times))
        return np.maximum(fmean(times) + around, 0.0)

    share = random.beta(len(successes) + 0.5, len(failures) + 0.5, _DRAWS)
    odds = (1 - share) / np.maximum(share, np.finfo(float).tiny)
    tail = (1 - confidence) / 2
    mean = means(successes)
    high = np.quantile(mean + odds * means(failures), 1 - tail)
    # Where none failed the share may be 1: Brown, Cai and DasGupta's end of Jeffreys' interval.
    low = np.quantile(mean + odds * means(failures) if failures else mean, tail)
    return Interval(float(low), float(high))
