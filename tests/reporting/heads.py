"""Results of fine-tuning, as tests keep them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from genset.finetune.runs import Attempt, FinetuneRun, Predictions, save_finetuned
from genset.score.results.runs import run_folder, run_key

CLASSES = tuple(f"bird {number}" for number in range(16))
PHOTOS = 10  # test photos of each class


def keep_finetuned(
    runs: Path,
    model: str,
    wrong: Sequence[int],
    *,
    weights: str,
    name: str = "birds-200",
    shots: Sequence[tuple[int, int]] = (),
    created_at: str = "2026-01-02T03:04:05.000001+00:00",
    **changes: Any,
) -> FinetuneRun:
    """Keep a run whose heads are wrong on so many test photos, a head for each number.

    Wrong are the first photos of the first classes, each taken for the next class. `shots` are
    further heads: photos of each class, and how many test photos are wrong.
    """
    truth = np.repeat(np.arange(len(CLASSES)), PHOTOS)
    said = np.tile(truth, (len(wrong) + len(shots), 1))
    for answers, number in zip(said, [*wrong, *(number for _, number in shots)], strict=True):
        answers[:number] += 1
    photos = len(truth)
    attempts = [Attempt(n, None, 1.0, photos - w, photos) for n, w in enumerate(wrong)]
    attempts += [Attempt(0, each, 1.0, photos - w, photos) for each, w in shots]
    record: dict[str, Any] = {
        "key": run_key(model=model, name=name, weights=weights),
        "task": name,
        "name": name,
        "model": model,
        "spec": f"file:{model}.pth?arch=torchvision:resnet18",
        "weights_hash": weights,
        "preprocessing": {"resize": 256, "crop": 224, "mean": [0.5, 0.5, 0.5]},
        "precision": "float32",
        "engine": "torch",
        "versions": {"genset": "0.1.0"},
        "device": "cpu",
        "created_at": created_at,
        "seconds": 1.5,
        "data_hash": "sha256:data",
        "split": "official",
        "split_hash": "sha256:split",
        "classes": CLASSES,
        "train": 240,
        "test": photos,
        "excluded": {},
        "settings": {"seeds": len(wrong)},
        "attempts": tuple(attempts),
    }
    run = FinetuneRun(**(record | changes))
    images = tuple(f"{number}.jpg" for number in range(photos))
    split = [(image, CLASSES[label], "test") for image, label in zip(images, truth, strict=True)]
    head = np.zeros((len(CLASSES), 4), np.float32), np.zeros(len(CLASSES), np.float32)
    folder = run_folder(runs / "finetune", name, model, run.key)
    save_finetuned(folder, run, Predictions(images, truth, said), split, head)
    return run
