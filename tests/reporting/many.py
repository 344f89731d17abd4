"""A set with many models' runs, for large reports: seven real models' answers, or made up."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.comparison.references.published import published
from genset.score.results.count import CountedAnswers, make_run
from genset.score.results.runs import Prediction, Run, RunRecord, run_folder, run_key, save_run
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet

WNIDS = np.array([each.wnid for each in imagenet1k()], dtype=object)
KEPT = 5
_V2 = "imagenetv2/imagenetv2-matched-frequency"
_NOISE = 0.04  # of the photos, whose answers change beside what the accuracy asks for

Ranked = NDArray[np.int64]
"""N x 5 class indices, the best first."""


class Many(NamedTuple):
    """A set, where its runs are kept, and the runs, the first one made first."""

    photos: PhotoSet
    runs: Path
    made: list[Run]


def many_real(realdata: Path, folder: Path, models: int = 70, photos: int = 10_000) -> Many:
    """Models made from the seven whose answers to ImageNetV2 are at hand.

    Args:
        realdata: the shared data.
        folder: where the list of the set and the runs go.
        models: how many.
        photos: the set's size, 10,000 at most; of fewer a seeded choice is taken.
    """
    source = realdata / _V2
    with (source / "labels.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:photos])
    found = _list(folder, [rows[place] for place in chosen])
    bases = [np.load(each)[chosen] for each in sorted(source.glob("*.npy"))]
    return Many(found, folder / "runs", score_many(found, folder / "runs", bases, models))


def many_made_up(
    folder: Path,
    models: int = 70,
    photos: int = 1_000,
    classes: int = 100,
    names: Sequence[str] = (),
) -> Many:
    """The same without any data: models whose answers are drawn.

    Args:
        folder: where the list of the set and the runs go.
        models: how many.
        photos: the set's size.
        classes: how many of ImageNet's classes they are of, in turns.
        names: of the models; model-00, model-01, ... where none are given.
    """
    rows = [(f"photo{n:05}", WNIDS[n * 7 % (classes * 7) % 1000]) for n in range(photos)]
    found = _list(folder, rows)
    made = score_many(found, folder / "runs", drawn(found), models, names=names)
    return Many(found, folder / "runs", made)


def long_names(count: int, letters: tuple[int, int] = (36, 42)) -> list[str]:
    """Names of timm's own weights, of about forty letters: many differ by a few of them only."""
    found = sorted({each.weights.partition(":")[2] for each in published()})
    fits = [name for name in found if letters[0] <= len(name) <= letters[1]]
    return fits[:count]


def drawn(photos: PhotoSet, bases: int = 7, seed: int = 0) -> list[Ranked]:
    """Made-up answers of models that find the same photos hard, at 45 to 75 % top-1."""
    generator = np.random.default_rng(seed)
    truth = _truth(photos)
    difficulty = generator.random(len(truth))
    found = []
    for share in np.linspace(0.45, 0.75, bases):
        # The true class and four that lie near by in the list of classes.
        near = generator.permuted(np.tile([-3, -2, -1, 1, 2, 3], (len(truth), 1)), axis=1)
        ranked = np.concatenate([truth[:, None], (truth[:, None] + near[:, :4]) % 1000], axis=1)
        wrong = difficulty + generator.normal(0, 0.1, len(truth)) > share
        ranked[wrong] = ranked[wrong][:, [1, 0, 2, 3, 4]]
        far = wrong & (generator.random(len(truth)) < 0.4)
        ranked[far, 1] = (truth[far] + 500) % 1000
        found.append(ranked)
    return found


def score_many(
    photos: PhotoSet,
    runs: Path,
    bases: Sequence[Ranked],
    models: int = 70,
    shares: tuple[float, float] = (0.4, 0.8),
    seed: int = 0,
    names: Sequence[str] = (),
) -> list[Run]:
    """Keep runs of `models` models, the least accurate first.

    Args:
        photos: the set, of N photos.
        runs: the folder of runs.
        bases: answers to start from; each model takes that of the nearest accuracy or, by its
            number, one of those next to it.
        models: how many.
        shares: of the first and the last model: top-1 accuracies, which the runs have to the
            photo.
        seed: of what is changed.
        names: of the models; model-00, model-01, ... where none are given.
    """
    names = names or [f"model-{number:02}" for number in range(models)]
    truth = _truth(photos)
    order = sorted(bases, key=lambda ranked: float((ranked[:, 0] == truth).mean()))
    known = [float((ranked[:, 0] == truth).mean()) for ranked in order]
    made = []
    for number, share in enumerate(np.linspace(*shares, models).tolist()):
        generator = np.random.default_rng([seed, number])
        nearest = int(np.argmin([abs(each - share) for each in known])) + number % 3 - 1
        base = order[min(max(nearest, 0), len(order) - 1)]
        ranked = with_accuracy(base, truth, round(share * len(truth)), generator)
        sure = confidences(ranked[:, 0] == truth, generator)
        made.append(keep(photos, runs, names[number], ranked, sure))
    return made


def with_accuracy(
    ranked: Ranked, truth: NDArray[np.int64], right: int, generator: np.random.Generator
) -> Ranked:
    """Answers changed at random photos, so that exactly `right` first answers are right."""
    ranked = ranked.copy()
    hit = ranked[:, 0] == truth
    swapped = min(int(_NOISE / 2 * len(truth)), int(hit.sum()), int((~hit).sum()), right)
    now = int(hit.sum())
    lose = swapped + max(0, now - right)
    gain = swapped + max(0, right - now)
    lost = generator.permutation(np.flatnonzero(hit))[:lose]
    won = generator.permutation(np.flatnonzero(~hit))[:gain]
    ranked[lost, :2] = ranked[lost, 1::-1]
    # The truth goes to the front; its old place, or else the last answer, falls out.
    fuller = np.concatenate([truth[won, None], ranked[won]], axis=1)
    twice = fuller == truth[won, None]
    twice[:, 0] = False
    kept = np.argsort(twice, axis=1, kind="stable")[:, : ranked.shape[1]]
    ranked[won] = np.take_along_axis(fuller, kept, axis=1)
    return ranked


def confidences(right: NDArray[np.bool_], generator: np.random.Generator) -> NDArray[np.float64]:
    """N x 5 probabilities, falling along each row; higher where the first answer is right."""
    first = np.where(right, 0.5, 0.36) + 0.45 * generator.random(len(right))
    rest = (1 - first)[:, None] * 0.5 ** np.arange(1, KEPT)
    return np.concatenate([first[:, None], rest], axis=1)


def keep(
    photos: PhotoSet,
    runs: Path,
    model: str,
    ranked: Ranked,
    probabilities: NDArray[np.float64] | None = None,
) -> Run:
    """Keep a run with these answers, as `genset evaluate` does.

    Args:
        photos: the set, of N photos.
        runs: the folder of runs.
        model: its name.
        ranked: N x 5 class indices, the best first.
        probabilities: N x 5; None where they are not known.
    """
    wnids = WNIDS[ranked].tolist()
    shares = [()] * len(wnids) if probabilities is None else probabilities.tolist()
    predictions = [
        Prediction(photo.id, photo.wnid, tuple(top), tuple(each))
        for photo, top, each in zip(photos.photos, wnids, shares, strict=True)
    ]
    record = RunRecord(
        key=run_key(set=photos.content_hash, model=model),
        model=model,
        spec=f"file:{model}.pth?arch=torchvision:resnet18&name={model}",
        weights_hash=f"sha256:{run_key(weights=model)}",
        preprocessing={"resize": 256, "crop": 224, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]},
        precision="float32",
        versions={"genset": "0.1.0", "torch": "2.8.0"},
        device="cpu",
        seconds=1.5,
    )
    run = make_run(photos, CountedAnswers(predictions, {}, 1000, 0), record)
    save_run(run_folder(runs, photos.name, model, run.key), run, predictions)
    return run


def _list(folder: Path, rows: Sequence[Sequence[str]]) -> PhotoSet:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "photos.csv"
    path.write_text("".join(f"{','.join(row)}\n" for row in [("image", "wnid"), *rows]))
    return open_set(str(path))


def _truth(photos: PhotoSet) -> NDArray[np.int64]:
    place = {wnid: number for number, wnid in enumerate(WNIDS)}
    return np.array([place[photo.wnid] for photo in photos.photos])
