"""How often intervals hold the truth, and how often equal models are told apart, by simulation.

    python benchmarks/intervals.py [--sets 1000]

Each simulated set has other classes and photos. `alike` is the correlation of two photos of one
class. The tables are those of docs/statistics.md.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from genset.statistics.clusters import Floats, share_interval
from genset.statistics.multiple_testing import holm
from genset.statistics.pairwise import Bools, Ints, pairwise

# Classes and photos of each: a handful, one's own classes, a release, ImageNetV2.
SIZES = ((2, 100), (5, 20), (10, 100), (20, 50), (200, 50), (886, 3), (1000, 10))
SHARES, ALIKE = (0.5, 0.75, 0.9, 0.98), (0.0, 0.1, 0.3)
ALONE = ((0.3, 0.1), (0.02, 0.01))
MODELS = (2, 20, 67)
# Of classes and photos of each, where the k-th class has 1/k of the photos of the first.
UNEQUAL = ((20, 30), (100, 10), (1000, 5))
# By how much classes are harder for one model than for another: effects of about 1, 1.6 and 6.
EFFECTS = (((1000, 10), (0, 0.4, 1.9)), ((200, 50), (0, 0.15, 0.5)), ((20, 50), (0, 0.5)))


def shares_of_classes(
    rng: np.random.Generator, shares: tuple[float, ...], alike: float, classes: int
) -> Floats:
    """Each class's shares, C x K, with these means (a Dirichlet distribution)."""
    if alike == 0:
        return np.tile(shares, (classes, 1))
    return rng.dirichlet((1 / alike - 1) * np.array(shares), classes)


def classes_of(size: tuple[int, int], unequal: bool = False) -> Ints:
    """The class of each photo: so many of each class, or that on average (Zipf's law)."""
    parts = 1 / np.arange(1, size[0] + 1) if unequal else np.ones(size[0])
    each = np.maximum(1, np.round(size[0] * size[1] * parts / parts.sum())).astype(np.int64)
    return np.repeat(np.arange(size[0]), each)


def accuracy_coverage(
    size: tuple[int, int], share: float, alike: float, sets: int, unequal: bool = False
) -> float:
    """The share of sets of which the interval of an accuracy holds the truth."""
    rng, numbers = np.random.default_rng(1), classes_of(size, unequal)
    everywhere, held = np.ones(len(numbers), bool), 0
    for _ in range(sets):
        of_class = shares_of_classes(rng, (share, 1 - share), alike, size[0])[:, 0]
        low, high = share_interval(
            rng.random(len(numbers)) < of_class[numbers], everywhere, numbers
        )
        held += low <= share <= high
    return held / sets


def difference_coverage(
    size: tuple[int, int], alone: tuple[float, float], alike: float, sets: int
) -> float:
    """The same of the difference of two models, each of which alone is right on such a share."""
    rng, numbers = np.random.default_rng(2), np.repeat(np.arange(size[0]), size[1])
    everywhere, held = np.ones((len(numbers), 2), bool), 0
    truth = alone[0] - alone[1]
    for _ in range(sets):
        of_class = shares_of_classes(rng, (*alone, 1 - sum(alone)), alike, size[0])[numbers]
        luck = rng.random(len(numbers))
        first = luck < of_class[:, 0]
        second = ~first & (luck < of_class[:, 0] + of_class[:, 1])
        found = pairwise(np.stack([first, second], axis=1), everywhere, numbers)
        held += bool(found.low[0] <= truth <= found.high[0])
    return held / sets


def equal_models(
    rng: np.random.Generator,
    size: tuple[int, int],
    models: int,
    by_class: float,
    unequal: bool = False,
) -> tuple[Bools, Ints]:
    """Whether models that are equally good are right, N x M, and each photo's class.

    A photo and a class are hard for all of them alike; `by_class` is how much a class is harder for
    one model than for another, in standard deviations.
    """
    numbers = classes_of(size, unequal)
    photos, classes = rng.standard_normal(len(numbers)), rng.standard_normal(size[0])
    own = by_class * rng.standard_normal((size[0], models))
    luck = 0.6 * rng.standard_normal((len(numbers), models))
    hard = (1.5 * photos + classes[numbers])[:, None] + own[numbers] + luck
    return hard < 0.55 * np.sqrt(1.5**2 + 1 + by_class**2 + 0.6**2), numbers  # 71 % are right


def false_claims(
    size: tuple[int, int], models: int, by_class: float, sets: int, unequal: bool = False
) -> tuple[float, float]:
    """The share of sets on which any two equal models are told apart; the median design effect."""
    rng, claims, effects = np.random.default_rng(3), 0, []
    for _ in range(sets):
        right, numbers = equal_models(rng, size, models, by_class, unequal)
        found = pairwise(right, np.ones_like(right), numbers)
        claims += min(holm(found.p_value.tolist())) < 0.05
        effects.append(float(np.median(found.effect)))
    return claims / sets, float(np.median(effects))


def rows(sets: int) -> Iterator[str]:
    """The tables, line by line."""
    yield f"Accuracies: intervals that hold the truth, in % of {sets:,} sets."
    for size in SIZES:
        for share in SHARES:
            found = [100 * accuracy_coverage(size, share, alike, sets) for alike in ALIKE]
            yield _row(f"{size[0]:5} x {size[1]:3}  {share:4}", found)
    yield "Differences."
    for size in SIZES:
        for alone in ALONE:
            found = [100 * difference_coverage(size, alone, alike, sets) for alike in ALIKE]
            yield _row(f"{size[0]:5} x {size[1]:3}  {alone[0]:4} {alone[1]:4}", found)
    yield "Equal models: sets with a false claim, in %, and the median design effect."
    for size, scales in EFFECTS:
        for by_class in scales:
            for models in MODELS:
                claims, effect = false_claims(size, models, by_class, sets)
                yield _row(f"{size[0]:5} x {size[1]:3}  {models:2} models", [effect, 100 * claims])

    yield "Unequal classes: the same of accuracies, then false claims and the effect by models."
    for size in UNEQUAL:
        for share in SHARES:
            found = [100 * accuracy_coverage(size, share, alike, sets, True) for alike in ALIKE]
            yield _row(f"{size[0]:5} x {size[1]:3}  {share:4}", found)
        for models in MODELS:
            claims, effect = false_claims(size, models, 0.5, sets, True)
            yield _row(f"{size[0]:5} x {size[1]:3}  {models:2} models", [effect, 100 * claims])


def _row(name: str, found: list[float]) -> str:
    return "  ".join([name, *(f"{share:5.1f}" for share in found)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    for line in rows(parser.parse_args().sets):
        print(line, flush=True)
