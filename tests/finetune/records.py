"""Runs whose answers are chosen by the test, as the command keeps them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from genset.finetune.runs import Attempt, FinetuneRun, Predictions, StoredRun, save_finetuned
from genset.score.results.runs import run_folder

CLASSES = ("auk", "bee eater", "crane")


def answered(
    runs: Path,
    model: str,
    truth: Sequence[int],
    *said: Sequence[int],
    by_shots: Mapping[int, Sequence[Sequence[int]]] | None = None,
    **other: Any,
) -> StoredRun:
    """Keep a run: the truth of N test photos, and what the head of each seed says of them.

    `by_shots` has what the head of each seed says by the training photos of each class.
    """
    classes = other.get("classes", CLASSES)
    images = tuple(f"{classes[label]}/{place}.jpg" for place, label in enumerate(truth))
    heads = [
        (seed, shots, labels)
        for shots, of_seeds in {None: said, **(by_shots or {})}.items()
        for seed, labels in enumerate(of_seeds)
    ]
    answers = Predictions(images, np.array(truth), np.array([labels for *_, labels in heads]))
    attempts = tuple(
        Attempt(seed, shots, 0.1, int(right.sum()), len(truth), {"0.1": 0.5, "1": 0.4})
        for (seed, shots, _), right in zip(heads, answers.right, strict=True)
    )
    record = replace(
        FinetuneRun(
            key=model.ljust(12, "0") * 4,
            task="folder",
            name="birds",
            model=model,
            spec=f"file:{model}.pth?arch=torchvision:resnet18",
            weights_hash=f"sha256:{model}",
            preprocessing={"resize": 256},
            precision="float32",
            engine="torch",
            versions={"genset": "0"},
            device="cpu",
            created_at="2026-01-01T00:00:00.000000+00:00",
            seconds=1.0,
            data_hash="sha256:photos",
            split="20 % of each class, seed 0",
            split_hash="sha256:parts",
            classes=CLASSES,
            train=12,
            test=len(truth),
            excluded={"auk/torn.jpg": "not an image"},
            settings={"seeds": len(said), "shots": ["all"]},
            attempts=attempts,
            notes=["A note."],
        ),
        **other,
    )
    folder = run_folder(runs / "finetune", record.name, record.model, record.key)
    head = np.ones((len(classes), 4), np.float32), np.zeros(len(classes), np.float32)
    split = [(image, classes[label], "test") for image, label in zip(images, truth, strict=True)]
    save_finetuned(folder, record, answers, split, head)
    return StoredRun(folder, record)
