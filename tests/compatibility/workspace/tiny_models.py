"""The network of the kept runs: a little convolution, the mean of each channel, a last layer."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    """N x 3 x H x W in, N x classes scores out."""

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.looks = nn.Conv2d(3, 4, 3, padding=1)
        self.scores = nn.Linear(4, num_classes)

    def forward(self, pixels: Tensor) -> Tensor:
        seen = torch.relu(self.looks(pixels)).mean(dim=(2, 3))
        scores: Tensor = self.scores(seen)
        return scores


def net(num_classes: int = 1000) -> nn.Module:
    """What `arch=tiny_models:net` means."""
    return Net(num_classes)
