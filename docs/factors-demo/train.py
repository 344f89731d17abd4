"""Trains a small network to read digits, with four switches: python train.py [--SWITCH ...].

digits.py writes the photos into the current folder. Every fourth is kept for the test.

Time is that of the processor, which one thread of this process took. On a machine with nothing else
to do it is the time that passes; on a busy one it leaves out the waiting for others.
"""

import argparse
import io
import os
import time
from collections.abc import Iterator

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from PIL import Image

EPOCHS = 36
HIDDEN = 512
RATE, HIGHEST_RATE, MOMENTUM = 0.003, 0.012, 0.7
Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def main() -> None:
    """Train, and tell of each epoch."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--momentum", action="store_true", help="after Nesterov")
    parser.add_argument("--normalize", action="store_true", help="pixels of mean 0, deviation 1")
    parser.add_argument("--1cycle", action="store_true", dest="cycle", help="a rate up and down")
    parser.add_argument("--preload", action="store_true", help="decode all photos once")
    parser.add_argument("--batch", type=int, default=32, help="photos of a step")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with np.load("digits.npz") as digits:
        files, truth = [bytes(file) for file in digits["files"]], digits["truth"]
    kept = np.arange(len(files)) % 4 == 0
    train = np.flatnonzero(~kept)
    decoded(files[:1], True)  # what loads when first used is not timed
    random = np.random.default_rng(options.seed)

    began = time.process_time()
    test = decoded(files[::4], options.normalize)
    loaded = decoded(files, options.normalize) if options.preload else None
    network = Network(random, MOMENTUM if options.momentum else 0.0)
    steps = EPOCHS * -(-len(train) // options.batch)
    done = 0
    for epoch in range(1, EPOCHS + 1):
        for chosen in batches(random.permutation(train), options.batch):
            if loaded is None:
                photos = decoded([files[at] for at in chosen], options.normalize)
            else:
                photos = loaded[chosen]
            rate = one_cycle(done / steps) if options.cycle else RATE
            network.step(photos, truth[chosen], rate)
            done += 1
        top1 = 100 * (network.scores(test).argmax(1) == truth[kept]).mean()
        seconds = time.process_time() - began
        words = f'top1={top1:.4f} seconds={seconds:.4f} framework="NumPy {np.__version__}"'
        print(f"tta epoch={epoch} {words}", flush=True)


def decoded(files: list[bytes], normalize: bool) -> Numbers:
    """Photos as a network takes them, a row each: from 0 to 1, or about 0."""
    pixels = [np.asarray(Image.open(io.BytesIO(file))).ravel() for file in files]
    photos = np.stack(pixels).astype(np.float32) / 255
    return (photos - 0.305) / 0.376 if normalize else photos


def batches(order: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """The photos of each step."""
    for at in range(0, len(order), size):
        yield order[at : at + size]


def one_cycle(done: float) -> float:
    """The rate when this share of the training is done: up for three tenths, then down."""
    return HIGHEST_RATE * min(done / 0.3, (1 - done) / 0.7)


class Network:
    """One hidden layer of rectified units, trained by gradient descent on the cross-entropy."""

    def __init__(self, random: np.random.Generator, momentum: float) -> None:
        first = random.normal(0, (2 / 64) ** 0.5, (64, HIDDEN)).astype(np.float32)
        self.weights: list[Numbers] = [first, np.zeros((HIDDEN, 10), np.float32)]
        self.biases: list[Numbers] = [np.zeros(HIDDEN, np.float32), np.zeros(10, np.float32)]
        self.speeds = [np.zeros_like(each) for each in self.weights + self.biases]
        self.momentum = momentum

    def scores(self, photos: Numbers) -> Numbers:
        """A row a photo, a column a digit."""
        return self._hidden(photos) @ self.weights[1] + self.biases[1]

    def _hidden(self, photos: Numbers) -> Numbers:
        return np.maximum(photos @ self.weights[0] + self.biases[0], 0)

    def step(self, photos: Numbers, truth: np.ndarray, rate: float) -> None:
        """Learn from one batch."""
        hidden = self._hidden(photos)
        scores = hidden @ self.weights[1] + self.biases[1]
        wrong = np.exp(scores - scores.max(1, keepdims=True))
        wrong /= wrong.sum(1, keepdims=True)
        wrong[np.arange(len(truth)), truth] -= 1
        wrong /= len(truth)
        below = (wrong @ self.weights[1].T) * (hidden > 0)
        slopes = [photos.T @ below, hidden.T @ wrong, below.sum(0), wrong.sum(0)]
        values = self.weights + self.biases
        for value, speed, slope in zip(values, self.speeds, slopes, strict=True):
            speed *= self.momentum
            speed += slope
            value -= rate * (slope + self.momentum * speed)


if __name__ == "__main__":
    main()
