"""The last layer, trained as in the paper: with batches of photos through the frozen network.

The network runs in evaluation mode and without gradients, so none of its weights and batch
normalization statistics can change. Only the last linear layer is trained, by stochastic gradient
descent with momentum. The learning rate warms up for half of the steps, and then falls to 0 along a
cosine: large steps at the start would move the weights too far to return within 30 epochs.

Before the first epoch the training photos run through the network once, without augmentation. From
their features, the layer's input is standardized, rotated onto its principal axes, and scaled by
the root of the loss's curvature, as in `genset.finetune.fit.probe`. After training the layer is
converted back. The curvature along each axis is damped, by some tens of times the mean curvature:
with the narrowest axes scaled up in full, descent in batches would learn noise there. The strength
of the penalty is chosen on the same features, by the probe's cross-validation, so that both probes
have the same optimum.

The recipe was chosen by how close it comes to the probe's objective on training photos only (80
species of birds; SqueezeNet and EfficientNet-Lite0), for strengths of 0.1 and 3. After 30 epochs it
is less than 1 % above for 0.1, and 10 to 16 % for 3, with test accuracies 0.1 to 0.4 points apart.
Few photos mean few steps: with some hundred, and the weakest penalties, the gap is much larger.

Sources: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance
Benchmark", 2019; Loshchilov and Hutter, "SGDR", 2016 (the cosine); Goyal et al., "Accurate, Large
Minibatch SGD", 2017 (the warm-up); Böhning, "Multinomial logistic regression algorithm", 1992 (the
curvature).
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

from genset.core.errors import BadInput, GensetError, ModelError, PhotoRefused, first_line
from genset.core.numbers import count
from genset.finetune.data.tasks import TaskData, TaskPhoto
from genset.finetune.fit.augment import random_part
from genset.finetune.fit.probe import STRENGTHS, Fit, Floats, Labels, Standard, fit_probe, penalty
from genset.finetune.network.heads import Head, trunk
from genset.models.load import LoadedModel
from genset.models.processes import cores
from genset.score.engines.pytorch import TorchEngine
from genset.score.transforms import Pixels, crops, opened

_AHEAD = 2  # batches that are decoded while the network runs on another
_DAMPING = 30.0  # added to the mean square along each axis, whose mean over axes is 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the last layer is trained.

    Attributes:
        epochs: how often each photo is used.
        augment: whether photos are cropped at random, and mirrored.
        batch: photos per batch.
        rate: the highest learning rate; 1 would be a full Newton step on a batch of all photos.
        warm_up: the share of all steps in which the rate rises to this.
        momentum: of the descent, 0 or more and below 1.
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
        """Check the values."""
        if self.epochs < 1 or self.batch < 1:
            raise BadInput(
                f"{count(self.epochs, 'epoch')} of batches of {self.batch} train nothing"
            )
        if not (self.rate > 0 and 0 <= self.momentum < 1):
            raise BadInput(f"a rate of {self.rate} with momentum {self.momentum} trains nothing")
        if not 0 <= self.warm_up < 1:
            raise BadInput(f"a rate that rises for {self.warm_up} of all steps trains nothing")

    def batches(self, photos: int) -> int:
        """How many batches run through the network, to train on so many photos."""
        return (1 + self.epochs) * ceil(photos / self.batch)


@dataclass(frozen=True, slots=True)
class EpochStats:
    """An epoch: the mean loss and the accuracy on its batches, each before its step.

    `epoch` counts from 1. `rate` is the learning rate of its last step, `seconds` its duration.
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
    train: Labels,
    seed: int,
    recipe: Recipe,
    watch: Callable[[EpochStats], None],
    count: Callable[[int], object] = lambda batches: None,
) -> Fit:
    """Train a new last layer. Photos that cannot be read are left out, and the fit's note says so.

    Args:
        model: the model whose head is replaced.
        head: its last linear layer.
        data: the task.
        train: indices of the training photos in the task's photos, shape (N,), int64.
        seed: draws the order of photos, their random parts and the folds of the cross-validation.
        recipe: how the layer is trained.
        watch: called with the numbers of each epoch, when it ends.
        count: called with 1 after each batch, of which there are `recipe.batches` at most.

    Raises:
        BadInput: a class has no photo.
        ModelError: the network cannot be run, or gives NaN.
        GensetError: a photo could be read at first and no longer can.
    """
    with ThreadPoolExecutor(cores()) as pool:
        photos = [data.photos[index] for index in train]
        network = _Frozen(trunk(model, head), photos, pool, count)
        batches = list(network.features(_batches(np.arange(len(photos)), recipe.batch)))
        if not batches:
            raise GensetError(f"not one photo of {data.name} can be read")
        readable, features = (np.concatenate(parts) for parts in zip(*batches, strict=True))
        note = _left_out(network.refused)
        labels = data.labels[train]
        chosen = fit_probe(
            features,
            labels[readable],
            len(data.classes),
            seed,
            strengths=recipe.strengths,
            copies=data.firsts[train][readable],
        )
        steps = recipe.epochs * ceil(len(readable) / recipe.batch)
        layer = LastLayer(features, len(data.classes), chosen.strength, recipe, steps)
        for epoch in range(recipe.epochs):
            started = time.monotonic()
            order = np.random.default_rng((seed, epoch)).permutation(readable)
            crop_seed = (seed, epoch) if recipe.augment else None
            results = [
                layer.step(given, labels[batch])
                for batch, given in network.features(_batches(order, recipe.batch), crop_seed)
            ]
            if len(network.refused) > len(train) - len(readable):
                raise GensetError(f"{[*network.refused][-1]} of {data.name} can no longer be read")
            loss, right = (sum(parts) / len(order) for parts in zip(*results, strict=True))
            watch(EpochStats(epoch + 1, loss, right, layer.rate, time.monotonic() - started))
    weights, bias = layer.folded()
    note = " ".join(filter(None, (chosen.note, note)))
    return replace(chosen, weights=weights, bias=bias, note=note)


def _left_out(refused: dict[str, str]) -> str:
    return f"Photos that cannot be read, and are left out: {len(refused)}." if refused else ""


class LastLayer:
    """A linear layer in training. It takes features that are not standardized."""

    def __init__(
        self, features: Floats, classes: int, strength: float, recipe: Recipe, steps: int
    ) -> None:
        """Start with all weights 0.

        Args:
            features: of all training photos, shape (N, D), float32.
            classes: the number of outputs.
            strength: scikit-learn's C, for N photos.
            recipe: how the layer is trained.
            steps: the number of steps of the whole training.
        """
        count, inputs = features.shape
        standard = Standard.of(features)
        rows = standard.applied(features).astype(np.float64)
        spread, axes = np.linalg.eigh(rows.T @ rows / count)
        factor = penalty(strength, count, classes)
        curvature = 1 / classes  # of the log-loss, if all classes are equally likely
        scale = 1 / np.sqrt(curvature * (spread.clip(min=0) + _DAMPING) + factor)
        self._standard = standard
        self._axes = torch.from_numpy((axes * scale).astype(np.float32))
        # The penalty is on the unscaled weights.
        self._penalty = torch.from_numpy((factor * scale**2).astype(np.float32))
        self._layer = nn.Linear(inputs, classes)
        nn.init.zeros_(self._layer.weight)
        nn.init.zeros_(self._layer.bias)
        # At the start the loss over all photos has a curvature of 1 at most; a batch adds to it.
        added = curvature * float(spread @ scale**2) / recipe.batch
        rate = recipe.rate / (1 + added)
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
        """Train on one batch; return the sum of its losses and its hits, both before the step."""
        inputs = torch.from_numpy(self._standard.applied(features)) @ self._axes
        targets = torch.from_numpy(labels)
        logits = self._layer(inputs)
        loss = functional.cross_entropy(logits, targets)
        objective = loss + (self._penalty * self._layer.weight.square()).sum() / 2
        self._descent.zero_grad()
        objective.backward()  # type: ignore[no-untyped-call]
        self._descent.step()
        self.rate = float(self._schedule.get_last_lr()[0])
        self._schedule.step()
        return loss.item() * len(labels), int((logits.argmax(dim=1) == targets).sum())

    def folded(self) -> tuple[Floats, Floats]:
        """Its weights, shape (C, D), and bias, shape (C,), float32, for features as they are."""
        weights, bias = self._layer.weight.detach() @ self._axes.T, self._layer.bias.detach()
        return self._standard.folded(weights.numpy(), bias.numpy())


class _Frozen:
    """A network without its last layer, applied to photos.

    `refused` has the reason for each photo that cannot be read, by its id.
    """

    def __init__(
        self,
        model: LoadedModel,
        photos: Sequence[TaskPhoto],
        pool: ThreadPoolExecutor,
        count: Callable[[int], object],
    ) -> None:
        self.photos, self.pool, self.count = photos, pool, count
        self.name = model.spec.text
        self.geometry = model.preprocessing.geometry
        self.engine = TorchEngine(model)
        self.refused: dict[str, str] = {}

    def features(
        self, batches: Sequence[Labels], seed: tuple[int, int] | None = None
    ) -> Iterator[tuple[Labels, Floats]]:
        """The readable photos of each batch of indices, and their features.

        With a seed, photos are cropped at random.
        """
        ahead: deque[tuple[Labels, list[Future[Pixels]]]] = deque()
        for batch in batches:
            ahead.append((batch, [self.pool.submit(self._read, n, seed) for n in batch]))
            if len(ahead) > _AHEAD:
                yield from self._run(*ahead.popleft())
        while ahead:
            yield from self._run(*ahead.popleft())

    def _read(self, index: int, seed: tuple[int, int] | None) -> Pixels:
        path = self.photos[index].path
        if seed is None:
            return crops(path, [self.geometry])[0]
        return random_part(opened(path), self.geometry, np.random.default_rng((*seed, index)))

    def _run(
        self, batch: Labels, futures: Sequence[Future[Pixels]]
    ) -> Iterator[tuple[Labels, Floats]]:
        readable, pixels = [], []
        self.count(1)
        for index, future in zip(batch, futures, strict=True):
            try:
                pixels.append(future.result())
            except PhotoRefused as error:
                self.refused[self.photos[index].id] = str(error)
                continue
            readable.append(index)
        if not readable:
            return
        try:
            features = self.engine(np.stack(pixels))
        except Exception as error:  # noqa: BLE001 - the network may be the user's own code
            raise ModelError(f"model {self.name!r} cannot be run: {first_line(error)}") from None
        yield np.array(readable, np.int64), features


def _batches(indices: Labels, size: int) -> list[Labels]:
    """Batches of nearly the same size, at most `size`."""
    return np.array_split(indices, ceil(len(indices) / size))
