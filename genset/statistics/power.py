"""The smallest difference between two models that so many photos can show."""

from math import sqrt
from statistics import NormalDist


def detectable_difference(
    photos: float, discordant: float, level: float = 0.05, power: float = 0.8
) -> float:
    """The difference of two accuracies (0 to 1) that McNemar's test finds with this power.

    Args:
        photos: how many photos both models answered. Divide by the design effect where photos of
            a class are alike: the result is then the number of independent photos that they are
            worth, and need not be whole.
        discordant: the share of photos where one model alone is right.
        level: of the two-sided test.
        power: the probability to find a difference of this size.

    Returns:
        The difference; `discordant` itself, the largest possible, where no smaller one will do.

    With n photos, discordant share d, and the normal's quantiles a (level) and b (power), the
    difference D solves ``D sqrt(n) = a sqrt(d) + b sqrt(d - D^2)``.

    Source: Connor, "Sample size for testing differences in proportions for the paired-sample
    design", Biometrics 43, 1987; Miettinen, Biometrics 24, 1968. The exact test finds a little
    less than the test with the normal's quantiles, for which the formula was made.

    Raises:
        ValueError: no photos, or a share, level or power outside of 0 to 1.
    """
    if photos <= 0 or not 0 <= discordant <= 1 or not (0 < level < 1 and 0 < power < 1):
        raise ValueError(f"no difference for {photos} photos and {discordant} discordant")
    a, b = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)
    # The square of the equation is one of second degree in D, whose larger root is meant.
    root = a * a * photos * discordant - (photos + b * b) * discordant * (a * a - b * b)
    if root < 0:
        return discordant
    found = (a * sqrt(photos * discordant) + sqrt(root)) / (photos + b * b)
    return min(found, discordant)
