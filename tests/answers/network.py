"""A network that tells classes by their colour, with weights that need no training."""

import torch
from torch import Tensor, nn

from tests.answers.photos import COLOURS


class Net(nn.Module):
    """N x 3 x H x W in, N x classes scores out: how near the mean colour is to each class's."""

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.scores = nn.Linear(3, num_classes)

    def forward(self, pixels: Tensor) -> Tensor:
        scores: Tensor = self.scores(pixels.mean(dim=(2, 3)))
        return scores


def net(num_classes: int = 1000) -> nn.Module:
    """What `arch=tests.answers.network:net` means."""
    return Net(num_classes)


def weights(classes: list[str], coarse: bool = False) -> dict[str, Tensor]:
    """Weights for outputs of these classes; `coarse` ones mix similar colours up."""
    weight = torch.zeros(len(classes), 3)
    bias = -4 - 0.001 * torch.arange(len(classes), dtype=torch.float32)
    for place, wnid in enumerate(classes):
        if wnid in COLOURS:
            colour = 2 * torch.tensor(COLOURS[wnid]) / 255 - 1
            colour = colour.round() if coarse else colour
            weight[place] = 10 * colour
            bias[place] = -5 * float(colour @ colour)
    return {"scores.weight": weight, "scores.bias": bias}
