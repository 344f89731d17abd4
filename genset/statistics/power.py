"""The smallest difference between two models that a number of photos can show.

How large it is hangs on the discordance, the share of photos that one model alone has right. Two
models that hardly ever differ say next to nothing of it. But a difference D needs a discordance of
D at least: less than that, it cannot be. So where fewer are measured, the smallest discordance that
can show anything is assumed, `least_detectable`: one model alone is right wherever the two differ.
That is the best of all cases, and no smaller difference is shown in any other.

Sources: Connor, "Sample size for testing differences in proportions for the paired-sample design",
Biometrics 43, 1987 (the discordance between its bounds, the lower one of which is D); Miettinen,
Biometrics 24, 1968.
"""

from math import ceil, inf, log2, sqrt
from statistics import NormalDist

from genset.statistics.intervals import quantile

LEVEL, POWER = 0.05, 0.8


def fewest_discordant(level: float = LEVEL) -> int:
    """How many discordant photos McNemar's exact test needs to reach a level: 6 for 0.05.

    Even if one model alone is right on all m of them, the p-value is 2 / 2^m.
    """
    return ceil(1 - log2(level))


def least_detectable(photos: float, level: float = LEVEL, power: float = POWER) -> float | None:
    """The smallest difference (0 to 1) that McNemar's exact test can find with this power.

    It is found where one model alone is right on all photos on which the two differ, so that it is
    also the discordance. What is needed is that so many photos are discordant.

    Args:
        photos: how many photos both models answered. It need not be whole.
        level: the level of the two-sided test, between 0 and 1.
        power: the probability of finding a difference of this size, between 0 and 1.

    Returns:
        The difference; None where the photos are too few for any.
    """
    from scipy.special import betaincinv

    fewest = fewest_discordant(level)
    if photos < fewest:
        return None
    # The share of a binomial count that reaches `fewest` with this probability.
    return float(betaincinv(fewest, photos - fewest + 1, power))


def detectable_difference(
    photos: float, discordant: float, level: float = LEVEL, power: float = POWER
) -> float:
    """The difference of two accuracies (0 to 1) that McNemar's test finds with this power.

    With n photos, discordant share d, and the normal quantiles a (level) and b (power), the
    difference D solves ``D sqrt(n) = a sqrt(d) + b sqrt(d - D^2)``. The formula is for the test in
    its asymptotic form; the exact test has slightly less power.

    Args:
        photos: how many photos both models answered. Where photos of a class are alike, divide
            this by the design effect. It need not be whole.
        discordant: the share of photos that only one model has right, 0 to 1.
        level: the level of the two-sided test, between 0 and 1.
        power: the probability of finding a difference of this size, between 0 and 1.

    Returns:
        The difference. It is at most `discordant`, the largest possible.
    """
    a, b = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)
    # Squared, the equation is quadratic in D: of its roots, b's sign says which is the solution.
    under = discordant * (photos - a * a + b * b)
    if under < 0:
        return discordant
    found = (a * sqrt(photos * discordant) + b * sqrt(under)) / (photos + b * b)
    return min(found, discordant)


def normal_level(level: float, freedom: float) -> float:
    """The level of the normal's quantile that equals Student's: 0 where nothing can be shown."""
    return level if freedom == inf else 2 * NormalDist().cdf(-quantile(1 - level, freedom))


def shown_difference(
    photos: float, discordant: float, level: float = LEVEL
) -> tuple[float, float] | None:
    """What photos show with 80 % power, and the discordance that this supposes.

    Args:
        photos, discordant, level: as for `detectable_difference`: the share as measured.

    Returns:
        The difference and the discordance, 0 to 1. The discordance is the measured one, or, where
        that is too little to show anything, the difference itself. None where the photos are too
        few for any difference.
    """
    found = detectable_difference(photos, discordant, level)
    least = least_detectable(photos, level)
    if least is None:
        return None
    return (least, least) if discordant < least else (max(found, least), discordant)
