"""The smallest difference between two models that a number of photos can show."""

from math import sqrt
from statistics import NormalDist


def detectable_difference(
    photos: float, discordant: float, level: float = 0.05, power: float = 0.8
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

    Source: Connor, "Sample size for testing differences in proportions for the paired-sample
    design", Biometrics 43, 1987; Miettinen, Biometrics 24, 1968.

    Raises:
        ValueError: there are no photos, or a share, level or power is out of range.
    """
    if photos <= 0 or not 0 <= discordant <= 1 or not (0 < level < 1 and 0 < power < 1):
        raise ValueError(f"no difference for {photos} photos and {discordant} discordant")
    a, b = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)
    # Squared, the equation is quadratic in D. The larger root is the solution.
    root = a * a * photos * discordant - (photos + b * b) * discordant * (a * a - b * b)
    if root < 0:
        return discordant
    found = (a * sqrt(photos * discordant) + sqrt(root)) / (photos + b * b)
    return min(found, discordant)
