"""The last layer, trained as the paper does: batches of photos through the frozen network.

The network runs in evaluation mode and without gradients: no weight of it and no statistic of its
batch normalization can change. What it gives is one linear layer's input; that layer alone is
trained, by stochastic gradient descent with momentum. The rate rises for half of the steps, and
then falls to nothing along a cosine: large steps at the start would take the weights farther out
than they come back in 30 epochs.

Before the first epoch the training photos run through the network once as they are. By their
features the layer's input is made standard, turned onto its principal axes, and scaled there by the
root of the loss's curvature, as in `genset.finetune.probe`; the layer is folded back when it is
trained. The curvature along each axis is raised by that of some tens of mean axes: descent in
batches that scaled the narrowest up in full would learn noise there. And on the same features the
strength of the penalty is chosen, by the probe's cross-validation, so that both ways look for the
same layer.

The recipe was chosen by how near the probe's objective is on training photos alone (80 species of
birds; SqueezeNet and EfficientNet-Lite0), for strengths of 0.1 and 3. After 30 epochs it is less
than 1 % above for 0.1, and 10 to 16 % for 3, with test accuracies 0.1 to 0.4 points apart. Few
photos make few steps: of some hundred, at the weakest penalties, the layer stops far shorter.

Sources: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance
Benchmark", 2018; Loshchilov and Hutter, "SGDR", 2016 (the cosine); Goyal et al., "Accurate, Large
Minibatch SGD", 2017 (the rise); Böhning, "Multinomial logistic
regression algorithm", 1992 (the curvature).
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil, cos, pi
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from genset.errors import BadInput, GensetError, ModelError, PhotoRefused, first_line
from genset.evaluation.data.transforms import Pixels, crops, opened
from genset.evaluation.engines.pytorch import TorchEngine
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.processes import cores
from genset.finetune.augment import random_part
from genset.finetune.heads import Head, trunk
from genset.finetune.probe import STRENGTHS, Fit, Floats, Labels, Standard, fit_probe, penalty
from genset.finetune.tasks import TaskData, TaskPhoto

_AHEAD = 2  # batches that are decoded while the network works on one
_DAMPING = 30.0  # added to the mean square along each axis; that of a mean axis is 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the last layer is trained.

    Attributes:
        epochs: how often each photo is seen.
        augment: whether a photo is seen in random parts, and mirrored; else it is always the same.
        batch: photos at once.
        rate: of the largest steps; 1 would be a whole Newton step, were a batch all photos.
        warm_up: the share of all steps in which the rate rises to that.
        momentum: the share of a step that goes on in the next.
        strengths: of the penalty, to choose from (scikit-learn's C).

    Raises:
        BadInput: a value is not possible.
    """

    epochs: int = 30
    augment: bool = True
    batch: int = 32
    rate: float = 0.03
    warm_up: float = 0.5
    momentum: float = 0.9
    strengths: tuple[float, ...] = STRENGTHS

    def __post_init__(self) -> None:
        """Refuse what is not possible."""
        if self.epochs < 1 or self.batch < 1:
            raise BadInput(f"{self.epochs} epochs of batches of {self.batch} train nothing")
        if not (self.rate > 0 and 0 <= self.momentum < 1):
            raise BadInput(f"a rate of {self.rate} with momentum {self.momentum} trains nothing")
        if not 0 <= self.warm_up < 1:
            raise BadInput(f"a rate that rises for {self.warm_up} of all steps trains nothing")


@dataclass(frozen=True, slots=True)
class EpochSaid:
    """How an epoch went: the mean loss and the share right on its batches, before their steps.

    `epoch` counts from 1, `rate` is that of its last step, `seconds` what it took.
    """

    epoch: int
    loss: float
    accuracy: float
    rate: float
    seconds: float


def train_sgd(
    model: LoadedModel,
    head: Head,
    data: TaskData,
    places: Labels,
    seed: int,
    recipe: Recipe,
    watch: Callable[[EpochSaid], None],
) -> Fit:
    """Train a new last layer on the photos at `places`; `watch` is told of each epoch.

    The seed draws the order of photos, their parts and the folds of the cross-validation. A photo
    that cannot be read is left out, and the fit's note says so.

    Raises:
        BadInput: a class has no photo.
        ModelError: the network cannot be run, or gives NaN.
        GensetError: a photo that could be read no longer can.
    """
    with ThreadPoolExecutor(cores()) as pool:
        photos = [data.photos[place] for place in places]
        network = _Frozen(trunk(model, head), photos, pool)
        seen = list(network.features(_batches(np.arange(len(photos)), recipe.batch)))
        if not seen:
            raise GensetError(f"not one photo of {data.name} can be read")
        readable, features = (np.concatenate(parts) for parts in zip(*seen, strict=True))
        note = _left_out(network.refused)
        labels = data.labels[places]
        chosen = fit_probe(
            features, labels[readable], len(data.classes), seed, strengths=recipe.strengths
        )
        steps = recipe.epochs * ceil(len(readable) / recipe.batch)
        layer = LastLayer(features, len(data.classes), chosen.strength, recipe, steps)
        for epoch in range(recipe.epochs):
            started = time.monotonic()
            order = np.random.default_rng((seed, epoch)).permutation(readable)
            chance = (seed, epoch) if recipe.augment else None
            said = [
                layer.step(given, labels[batch])
                for batch, given in network.features(_batches(order, recipe.batch), chance)
            ]
            if len(network.refused) > len(places) - len(readable):
                raise GensetError(f"{[*network.refused][-1]} of {data.name} can no longer be read")
            loss, right = (sum(parts) / len(order) for parts in zip(*said, strict=True))
            watch(EpochSaid(epoch + 1, loss, right, layer.rate, time.monotonic() - started))
    weights, bias = layer.folded()
    note = " ".join(filter(None, (chosen.note, note)))
    return replace(chosen, weights=weights, bias=bias, note=note)


def _left_out(refused: dict[str, str]) -> str:
    return f"Photos that cannot be read, and are left out: {len(refused)}." if refused else ""


class LastLayer:
    """A linear layer in training, on features as they come."""

    def __init__(
        self, features: Floats, classes: int, strength: float, recipe: Recipe, steps: int
    ) -> None:
        """Begin with zeros.

        Args:
            features: N x D, of all training photos.
            classes: its outputs.
            strength: scikit-learn's C, for N photos.
            recipe: how it is trained.
            steps: how many there will be.
        """
        count, inputs = features.shape
        standard = Standard.of(features)
        rows = standard.applied(features).astype(np.float64)
        spread, axes = np.linalg.eigh(rows.T @ rows / count)
        factor = penalty(strength, count, classes)
        curvature = 1 / classes  # of the log-loss, where all classes are as likely
        scale = 1 / np.sqrt(curvature * (spread.clip(min=0) + _DAMPING) + factor)
        self._standard = standard
        self._turn = torch.from_numpy((axes * scale).astype(np.float32))
        # Weights are held back as they are before the scaling.
        self._held_back = torch.from_numpy((factor * scale**2).astype(np.float32))
        self._layer = nn.Linear(inputs, classes)
        nn.init.zeros_(self._layer.weight)
        nn.init.zeros_(self._layer.bias)
        # At first the loss curves by 1 at most over all photos, and by so much more over a batch.
        few = curvature * float(spread @ scale**2) / recipe.batch
        rate = recipe.rate / (1 + few)
        groups: list[dict[str, Any]] = [
            {"params": [self._layer.weight]},
            {"params": [self._layer.bias], "lr": rate / curvature},
        ]
        self._descent = torch.optim.SGD(groups, lr=rate, momentum=recipe.momentum)
        warm = recipe.warm_up * steps

        def share(step: int) -> float:
            if step < warm:
                return (step + 1) / (warm + 1)
            return (1 + cos(pi * (step - warm) / (steps - warm))) / 2

        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._descent, share)
        self.rate = 0.0

    def step(self, features: Floats, labels: Labels) -> tuple[float, int]:
        """Learn from a batch; its photos' losses together, and how many were right before."""
        given = torch.from_numpy(self._standard.applied(features)) @ self._turn
        wanted = torch.from_numpy(labels)
        logits = self._layer(given)
        loss = functional.cross_entropy(logits, wanted)
        objective = loss + (self._held_back * self._layer.weight.square()).sum() / 2
        self._descent.zero_grad()
        objective.backward()  # type: ignore[no-untyped-call]
        self._descent.step()
        self.rate = float(self._schedule.get_last_lr()[0])
        self._schedule.step()
        return loss.item() * len(labels), int((logits.argmax(dim=1) == wanted).sum())

    def folded(self) -> tuple[Floats, Floats]:
        """Its weights, C x D, and biases, C, for features as they come."""
        weights, bias = self._layer.weight.detach() @ self._turn.T, self._layer.bias.detach()
        return self._standard.folded(weights.numpy(), bias.numpy())


class _Frozen:
    """A network without its last layer, and photos that run through it.

    `refused` says of photos that cannot be read why, by their ids.
    """

    def __init__(
        self, model: LoadedModel, photos: Sequence[TaskPhoto], pool: ThreadPoolExecutor
    ) -> None:
        self.photos, self.pool = photos, pool
        self.name = model.spec.text
        self.geometry = model.preprocessing.geometry
        self.engine = TorchEngine(model)
        self.refused: dict[str, str] = {}

    def features(
        self, batches: Sequence[Labels], seed: tuple[int, int] | None = None
    ) -> Iterator[tuple[Labels, Floats]]:
        """Of each batch of places, those that can be read, and their features.

        With a seed, photos are seen in random parts.
        """
        ahead: deque[tuple[Labels, list[Future[Pixels]]]] = deque()
        for batch in batches:
            ahead.append((batch, [self.pool.submit(self._read, n, seed) for n in batch]))
            if len(ahead) > _AHEAD:
                yield from self._run(*ahead.popleft())
        while ahead:
            yield from self._run(*ahead.popleft())

    def _read(self, place: int, seed: tuple[int, int] | None) -> Pixels:
        path = self.photos[place].path
        if seed is None:
            return crops(path, [self.geometry])[0]
        return random_part(opened(path), self.geometry, np.random.default_rng((*seed, place)))

    def _run(
        self, batch: Labels, futures: Sequence[Future[Pixels]]
    ) -> Iterator[tuple[Labels, Floats]]:
        readable, pixels = [], []
        for place, future in zip(batch, futures, strict=True):
            try:
                pixels.append(future.result())
            except PhotoRefused as error:
                self.refused[self.photos[place].id] = str(error)
                continue
            readable.append(place)
        if not readable:
            return
        try:
            features = self.engine(np.stack(pixels))
        except Exception as error:  # noqa: BLE001 - the network may be the user's own code
            raise ModelError(f"model {self.name!r} cannot be run: {first_line(error)}") from None
        yield np.array(readable, np.int64), features


def _batches(places: Labels, size: int) -> list[Labels]:
    """Batches of nearly the same size, at most `size`."""
    return np.array_split(places, ceil(len(places) / size))
