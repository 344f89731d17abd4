"""A model whose answers are known, and photos for it, from a module that needs no PyTorch."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tests.score.painted import BLUE, GREEN, RED, WNIDS, hundred_photos, paint, painted_set

__all__ = [
    "BLUE",
    "GREEN",
    "RED",
    "WNIDS",
    "Broken",
    "Colours",
    "Slow",
    "colours",
    "formed",
    "hundred_photos",
    "paint",
    "painted_set",
]


class Colours(nn.Module):
    """Answers class 0 to a red photo, 1 to a green one, 2 to a blue one; then 3, 4, 5, 6."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.scores = nn.Linear(3, classes)
        self.scores.weight.data = 10.0 * torch.eye(classes, 3)
        self.scores.bias.data = -0.001 * torch.arange(classes)

    def forward(self, pixels: Tensor) -> Tensor:
        scores: Tensor = self.scores(pixels.mean(dim=(2, 3)))
        return scores


def formed(form: Callable[[Tensor], Any]) -> type[Colours]:
    """The same network, whose answer is made of these scores."""

    class Formed(Colours):
        def forward(self, pixels: Tensor) -> Any:
            return form(super().forward(pixels))

    return Formed


class Slow(Colours):
    """Takes a moment for each batch."""

    def forward(self, pixels: Tensor) -> Tensor:
        time.sleep(0.2)
        return super().forward(pixels)


class Broken(Colours):
    """Cannot be run."""

    def forward(self, pixels: Tensor) -> Tensor:
        raise ValueError("a bug of yours")


def colours(
    folder: Path,
    *,
    classes: int = 1000,
    name: str = "colours.pth",
    network: str = f"{__name__}:Colours",
) -> str:
    """Save the model's weights in a folder; return the spec of a network with these weights."""
    torch.save(Colours(classes).state_dict(), folder / name)
    return f"file:{folder / name}?arch={network}&resize=32&crop=32&mean=0.5&std=0.5"
