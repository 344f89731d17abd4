"""Fit a model's heads on a task's training part, and test each one once."""

import re
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.core.progress import progress
from genset.finetune.features import Features
from genset.finetune.probe import Fit, fit_probe, scores
from genset.finetune.runs import Attempt, Predictions
from genset.finetune.tasks import TaskData
from genset.score.options import ScoringOptions

ALL = "all"


@dataclass(frozen=True, slots=True)
class FinetuneOptions:
    """How heads are fitted and tested.

    Attributes:
        seeds: how many heads are fitted on the same photos, with seeds 0, 1, ...
        shots: for the learning curve: numbers of training photos of each class. Heads on all
            photos are always fitted too.
        strengths: the inverse strengths of the regularizer to choose from (scikit-learn's C);
            none: those of `genset.finetune.probe`.
        test_share, split_seed: for tasks that define no split.
        scoring: how features are computed.

    Raises:
        BadInput: a value is not possible.
    """

    seeds: int = 3
    shots: tuple[int, ...] = ()
    strengths: tuple[float, ...] = ()
    test_share: float = 0.2
    split_seed: int = 0
    scoring: ScoringOptions = field(default_factory=ScoringOptions)

    def __post_init__(self) -> None:
        """Check the values."""
        if not 0 < self.test_share < 1:
            raise BadInput(f"the test part is a share between 0 and 1, not {self.test_share:g}")

    @property
    def settings(self) -> dict[str, Any]:
        """What determines the heads, as it is stored with them."""
        strengths = list(self.strengths)
        return {"seeds": self.seeds, "shots": [*self.shots, ALL], "strengths": strengths}


def read_shots(text: str) -> tuple[int, ...]:
    """Parse a list of shots, as in "1,2,5,all". "all" is always included.

    Raises:
        BadInput: a part is neither a number from 1 on nor "all".
    """
    words = [word for word in map(str.strip, text.split(",")) if word != ALL]
    if not all(re.fullmatch("[0-9]{1,6}", word) and int(word) for word in words):
        raise BadInput(f"--shots {text}: write photos of each class, as in 1,2,5,10,all")
    return tuple(sorted(set(map(int, words))))


def read_strengths(text: str) -> tuple[float, ...]:
    """Parse a list of strengths, as in "0.01,0.1,1". A single one is used as it is.

    Raises:
        BadInput: a part is not a number above 0.
    """
    try:
        found = set(map(float, text.split(",")))
    except ValueError:
        found = {0.0}
    if not all(isfinite(value) and value > 0 for value in found):
        raise BadInput(f"--strengths {text}: write numbers above 0, as in 0.01,0.1,1")
    return tuple(sorted(found))


def draw_shots(labels: NDArray[np.int64], shots: int, seed: int) -> NDArray[np.int64]:
    """Draw `shots` photos of each class, or all of a class that has fewer.

    Draws with one seed are nested: the draw of 5 contains the draw of 2, so that a learning curve
    shows the effect of more photos, not of other photos.

    Args:
        labels: the class of each photo, shape (N,), int64.
        shots: the number of photos of each class.
        seed: of the draw.

    Returns:
        Indices into `labels`, ascending, int64.
    """
    # The rank of each photo in its class, in an order that does not depend on `shots`.
    order = np.random.default_rng(seed).permutation(len(labels))
    by_class = order[np.argsort(labels[order], kind="stable")]
    counts = np.bincount(labels)
    first_of_class = np.repeat(np.cumsum(counts) - counts, counts)
    rank = np.arange(len(labels)) - first_of_class
    return np.sort(by_class[rank < shots]).astype(np.int64)


Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FittedHeads:
    """A model's heads on a task.

    Attributes:
        attempts: all heads: first those fitted on all photos, then by shots.
        predictions: of all these heads, for the test photos.
        head: the first seed's, fitted on all photos: weights, shape (C, D), and bias, shape (C,),
            both float32.
        train, test: indices of the readable photos in the task's photos, int64.
        notes: remarks to show with the numbers.
    """

    attempts: list[Attempt]
    predictions: Predictions
    head: tuple[NDArray[np.float32], NDArray[np.float32]]
    train: Indices
    test: Indices
    notes: list[str]


def fit_heads(
    data: TaskData,
    model: str,
    features: Features,
    options: FinetuneOptions,
) -> FittedHeads:
    """Fit a head for each seed on all training photos, and for each number of shots.

    Nothing of a fit depends on a test photo, not even the strength of its regularizer.

    Args:
        data: the task.
        model: the model's name.
        features: of all photos of the task, by this model.
        options: how heads are fitted.

    Raises:
        GensetError: a class has no readable photo to train on, there is no readable photo to test
            on, or a head cannot be fitted.
    """
    train, test = _readable(data, features)
    labels = data.labels
    attempts: list[Attempt] = []
    predicted: list[Indices] = []
    fits: list[Fit] = []
    work = [
        (shots, seed, train if shots is None else train[draw_shots(labels[train], shots, seed)])
        for shots in (None, *options.shots)
        for seed in range(options.seeds)
    ]
    what = f"fitting {data.name}, {model}"
    for shots, seed, photos in progress(work, total=len(work), what=what, unit="fit"):
        fit = fit_probe(
            features.values[photos],
            labels[photos],
            len(data.classes),
            seed=seed,
            strengths=options.strengths,
            copies=data.firsts[photos],
            few=shots is not None,
        )
        answers = scores(fit, features.values[test]).argmax(axis=1)
        shares = {f"{strength:g}": share for strength, share in fit.validation.items()}
        correct = int((answers == labels[test]).sum())
        attempts.append(Attempt(seed, shots, fit.strength, correct, len(test), shares))
        predicted.append(answers)
        if shots is None:
            fits.append(fit)
    notes = dict.fromkeys(fit.note for fit in fits if fit.note)
    return FittedHeads(
        attempts=attempts,
        predictions=Predictions(
            tuple(data.photos[index].id for index in test), labels[test], np.stack(predicted)
        ),
        head=(fits[0].weights, fits[0].bias),
        train=train,
        test=test,
        notes=[*notes, *_short_classes(options.shots, np.bincount(labels[train]))],
    )


def _readable(data: TaskData, features: Features) -> tuple[Indices, Indices]:
    """Indices of the training and test photos that have features.

    Raises:
        GensetError: a class has none to train on, or there is none to test on.
    """
    train, test = ((part := data.indices(name))[features.there[part]] for name in ("train", "test"))
    photos = np.bincount(data.labels[train], minlength=len(data.classes))
    if not photos.all():
        name = data.classes[int(photos.argmin())]
        raise GensetError(
            f"{data.name}: the class {name} has no photo to train on that can be read"
        )
    if not len(test):
        raise GensetError(f"{data.name}: there is no photo to test on that can be read")
    return train, test


def _short_classes(shots: tuple[int, ...], photos: NDArray[np.int64]) -> list[str]:
    """A note for each number of shots that some classes do not have."""
    return [
        f"Of {count(number, 'photo')} a class: {count(fewer, 'class has', 'classes have')} fewer "
        "to train on, of which all are used."
        for number in shots
        if (fewer := int((photos < number).sum()))
    ]
