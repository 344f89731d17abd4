"""How often the interval of a difference holds the truth, by drawing sets whose truth is known."""

from typing import NamedTuple

import numpy as np
import pytest

from genset.statistics.bootstrap import Floats, Resampling, class_sums, interval_ends
from genset.statistics.paired import paired_intervals, tango_intervals

DRAWS = Resampling(draws=1_000)


class Held(NamedTuple):
    """Shares of sets whose interval holds the true difference."""

    both: float
    tango: float
    resampled: float


def coverage(
    photos: int,
    classes: int,
    alone: tuple[float, float],
    alike: float = 0.0,
    sets: int = 600,
    seed: int = 1,
) -> Held:
    """Draw sets, of each of which classes and photos are others.

    Args:
        photos: of a set.
        classes: of a set; the photos are spread over them by chance, at least one each.
        alone: the share of photos that the first model alone has right, and the second alone.
        alike: the correlation of two photos of one class, 0 to 1: at 1 they are all the same.
        sets: how many.
        seed: of all that is drawn.
    """
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.multinomial(photos - classes, np.full(classes, 1 / classes))
    numbers = np.repeat(np.arange(classes), sizes)
    shares = _of_classes(rng, alone, alike, (classes, sets))
    luck = rng.random((photos, sets))
    first = luck < shares[0][numbers]
    second = ~first & (luck < (shares[0] + shares[1])[numbers])
    sums = class_sums(numbers, first.astype(float) - second)
    drawn = DRAWS.sums(np.hstack([sums, sizes[:, None]]))
    ends = interval_ends(drawn[:-1] / drawn[-1], classes, 0.95, (-1.0, 1.0))
    counts = first.sum(axis=0), second.sum(axis=0), np.full(sets, photos)
    truth = alone[0] - alone[1]

    def held(low: Floats, high: Floats) -> float:
        return float(np.mean((low <= truth) & (truth <= high)))

    both = paired_intervals(*counts, resampled=ends)
    return Held(held(*both), held(*tango_intervals(*counts)), held(*ends))


def _of_classes(
    rng: np.random.Generator, alone: tuple[float, float], alike: float, shape: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Each class's own shares, whose means are those of `alone` (a Dirichlet distribution)."""
    rest = 1 - sum(alone)
    if alike == 0:
        return np.full(shape, alone[0]), np.full(shape, alone[1])
    if alike == 1:
        kind = rng.choice(3, p=[*alone, rest], size=shape)
        return (kind == 0).astype(float), (kind == 1).astype(float)
    drawn = [rng.gamma((1 / alike - 1) * share, size=shape) for share in (*alone, rest)]
    total = sum(drawn)
    return drawn[0] / total, drawn[1] / total


@pytest.mark.parametrize("alone", [(0.3, 0.1), (0.02, 0.01)])
@pytest.mark.parametrize(("photos", "classes"), [(5, 5), (20, 10), (100, 50), (2864, 1000)])
@pytest.mark.parametrize("alike", [0.0, 0.2])
def test_a_difference_is_held_as_often_as_the_interval_says(
    photos: int, classes: int, alone: tuple[float, float], alike: float
) -> None:
    sets = 600 if photos < 1000 else 300
    found = coverage(photos, classes, alone, alike, sets)
    # 95 %, less three standard errors of so many sets.
    assert found.both >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / sets)
    assert found.both >= max(found.tango, found.resampled)
