"""Score models on a set: load, predict, count, keep."""

import platform
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import PIL
import torch
import torchvision

from genset import __version__
from genset.errors import GensetError
from genset.evaluate.models import LoadedModel, load_model
from genset.evaluate.photos import PhotoSet
from genset.evaluate.runs import (
    Accuracy,
    Prediction,
    Run,
    load_run,
    run_folder,
    run_key,
    save_run,
)
from genset.evaluate.score import Predictions, predict
from genset.evaluate.spec import parse_spec
from genset.taxonomy import imagenet1k


def evaluate(photos: PhotoSet, specs: Sequence[str], runs: Path) -> list[Run]:
    """Score each model on the set and keep its predictions under `runs`.

    A model that was scored on this set before, with the same weights and preprocessing, is not
    scored again.

    Raises:
        BadInput: a spec is wrong. All are read before any is scored.
        ModelError: a model cannot be loaded or run; those before it are kept.
        GensetError: no photo can be read.
    """
    for spec in specs:
        parse_spec(spec)
    return [_evaluate_one(photos, load_model(spec), runs) for spec in specs]


def _evaluate_one(photos: PhotoSet, model: LoadedModel, runs: Path) -> Run:
    key = run_key(
        set=photos.content_hash,
        weights=model.weights_hash,
        architecture=f"{model.spec.kind}:{model.spec.arch or model.spec.target}",
        preprocessing=model.preprocessing,
        precision="float32",
    )
    folder = run_folder(runs, photos.name, model.spec.name, key)
    if (kept := load_run(folder)) is not None:
        return kept
    started = time.monotonic()
    predictions = predict(model, photos.photos)
    if not predictions.photos:
        raise GensetError(f"not one photo of {photos.name} can be read")
    answers = _answers(predictions)
    run = Run(
        key=key,
        model=model.spec.name,
        spec=model.spec.text,
        set_name=photos.name,
        set_hash=photos.content_hash,
        weights_hash=model.weights_hash,
        preprocessing=model.preprocessing,
        precision="float32",
        versions=_versions(),
        device=torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - started, 3),
        unreadable=predictions.unreadable,
        top1=Accuracy.of(sum(a.wnid == a.top[0] for a in answers), len(answers)),
        top5=Accuracy.of(sum(a.wnid in a.top for a in answers), len(answers)),
    )
    save_run(folder, run, answers)
    return run


def _answers(predictions: Predictions) -> list[Prediction]:
    wnids = [cls.wnid for cls in imagenet1k()]
    rows = zip(predictions.photos, predictions.classes, predictions.probabilities, strict=True)
    return [
        Prediction(photo.id, photo.wnid, tuple(wnids[i] for i in best), tuple(map(float, shares)))
        for photo, best, shares in rows
    ]


def _versions() -> dict[str, str]:
    return {
        "genset": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torchvision": torchvision.__version__,
        "pillow": PIL.__version__,
    }
