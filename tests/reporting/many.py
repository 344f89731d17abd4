"""A set with many models' runs, for large reports: their answers are made up."""

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

Ranked = NDArray[np.int64]
"""N x 5 class indices, the best first."""


class Many(NamedTuple):
    """A set, where its runs are kept, and the runs, the first one made first."""

    photos: PhotoSet
    runs: Path
    made: list[Run]


def many_made_up(
    folder: Path,
    models: int = 70,
    photos: int = 1_000,
    classes: int = 100,
    names: Sequence[str] = (),
) -> Many:
    """A list of photos of so many of ImageNet's classes, in turns, and models scored on it.

    It is written as photos.csv into the folder, and the runs beside it, into runs.
    """
    rows = [(f"photo{n:05}", WNIDS[n * 7 % (classes * 7) % 1000]) for n in range(photos)]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "photos.csv"
    path.write_text("".join(f"{','.join(row)}\n" for row in [("image", "wnid"), *rows]))
    found = open_set(str(path))
    return Many(found, folder / "runs", score_many(found, folder / "runs", models, names))


def long_names(count: int, letters: tuple[int, int] = (36, 42)) -> list[str]:
    """Names of timm's own weights, of about forty letters: many differ by a few of them only."""
    found = sorted({each.weights.partition(":")[2] for each in published()})
    fits = [name for name in found if letters[0] <= len(name) <= letters[1]]
    return fits[:count]


def score_many(photos: PhotoSet, runs: Path, models: int, names: Sequence[str] = ()) -> list[Run]:
    """Keep runs of models from 40 to 80 % top-1, the least accurate first."""
    names = names or [f"model-{number:02}" for number in range(models)]
    made = []
    for number, share in enumerate(np.linspace(0.4, 0.8, models).tolist()):
        ranked = drawn(photos, share, number)
        sure = confidences(ranked[:, 0] == _truth(photos), np.random.default_rng(number))
        made.append(keep(photos, runs, names[number], ranked, sure))
    return made


def drawn(photos: PhotoSet, share: float, seed: int = 0) -> Ranked:
    """Answers whose best one is right on such a share; all models find the same photos hard."""
    truth, generator = _truth(photos), np.random.default_rng([1, seed])
    difficulty = np.random.default_rng(0).random(len(truth))
    # The true class and four that lie near by in the list of classes.
    near = generator.permuted(np.tile([-3, -2, -1, 1, 2, 3], (len(truth), 1)), axis=1)
    ranked = np.concatenate([truth[:, None], (truth[:, None] + near[:, :4]) % 1000], axis=1)
    hardest = np.argsort(difficulty + generator.normal(0, 0.1, len(truth)))
    wrong = hardest[round(share * len(truth)) :]
    ranked[wrong] = ranked[wrong][:, [1, 0, 2, 3, 4]]
    far = wrong[generator.random(len(wrong)) < 0.4]
    ranked[far, 0] = (truth[far] + 500) % 1000
    return ranked


def confidences(right: NDArray[np.bool_], generator: np.random.Generator) -> NDArray[np.float64]:
    """N x 5 probabilities, falling along each row; higher where the first answer is right."""
    first = np.where(right, 0.5, 0.36) + 0.45 * generator.random(len(right))
    rest = (1 - first)[:, None] * 0.5 ** np.arange(1, 5)
    return np.concatenate([first[:, None], rest], axis=1)


def keep(
    photos: PhotoSet, runs: Path, model: str, ranked: Ranked, probabilities: NDArray[np.float64]
) -> Run:
    """Keep a run with these answers and N x 5 probabilities, as `genset evaluate` does."""
    predictions = [
        Prediction(photo.id, photo.wnid, tuple(top), tuple(each))
        for photo, top, each in zip(
            photos.photos, WNIDS[ranked].tolist(), probabilities.tolist(), strict=True
        )
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


def _truth(photos: PhotoSet) -> NDArray[np.int64]:
    place = {wnid: number for number, wnid in enumerate(WNIDS)}
    return np.array([place[photo.wnid] for photo in photos.photos])
