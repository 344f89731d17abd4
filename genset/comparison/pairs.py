"""Models held against each other, photo by photo, on what was kept of their runs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from genset.comparison.marks import answered_in_part, mark
from genset.core.errors import BadInput
from genset.score.results.results import ModelAnswers, Results
from genset.sets.truths.truth import By
from genset.statistics.bootstrap import STANDARD, Resampling, intervals
from genset.statistics.intervals import Interval
from genset.statistics.multiple_testing import holm
from genset.statistics.pairwise import pairwise
from genset.statistics.power import LEVEL, fewest_discordant, normal_level, shown_difference

FEWEST = fewest_discordant(LEVEL)  # photos that one alone has right, for any claim


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models' first answers on the photos that count for both, marked by one truth.

    Attributes:
        first, second: their labels, the one with the better top-1 first.
        photos: how many count for both.
        classes: of how many classes these photos are.
        both: photos that both have right.
        only_first, only_second: photos that one alone has right.
        difference: the first's accuracy less the second's, -1 to 1.
        effect: the design effect: photos are worth so much less, since those of a class are alike.
        interval: the difference's 95 % interval (`genset.statistics.paired`).
        p_value: of McNemar's exact test, on the photos that these are worth.
        holm: the same, adjusted for all pairs by Holm's method.
        detectable: the smallest difference that the test, adjusted for all pairs, finds with 80 %
            power in such a pair; None where so few photos, or photos of one class, show none.
        discordant: the share of photos that one alone has right which `detectable` supposes: as
            measured, or, where that is too little to show anything, `detectable` itself
            (`genset.statistics.power`).
    """

    first: str
    second: str
    photos: int
    classes: int
    both: int
    only_first: int
    only_second: int
    difference: float
    effect: float
    interval: Interval
    p_value: float
    holm: float
    detectable: float | None
    discordant: float

    def as_json(self) -> dict[str, Any]:
        """Its numbers, and what they show."""
        return {**asdict(self), "apart": self.apart, "too_few": self.too_few}

    @property
    def apart(self) -> bool:
        """Whether they can be told apart, by the p-value that is adjusted for all pairs."""
        return self.holm < LEVEL

    @property
    def too_few(self) -> bool:
        """Whether too few photos differ for any claim on which of the two is better."""
        return self.only_first + self.only_second < FEWEST


@dataclass(frozen=True, slots=True)
class Rank:
    """A model's rank among those that were scored on a set, from 1, and where it can be.

    Attributes:
        place: 1 and the number of models that are ahead on the photos that count for both; models
            of the same accuracy share a place.
        best: 1 and the number of models that are surely better.
        worst: the number of models, less those that are surely worse.
    """

    place: int
    best: int
    worst: int

    def __str__(self) -> str:
        return f"{self.best}" if self.best == self.worst else f"{self.best} to {self.worst}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model is between two others: 0 at the lower one, 1 at the upper one.

    `interval` is the share's 95 % interval, of whole classes resampled.
    """

    model: str
    share: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Bounds:
    """Each model's share of the gap between two, on the photos that count for all three."""

    lower: str
    upper: str
    places: tuple[Place, ...]


def compare(
    results: Results,
    models: Sequence[ModelAnswers],
    by: By = "original",
    k: int = 1,
) -> tuple[Pair, ...]:
    """Every pair of these models, in their order; p-values are adjusted for all of them.

    A pair without a photo in common is left out.

    Args:
        results: the set, and what was scored on it.
        models: those of them to compare.
        by: what makes an answer right.
        k: among how many answers the photo's own class is looked for; 1 with another truth.

    Raises:
        BadInput: more than the original labels is asked for, and the set has no truth.
    """
    marks = [mark(results, model, by, k) for model in models]
    if len(models) < 2:
        return ()
    found = pairwise(
        np.stack([mark.right for mark in marks], axis=1),
        np.stack([mark.counted for mark in marks], axis=1),
        results.clusters,
    )
    labels = [model.label for model in models]
    adjusted = holm(found.p_value.tolist())
    level = LEVEL / max(1, len(adjusted))  # at which Holm's method begins
    levels = {freedom: normal_level(level, freedom) for freedom in set(found.freedom.tolist())}
    pairs = []
    for row, by_holm in zip(found.rows(), adjusted, strict=True):
        first, second, photos, classes, both, one, other, effect, freedom, p_value, *ends = row
        discordant, at = (one + other) / photos, levels[freedom]
        shown = shown_difference(photos / effect, discordant, at) if at else None
        pair = Pair(
            *(labels[first], labels[second], photos, classes, both, one, other),
            difference=(one - other) / photos,
            effect=effect,
            interval=Interval(*ends),
            p_value=p_value,
            holm=by_holm,
            detectable=shown[0] if shown else None,
            discordant=shown[1] if shown else discordant,
        )
        pairs.append(pair)
    return tuple(pairs)


def rank_models(results: Results, pairs: Sequence[Pair]) -> dict[str, Rank]:
    """Rank the models that answered nearly all photos, by label, with the ranks that each can have.

    Accuracies on different photos have no order, so places, too, are counted by pairs. A rank's
    bounds follow from the pairs that can be told apart, whose error rate Holm's method holds for
    all of them. So they hold for all models at once.

    Source: Mogstad, Romano, Shaikh and Wilhelm, "Inference for ranks", Review of Economic Studies
    91, 2024.

    Args:
        results: the models, side by side on one set.
        pairs: every two of them, compared.
    """
    part = {model.label for model in answered_in_part(results)}
    labels = [model.label for model in results.models if model.label not in part]
    ahead_of, better, worse = (dict.fromkeys(labels, 0) for _ in range(3))
    for pair in pairs:
        if not {pair.first, pair.second} <= ahead_of.keys():
            continue
        ahead, behind = (pair.first, pair.second)[:: 1 if pair.difference > 0 else -1]
        ahead_of[behind] += pair.difference != 0
        better[behind] += pair.apart
        worse[ahead] += pair.apart
    return {
        label: Rank(1 + ahead_of[label], 1 + better[label], len(labels) - worse[label])
        for label in labels
    }


def place_between(
    results: Results,
    lower: ModelAnswers,
    upper: ModelAnswers,
    resampling: Resampling = STANDARD,
    k: int = 1,
) -> Bounds:
    """Place each other model between two.

    Args:
        results: the set, and what was scored on it.
        lower, upper: the two.
        resampling: how classes are resampled for intervals.
        k: among how many answers a hit counts.

    Raises:
        BadInput: the upper one is not surely better, so that there is no gap to have a share of.
    """
    others = [model for model in results.models if model not in (lower, upper)]
    common = [lower.answered & upper.answered & model.answered for model in [upper, *others]]
    low, high = results.right(lower, k).astype(float), results.right(upper, k).astype(float)
    hits = [results.right(model, k) for model in [upper, *others]]
    gain = np.stack([(a - low) * both for a, both in zip(hits, common, strict=True)], axis=1)
    gap = np.stack([(high - low) * both for both in common], axis=1)
    count = len(np.unique(results.clusters))
    gaps = resampling.ratios(results.clusters, gap, np.stack(common, axis=1))
    if any(interval.low <= 0 for interval in intervals(gaps, count, widest=(-1.0, 1.0))):
        raise BadInput(
            f"{upper.label} is not surely better than {lower.label} here: there is no gap between "
            "them to have a share of"
        )
    ends = intervals(resampling.ratios(results.clusters, gain, gap), count)
    shares = gain.sum(axis=0) / gap.sum(axis=0)
    rows = zip([upper, *others], shares, ends, strict=True)
    places = [Place(model.label, float(share), interval) for model, share, interval in rows]
    return Bounds(lower.label, upper.label, tuple(places[1:]))
