"""Run one model over a set of photos and keep its five best classes for each."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from genset.errors import ModelError
from genset.evaluate.models import LoadedModel, first_line
from genset.evaluate.photos import ScoredPhoto
from genset.progress import progress
from genset.taxonomy import imagenet1k

TOP = 5
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a model answered.

    Attributes:
        photos: the photos scored, N of them.
        classes: N x 5 class indices (0 to 999, in the order of the sorted wnids), best first.
        probabilities: N x 5, the softmax of the logits at those classes.
        unreadable: why, for each photo that could not be decoded, by its id.
    """

    photos: tuple[ScoredPhoto, ...]
    classes: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    unreadable: dict[str, str]


class _Decoded(Dataset[tuple[int, Tensor | str]]):
    """Each photo as the model wants it, or the reason why it cannot be read."""

    def __init__(self, model: LoadedModel, photos: Sequence[ScoredPhoto]) -> None:
        self.transform = model.transform
        self.photos = photos

    def __len__(self) -> int:
        return len(self.photos)

    def __getitem__(self, index: int) -> tuple[int, Tensor | str]:
        try:
            with Image.open(self.photos[index].path) as image:
                return index, self.transform(image.convert("RGB"))
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            return index, first_line(error)


def predict(model: LoadedModel, photos: Sequence[ScoredPhoto]) -> Predictions:
    """Score every photo that can be read.

    Raises:
        ModelError: the network fails, or its answer is not N x 1000 finite numbers.
    """
    workers = min(4, os.cpu_count() or 1) if len(photos) >= 10 * _BATCH else 0
    loader = DataLoader(
        _Decoded(model, photos), batch_size=_BATCH, num_workers=workers, collate_fn=list
    )
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = model.network.to(device)
    scored: list[ScoredPhoto] = []
    classes = [np.empty((0, TOP), np.int64)]
    probabilities = [np.empty((0, TOP), np.float32)]
    unreadable: dict[str, str] = {}
    batches = progress(loader, total=len(loader), what=model.spec.name, unit="batch")
    for batch in batches:
        readable = [(photos[i], pixels) for i, pixels in batch if isinstance(pixels, Tensor)]
        unreadable |= {photos[i].id: reason for i, reason in batch if isinstance(reason, str)}
        if not readable:
            continue
        logits = _forward(model, network, torch.stack([pixels for _, pixels in readable]), device)
        best = logits.softmax(dim=1).topk(TOP, dim=1)
        scored += [photo for photo, _ in readable]
        classes.append(best.indices.cpu().numpy())
        probabilities.append(best.values.cpu().numpy())
    return Predictions(
        tuple(scored), np.concatenate(classes), np.concatenate(probabilities), unreadable
    )


def _forward(model: LoadedModel, network: Any, pixels: Tensor, device: torch.device) -> Tensor:
    try:
        with torch.inference_mode():
            logits = network(pixels.to(device))
    except Exception as error:  # noqa: BLE001 - the network may be the user's own code
        raise ModelError(f"model {model.spec.text!r} cannot be run: {first_line(error)}") from None
    classes = len(imagenet1k())
    if not isinstance(logits, Tensor) or logits.shape != (len(pixels), classes):
        shape = list(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise ModelError(
            f"model {model.spec.text!r} answers {shape} to a batch of {len(pixels)}: it must give "
            f"a score for each of ImageNet's {classes} classes"
        )
    if not logits.isfinite().all():
        raise ModelError(f"model {model.spec.text!r} answers NaN or infinity: broken weights?")
    return logits.float()
