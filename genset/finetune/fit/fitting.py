"""Fit a model's heads on a task's training part, and test each one once."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import GensetError
from genset.core.numbers import agree, count
from genset.core.progress import bar
from genset.finetune.data.tasks import TaskData, TaskPhoto
from genset.finetune.fit.options import FinetuneOptions
from genset.finetune.fit.probe import Fit, fit_probe, scores, searches
from genset.finetune.fit.sgd import EpochStats, train_sgd
from genset.finetune.fit.shots import draw_shots
from genset.finetune.network.features import Features
from genset.finetune.results.runs import Attempt, Predictions
from genset.models.load import LoadedModel

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

    Nothing of a fit depends on a test photo, not even the strength of its regularizer. A terminal
    shows a bar of the searches or batches that are done.

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
    fitter = _Fitter(data, model, features, options, say)
    work = [
        (shots, seed, train if shots is None else train[draw_shots(labels[train], shots, seed)])
        for shots in (None, *options.shots)
        for seed in range(options.seeds)
    ]
    for (shots, seed, _), (fit, epochs) in zip(work, fitter.fits(work), strict=True):
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
        notes=[
            *notes,
            *_on_an_edge(attempts, options.strengths),
            *_short_classes(options.shots, np.bincount(labels[train])),
        ],
    )


@dataclass(frozen=True, slots=True)
class _Fitter:
    """Fits one head after the other, and shows how far that is."""

    data: TaskData
    model: LoadedModel
    features: Features
    options: FinetuneOptions
    say: Callable[[str], None]

    def fits(
        self, work: Sequence[tuple[int | None, int, Indices]]
    ) -> Iterator[tuple[Fit, list[EpochStats]]]:
        """The head and the epochs, if there are epochs, for each (shots, seed, photos)."""
        what = f"{self.data.name}, {self.model.spec.name}"
        unit = "batch" if self.options.probe == "sgd" else "fit"
        totals = [self._steps(len(photos)) for _, _, photos in work]
        reported = time.monotonic()
        with bar(total=sum(totals), what=f"fitting {what}", unit=unit) as count:
            for number, ((_, seed, photos), total) in enumerate(zip(work, totals, strict=True), 1):
                if self.options.probe == "sgd" or time.monotonic() - reported > _EVERY:
                    reported = time.monotonic()
                    self.say(f"{what}: head {number} of {len(work)}")
                steps = _Steps(total, count)
                yield self._fit(photos, seed, steps)
                steps.finish()

    def _steps(self, photos: int) -> int:
        if self.options.probe == "sgd":
            return self.options.recipe.batches(photos)
        return searches(self.options.strengths)

    def _fit(self, train: Indices, seed: int, steps: "_Steps") -> tuple[Fit, list[EpochStats]]:
        data, options = self.data, self.options
        if options.probe == "features":
            fit = fit_probe(
                self.features.values[train],
                data.labels[train],
                len(data.classes),
                seed=seed,
                strengths=options.strengths,
                copies=data.firsts[train],
                count=steps,
            )
            return fit, []
        epochs: list[EpochStats] = []

        def watch(epoch: EpochStats) -> None:
            epochs.append(epoch)
            self.say(
                f"  epoch {epoch.epoch} of {options.epochs}: loss {epoch.loss:.3f}, "
                f"{100 * epoch.accuracy:.1f} % right, {epoch.seconds:.1f} s"
            )

        head, recipe = self.features.head, options.recipe
        return train_sgd(self.model, head, data, train, seed, recipe, watch, steps), epochs


class _Steps:
    """Counts the steps of one head, of which there may be fewer than were expected."""

    def __init__(self, left: int, count: Callable[[int], object]) -> None:
        self.left, self.count = left, count

    def __call__(self, done: int) -> None:
        done = min(done, self.left)
        self.left -= done
        self.count(done)

    def finish(self) -> None:
        """Count what was expected and not needed."""
        self(self.left)


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


def _on_an_edge(attempts: Sequence[Attempt], strengths: Sequence[float]) -> list[str]:
    """A note, if cross-validation chose the smallest or the largest strength that was tried."""
    chosen = [attempt for attempt in attempts if attempt.validation]
    edges = {"smallest": min(strengths), "largest": max(strengths)}
    found = []
    for heads, own in (
        ("on all photos", [each.strength for each in chosen if each.shots is None]),
        ("of the learning curve", [each.strength for each in chosen if each.shots]),
    ):
        there = [
            f"the {which} of those tried, {edge:g}, for {own.count(edge):,}"
            for which, edge in edges.items()
            if edge in own
        ]
        if there:
            found.append(
                f"The regularizer's strength that was chosen is {' and '.join(there)} of "
                f"{count(len(own), 'head')} {heads}: let --strengths reach further."
            )
    return found


def _short_classes(shots: tuple[int, ...], photos: NDArray[np.int64]) -> list[str]:
    """A note for each number of shots that some classes do not have."""
    found = []
    for number in shots:
        if fewer := int((photos < number).sum()):
            give = agree(fewer, "gives", "give")
            who = count(fewer, "class has", "classes have")
            photos_a_class = f"{count(number, 'photo')} a class"
            found.append(f"Of {photos_a_class}: {who} fewer to train on, and {give} all.")
    return found
