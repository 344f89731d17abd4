"""Photos that every leading model gets wrong, and how far off they are.

Where the best models all say something else than the label, the label may be the one that is
wrong.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from genset.classes import Taxonomy
from genset.comparison.marks import answered_in_part, mark
from genset.comparison.pairs import Pair
from genset.score.results.results import ModelAnswers, Results

_Apart = Callable[[str, str], int]

FEWEST_LEADING = 3
"""Models that lead at least, where so many were scored: one alone errs for reasons of its own."""


class Guess(NamedTuple):
    """A model's first answer, as `genset.label.suspects.Guess` is stored."""

    model: str
    wnid: str
    probability: float | None
    distance: int


@dataclass(frozen=True, slots=True)
class CommonMiss:
    """A photo on which every leading model's first answer is wrong.

    Attributes:
        image: its id in the set.
        right: its classes, its own first.
        answers: of the leading models, the best model's first.
        severity: the smallest distance of an answer: every one of them is at least so far off.
        common: the answer that most of them give; of several the nearest, then the first model's.
        agreeing: how many give it.
    """

    image: str
    right: tuple[str, ...]
    answers: tuple[Guess, ...]
    severity: int
    common: str
    agreeing: int

    @property
    def unanimous(self) -> bool:
        """Whether several models, and all of them, give one and the same answer."""
        return self.agreeing == len(self.answers) > 1


@dataclass(frozen=True, slots=True)
class MissedByAll:
    """What the leading models get wrong together.

    Attributes:
        leading: their labels, the best first.
        photos: how many photos count for all of them, and have a right class.
        without: how many photos were left out, because no class is right for them.
        missed: the photos that all of them get wrong, in the order that was asked for.
    """

    leading: tuple[str, ...]
    photos: int
    without: int
    missed: tuple[CommonMiss, ...]

    @property
    def unanimous(self) -> int:
        """On how many of the missed photos they all give one and the same answer."""
        return sum(photo.unanimous for photo in self.missed)


ORDERS: dict[str, Callable[[CommonMiss], tuple[object, ...]]] = {
    "severity": lambda photo: (-photo.severity, -photo.agreeing, photo.image),
    "agreement": lambda photo: (-photo.agreeing, -photo.severity, photo.image),
}
"""How missed photos are sorted: the most severe first, or those on which most models agree."""


def leading(results: Results, pairs: Sequence[Pair]) -> tuple[ModelAnswers, ...]:
    """The best model, those that cannot be told apart from it, and the best three.

    The second and third lead only where they are at least half as accurate as the best.

    Models that answered a part of the photos (`whole`) do not lead: only photos that count for all
    leading ones are looked at, and on few photos nearly every model cannot be told apart from the
    best.

    Args:
        results: the models, side by side on one set, the best first.
        pairs: every two of them, compared.
    """
    part = {model.label for model in answered_in_part(results)}
    models = [model for model in results.models if model.label not in part]
    if not models:
        return ()
    apart = {pair.second for pair in pairs if pair.first == models[0].label and pair.apart}
    least = models[0].run.top1.share / 2
    return tuple(
        model
        for place, model in enumerate(models)
        if model.label not in apart or (place < FEWEST_LEADING and model.run.top1.share >= least)
    )


def missed_by_all(
    results: Results, models: Sequence[ModelAnswers], order: str = "severity"
) -> MissedByAll:
    """The photos that count for all of these models and that all of them get wrong.

    Where the set has a multi-label truth all its right classes count, an answer that is unclear is
    not wrong, and photos without a right class are left out. Else a photo's own class alone counts.

    Args:
        results: the set, and what was scored on it.
        models: those that lead, one at least.
        order: a name in `ORDERS`.
    """
    truth = results.photos.truth
    marks = [mark(results, model, "multilabel" if truth else "original") for model in models]
    counted = np.logical_and.reduce([mark.counted for mark in marks])
    answered = np.logical_and.reduce([model.answered for model in models])
    wrong = counted & ~np.logical_or.reduce([mark.right for mark in marks])
    apart = _distances(results.photos.taxonomy)
    found = []
    for place in np.flatnonzero(wrong).tolist():
        photo = results.photos.photos[place]
        classes = truth.correct_of(photo.id) if truth else frozenset({photo.wnid})
        ordered = sorted(classes, key=lambda wnid: (wnid != photo.wnid, wnid))
        found.append(_missed(photo.id, tuple(ordered), models, place, apart))
    return MissedByAll(
        leading=tuple(model.label for model in models),
        photos=int(counted.sum()),
        without=int(answered.sum() - counted.sum()),
        missed=tuple(sorted(found, key=ORDERS[order])),
    )


def _missed(
    image: str, right: tuple[str, ...], models: Sequence[ModelAnswers], place: int, apart: _Apart
) -> CommonMiss:
    answers = []
    for model in models:
        wnid, sure = model.ranked_at(place)[0], float(model.confidence[place])
        distance = min(apart(wnid, cls) for cls in right)
        answers.append(Guess(model.label, wnid, None if np.isnan(sure) else sure, distance))
    votes = Counter(answer.wnid for answer in answers)
    common = min(answers, key=lambda answer: (-votes[answer.wnid], answer.distance))
    return CommonMiss(
        image=image,
        right=right,
        answers=tuple(answers),
        severity=min(answer.distance for answer in answers),
        common=common.wnid,
        agreeing=votes[common.wnid],
    )


def height_of(taxonomy: Taxonomy) -> int:
    """The largest distance that two classes can have; 0 where one has no hypernyms to go by."""
    return taxonomy.height if all(cls.hypernyms for cls in taxonomy) else 0


def _distances(taxonomy: Taxonomy) -> _Apart:
    """What tells how far apart two answers are."""
    height = height_of(taxonomy)

    @cache
    def apart(one: str, other: str) -> int:
        known = height and one in taxonomy and other in taxonomy
        return taxonomy.distance(one, other) if known else height

    return apart
