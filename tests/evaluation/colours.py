"""A model whose answers are known, and photos for it."""

from pathlib import Path

import torch
from PIL import Image
from torch import Tensor, nn

from genset.taxonomy import imagenet1k

WNIDS = [cls.wnid for cls in imagenet1k()]
RED, GREEN, BLUE = "red", "green", "blue"


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


def colours(folder: Path, *, classes: int = 1000, name: str = "colours.pth") -> str:
    """Save the model's weights in a folder; return its spec."""
    torch.save(Colours(classes).state_dict(), folder / name)
    return f"file:{folder / name}?arch={__name__}:Colours&resize=32&crop=32&mean=0.5&std=0.5"


def paint(folder: Path, place: int, name: str, colour: str) -> Path:
    """Put a photo of one colour into the folder of the class at this place."""
    path = folder / WNIDS[place] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (48, 40), colour).save(path)
    return path


def painted_set(folder: Path) -> Path:
    """Four photos of which `Colours` has two right at once and a third among its five."""
    paint(folder, 0, "a.jpg", RED)
    paint(folder, 0, "b.jpg", GREEN)  # wrong: 1, 3, 4, 5, 6
    paint(folder, 2, "c.jpg", BLUE)
    paint(folder, 3, "d.jpg", RED)  # second best: 0, 3, 4, 5, 6
    return folder


def hundred_photos(folder: Path) -> Path:
    """100 photos: seven shards. `Colours` has a third of them right, and one cannot be read."""
    for number in range(99):
        colour = (RED, GREEN, BLUE)[number // 3 % 3]
        paint(folder, number % 3, f"{number:03}.png", colour)
    (folder / WNIDS[1] / "text.jpg").write_text("I am no photo.")
    return folder
