"""Fit a model's heads on a task's training part, and look at the test part with each, once."""

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
from genset.finetune.results import Attempt, Said
from genset.finetune.sgd import EpochSaid, train_sgd
from genset.finetune.shots import draw_shots
from genset.finetune.tasks import TaskData, TaskPhoto

_PARTS = ("train", "test")
_EVERY = 60.0  # seconds between lines on how far it is

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model's heads on a task.

    Attributes:
        attempts: every head; those on all photos first, then by shots.
        said: what heads on all photos say of the test photos.
        head: the first seed's, on all photos: weights (classes x features) and bias (classes).
        train, test: places in the task's photos, of those that could be read.
        notes: what to say beside the numbers.
    """

    attempts: list[Attempt]
    said: Said
    head: tuple[NDArray[np.float32], NDArray[np.float32]]
    train: Places
    test: Places
    notes: list[str]

    def photos(self, data: TaskData) -> list[TaskPhoto]:
        """Those that were used, in the task's order."""
        return [data.photos[place] for place in sorted([*self.train, *self.test])]


def fit_heads(
    data: TaskData,
    model: LoadedModel,
    features: Features,
    options: FinetuneOptions,
    say: Callable[[str], None],
) -> Fitted:
    """Fit a head for each seed on all training photos, and on as many as each of the shots.

    Nothing of a fit, the strength of its regularizer included, depends on a test photo.

    Raises:
        GensetError: a class has no photo to train on that can be read, or there is none to test
            on; or heads cannot be fitted.
    """
    train, test = _readable(data, features)
    labels = data.labels
    attempts: list[Attempt] = []
    said: list[Places] = []
    fits: list[Fit] = []
    work = [(shots, seed) for shots in (None, *options.shots) for seed in range(options.seeds)]
    spoken = time.monotonic()
    for number, (shots, seed) in enumerate(work, 1):
        if options.probe == "sgd" or time.monotonic() - spoken > _EVERY:
            spoken = time.monotonic()
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
            said.append(answers)
            fits.append(fit)
    notes = dict.fromkeys(fit.note for fit in fits if fit.note)
    return Fitted(
        attempts=attempts,
        said=Said(tuple(data.photos[place].id for place in test), labels[test], np.stack(said)),
        head=(fits[0].weights, fits[0].bias),
        train=train,
        test=test,
        notes=[*notes, *_of_few(options.shots, np.bincount(labels[train]))],
    )


def _on_features(
    data: TaskData, features: Features, places: Places, seed: int, options: FinetuneOptions
) -> Fit:
    return fit_probe(
        features.values[places],
        data.labels[places],
        len(data.classes),
        seed=seed,
        strengths=options.strengths,
    )


def _by_epochs(
    data: TaskData,
    model: LoadedModel,
    features: Features,
    places: Places,
    seed: int,
    options: FinetuneOptions,
    say: Callable[[str], None],
) -> tuple[Fit, list[EpochSaid]]:
    epochs: list[EpochSaid] = []

    def watch(epoch: EpochSaid) -> None:
        epochs.append(epoch)
        say(
            f"  epoch {epoch.epoch} of {options.epochs}: loss {epoch.loss:.3f}, "
            f"{100 * epoch.accuracy:.1f} % right, {epoch.seconds:.1f} s"
        )

    return train_sgd(model, features.head, data, places, seed, options.recipe, watch), epochs


def _readable(data: TaskData, features: Features) -> tuple[Places, Places]:
    """Places of the training and test photos that have features.

    Raises:
        GensetError: a class has none to train on, or there is none to test on.
    """
    train, test = ((places := data.places(part))[features.there[places]] for part in _PARTS)
    photos = np.bincount(data.labels[train], minlength=len(data.classes))
    if not photos.all():
        name = data.classes[int(photos.argmin())]
        raise GensetError(
            f"{data.name}: the class {name} has no photo to train on that can be read"
        )
    if not len(test):
        raise GensetError(f"{data.name}: there is no photo to test on that can be read")
    return train, test


def _of_few(shots: tuple[int, ...], photos: NDArray[np.int64]) -> list[str]:
    """What to say of shots that not every class has."""
    found = []
    for number in shots:
        if fewer := int((photos < number).sum()):
            who = "class has" if fewer == 1 else "classes have"
            found.append(
                f"Of {number} photos a class: {fewer} {who} fewer to train on, and give all."
            )
    return found
