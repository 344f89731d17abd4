"""A network that compares photos with the features of classes."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn


class ZeroShot(nn.Module):
    """N x 3 x H x W in, N x classes logits out: scale x (image . text) + bias."""

    def __init__(
        self, images: nn.Module, texts: NDArray[np.float32], scale: float, bias: float = 0.0
    ) -> None:
        """Take the two halves.

        Args:
            images: N x 3 x H x W in, N x D features out, of any length.
            texts: classes x D, each of length 1.
            scale: what cosines are multiplied with.
            bias: what is added to them then, by models that have been trained with a sigmoid.
        """
        super().__init__()
        self.images = images
        self.texts: Tensor
        self.register_buffer("texts", torch.from_numpy(texts))
        self.scale, self.bias = scale, bias

    @classmethod
    def of(cls, model: Any, images: nn.Module, texts: NDArray[np.float32]) -> "ZeroShot":
        """The network of a model that keeps its `logit_scale`, as a logarithm, and a `logit_bias`.

        Models that have been trained with a softmax have no bias, or None.
        """
        bias = getattr(model, "logit_bias", None)
        scale = float(model.logit_scale.detach().exp())
        return cls(images, texts, scale, 0.0 if bias is None else float(bias))

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits for normalized pixels."""
        features = nn.functional.normalize(self.images(pixels), dim=-1)
        return self.scale * features @ self.texts.T + self.bias
