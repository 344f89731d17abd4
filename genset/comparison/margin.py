"""Whether a model is not worse than another by more than a margin: non-inferiority.

Not to find a difference is not to show that there is none. To show that a model is not worse, one
says beforehand how much worse still counts as not worse, and asks whether the interval of the
paired difference lies above that. With the 95 % interval, one in 40 models that are worse by
exactly the margin passes at most.

Source: Piaggio, Elbourne, Pocock, Evans and Altman, "Reporting of noninferiority and equivalence
randomized trials: extension of the CONSORT 2010 statement", JAMA 308, 2012. The interval is that
of every other difference (`genset.statistics.paired`), of which one half, Tango's, was made for
this question.
"""

from dataclasses import dataclass

import numpy as np

from genset.core.errors import BadInput
from genset.score.results.results import ModelAnswers, Results
from genset.statistics.bootstrap import STANDARD, Resampling
from genset.statistics.intervals import Interval
from genset.statistics.pairwise import pairwise


@dataclass(frozen=True, slots=True)
class MarginTest:
    """A model held against its counterpart, on the photos that count for both.

    Attributes:
        model, counterpart: their labels.
        k: an answer is right where the true class is among the first `k`.
        photos: how many count for both.
        only_model, only_counterpart: photos that one alone has right.
        difference: the model's accuracy less the counterpart's, -1 to 1.
        interval: its 95 % interval.
        margin: how much worse still counts as not worse, 0 to 1.
    """

    model: str
    counterpart: str
    k: int
    photos: int
    only_model: int
    only_counterpart: int
    difference: float
    interval: Interval
    margin: float

    @property
    def not_worse(self) -> bool | None:
        """Whether it is not worse by more than the margin; None where the photos cannot tell."""
        if self.interval.low > -self.margin:
            return True
        return False if self.interval.high < -self.margin else None


def hold_to_margin(
    results: Results,
    model: ModelAnswers,
    counterpart: ModelAnswers,
    margin: float,
    k: int = 1,
    resampling: Resampling = STANDARD,
) -> MarginTest:
    """Hold a model against its counterpart.

    Args:
        results: the set, and what was scored on it.
        model, counterpart: two of its models.
        margin: how much worse still counts as not worse, 0 to 1.
        k: among how many answers a hit counts; as many are kept of both.
        resampling: how classes are resampled for the interval.

    Raises:
        BadInput: no photo counts for both.
    """
    both = (model, counterpart)
    found = pairwise(
        np.stack([results.right(one, k) for one in both], axis=1),
        np.stack([one.answered for one in both], axis=1),
        results.classes,
        len(results.wnids),
        resampling,
    )
    if not len(found.photos):
        raise BadInput(f"no photo counts for both {model.label} and {counterpart.label}")
    photos, only_model, only_counterpart = (
        int(column[0]) for column in (found.photos, found.only_first, found.only_second)
    )
    return MarginTest(
        model=model.label,
        counterpart=counterpart.label,
        k=k,
        photos=photos,
        only_model=only_model,
        only_counterpart=only_counterpart,
        difference=(only_model - only_counterpart) / photos,
        interval=Interval(float(found.low[0]), float(found.high[0])),
        margin=margin,
    )
