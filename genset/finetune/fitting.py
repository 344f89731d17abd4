"""Fit a model's heads on a task's training part, and test each one once."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from genset.errors import GensetError
from genset.evaluation.models.load import LoadedModel
from genset.finetune.features import Features
from genset.finetune.options import FinetuneOptions
from genset.finetune.probe import Fit, fit_probe, scores
from genset.finetune.results import Attempt, Predictions
from genset.finetune.sgd import EpochStats, train_sgd
from genset.finetune.shots import draw_shots
from genset.finetune.tasks import TaskData, TaskPhoto

_PARTS = ("train", "test")
_EVERY = 60.0  # seconds between lines of progress

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model's heads on a task.

    Attributes:
        attempts: all heads: first those fitted on all photos, then by shots.
        predictions: of the heads fitted on all photos, for the test photos.
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

    def photos(self, data: TaskData) -> list[TaskPhoto]:
        """The photos that were used, in the task's order."""
        return [data.photos[index] for index in sorted([*self.train, *self.test])]


def fit_heads(
    data: TaskData,
    model: LoadedModel,
    features: Features,
    options: FinetuneOptions,
    say: Callable[[str], None],
) -> Fitted:
    """Fit a head for each seed on all training photos, and for each number of shots.

    Nothing of a fit depends on a test photo, not even the strength of its regularizer.

    Args:
        data: the task.
        model: the model whose head is replaced.
        features: of all photos of the task, by this model.
        options: how heads are fitted.
        say: called with each line of progress.

    Raises:
        GensetError: a class has no readable photo to train on, there is no readable photo to test
            on, or a head cannot be fitted.
    """
    train, test = _readable(data, features)
    labels = data.labels
    attempts: list[Attempt] = []
    predicted: list[Indices] = []
    fits: list[Fit] = []
    work = [(shots, seed) for shots in (None, *options.shots) for seed in range(options.seeds)]
    reported = time.monotonic()
    for number, (shots, seed) in enumerate(work, 1):
        if options.probe == "sgd" or time.monotonic() - reported > _EVERY:
            reported = time.monotonic()
            say(f"{data.name}, {model.spec.name}: head {number} of {len(work)}")
        drawn = train if shots is None else train[draw_shots(labels[train], shots, seed)]
        if options.probe == "sgd":
            fit, epochs = _by_epochs(data, model, features, drawn, seed, options, say)
        else:
            fit, epochs = _on_features(data, features, drawn, seed, options), []
        answers = scores(fit, features.values[test]).argmax(axis=1)
        attempts.append(
            Attempt(
                seed=seed,
                shots=shots,
                strength=fit.strength,
                correct=int((answers == labels[test]).sum()),
                photos=len(test),
                validation={f"{strength:g}": share for strength, share in fit.validation.items()},
                epochs=[asdict(epoch) for epoch in epochs],
            )
        )
        if shots is None:
            predicted.append(answers)
            fits.append(fit)
    notes = dict.fromkeys(fit.note for fit in fits if fit.note)
    return Fitted(
        attempts=attempts,
        predictions=Predictions(
            tuple(data.photos[index].id for index in test), labels[test], np.stack(predicted)
        ),
        head=(fits[0].weights, fits[0].bias),
        train=train,
        test=test,
        notes=[*notes, *_short_classes(options.shots, np.bincount(labels[train]))],
    )


def _on_features(
    data: TaskData, features: Features, train: Indices, seed: int, options: FinetuneOptions
) -> Fit:
    return fit_probe(
        features.values[train],
        data.labels[train],
        len(data.classes),
        seed=seed,
        strengths=options.strengths,
        copies=data.firsts[train],
    )


def _by_epochs(
    data: TaskData,
    model: LoadedModel,
    features: Features,
    train: Indices,
    seed: int,
    options: FinetuneOptions,
    say: Callable[[str], None],
) -> tuple[Fit, list[EpochStats]]:
    epochs: list[EpochStats] = []

    def watch(epoch: EpochStats) -> None:
        epochs.append(epoch)
        say(
            f"  epoch {epoch.epoch} of {options.epochs}: loss {epoch.loss:.3f}, "
            f"{100 * epoch.accuracy:.1f} % right, {epoch.seconds:.1f} s"
        )

    return train_sgd(model, features.head, data, train, seed, options.recipe, watch), epochs


def _readable(data: TaskData, features: Features) -> tuple[Indices, Indices]:
    """Indices of the training and test photos that have features.

    Raises:
        GensetError: a class has none to train on, or there is none to test on.
    """
    train, test = ((part := data.indices(name))[features.there[part]] for name in _PARTS)
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
    found = []
    for number in shots:
        if fewer := int((photos < number).sum()):
            who = "class has" if fewer == 1 else "classes have"
            found.append(
                f"Of {number} photos a class: {fewer} {who} fewer to train on, and give all."
            )
    return found
