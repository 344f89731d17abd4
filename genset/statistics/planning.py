"""How many photos a difference of two models needs, by the test that reports apply to pairs.

What is not known before photos are there is assumed. `ALIKE` and `DISAGREEMENT` are near the top of
what seven models have on ImageNet's validation set and ImageNetV2 (docs/statistics.md).
"""

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import NormalDist

import numpy as np

from genset.core.errors import BadInput
from genset.statistics.clusters import design_effects
from genset.statistics.power import LEVEL, normal_level, shown_difference

ALIKE = 0.015  # correlation of two photos of a class in what one model has over the other
DISAGREEMENT = 0.35  # photos that one model alone has right, for one of independent models
_MOST = 10**8  # photos that anybody collects


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What a plan supposes; shares are from 0 to 1.

    Attributes:
        difference: of the two accuracies, more than 0.
        accuracy: of the better model.
        disagreement: the share of photos that one model alone has right.
        classes: how many classes photos are of, 2 or more.
        fixed: whether the classes are all that there are, and not a sample.
        accepted: the share of candidates that are called correct.
        votes: labelers of each candidate.
        seconds: that a labeler takes for one.
    """

    difference: float
    accuracy: float
    disagreement: float
    classes: int
    fixed: bool
    accepted: float
    votes: int
    seconds: float

    def shows(self, photos: int, level: float) -> bool:
        """Whether the test finds the difference on so many photos at a level, with 80 % power."""
        freedom = inf if self.fixed or photos <= self.classes else self.classes - 1
        at = normal_level(level, freedom)
        # The exact test's continuity: half a photo of either model costs a photo of the difference.
        worth = photos / self.effect(photos) - 1 / self.difference
        if not at or worth <= 0:
            return False
        shown = shown_difference(worth, self.disagreement, at)
        return shown is not None and shown[0] <= self.difference

    def effect(self, photos: int) -> float:
        """The design effect that the test finds on average with so many photos, 1 or more."""
        from scipy.special import ive

        of_class = photos / self.classes
        if self.fixed or of_class <= 1:
            return 1.0
        apart = of_class * self.disagreement  # photos of a class that one model alone has right
        mean = 1 + ALIKE * (of_class - 1)
        # Measured on so many classes it scatters, and what is below 1 counts as 1.
        scatter = NormalDist(mean - 1, mean * sqrt((2 + 1 / apart) / self.classes))
        above = 1 - scatter.cdf(0)
        measured = 1 + scatter.mean * above + scatter.variance * scatter.pdf(0)
        # A class varies unless the models have as many photos of it (Skellam's distribution).
        varied = self.classes * (1 - ive(0, apart))
        squares = np.array([measured * (1 - 1 / self.classes)])
        sizes = np.full(self.classes, of_class)
        return float(design_effects(squares, np.ones(1), varied, sizes).sizes[0])


@dataclass(frozen=True, slots=True)
class Plan:
    """What so many models need, of which every two are compared, by Holm's method.

    `design_effect` is what the test would find; `hours` are those of all labelers together.
    """

    models: int
    photos: int
    per_class: int
    design_effect: float
    candidates: int
    votes: int
    hours: float


def usual_disagreement(accuracy: float, difference: float) -> float:
    """The share of photos that one of two such models alone has right, as models mostly do."""
    other = accuracy - difference
    independent = accuracy * (1 - other) + other * (1 - accuracy)
    return max(difference, DISAGREEMENT * independent)


def plan(assumed: Assumptions, models: int) -> Plan:
    """How many photos it takes to compare so many models, 2 or more.

    Raises:
        BadInput: no two models can be as assumed, or no number of photos is enough.
    """
    difference, of_both = assumed.difference, 2 * assumed.accuracy - assumed.difference
    if difference > assumed.accuracy:
        raise BadInput("--difference is more than --accuracy: name the better model's accuracy")
    most = min(of_both, 2 - of_both)
    if not difference <= assumed.disagreement <= most:
        ends = f"{100 * difference:g} to {100 * most:g} %"
        raise BadInput(f"--disagreement: two such models disagree on {ends} of the photos")
    level = LEVEL / (models * (models - 1) / 2)  # at which Holm's method begins
    photos = 1 + bisect_left(
        range(1, _MOST + 1), True, key=lambda photos: assumed.shows(photos, level)
    )
    if photos > _MOST:
        raise BadInput(
            f"{_MOST:,} photos of {assumed.classes:,} classes do not show {100 * difference:g} "
            f"points between {models} models: take more classes (--among), a larger "
            "--difference, or --classes fixed if there are no other classes"
        )
    candidates = ceil(photos / assumed.accepted)
    votes = candidates * assumed.votes
    per_class, hours = ceil(photos / assumed.classes), round(votes * assumed.seconds / 3600, 1)
    effect = round(assumed.effect(photos), 2)
    return Plan(models, photos, per_class, effect, candidates, votes, hours)
