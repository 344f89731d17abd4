"""Results of fine-tuning, as tests keep them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from genset.finetune.runs import FinetuneRun
from genset.score.results.runs import run_key
from tests.finetune.records import answered

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
    **changes: Any,
) -> FinetuneRun:
    """Keep a run whose heads are wrong on so many test photos, a head for each number.

    Wrong are the first photos of the first classes, each taken for the next class. `shots` are
    further heads: photos of each class, and how many test photos are wrong.
    """
    truth = np.repeat(np.arange(len(CLASSES)), PHOTOS)

    def all_but(number: int) -> list[int]:
        return [*(truth[:number] + 1), *truth[number:]]

    record = {
        "key": run_key(model=model, name=name, weights=weights),
        "task": name,
        "name": name,
        "weights_hash": weights,
        "preprocessing": {"resize": 256, "crop": 224, "mean": [0.5, 0.5, 0.5]},
        "split": "official",
        "classes": CLASSES,
        "train": 240,
        "excluded": {},
        "settings": {"seeds": len(wrong)},
        "notes": [],
    }
    by_shots = {each: [all_but(number)] for each, number in shots}
    heads = map(all_but, wrong)
    return answered(
        runs, model, truth.tolist(), *heads, by_shots=by_shots, **record | changes
    ).record
