"""What answers depend on beside the model: versions, and the device."""

import platform

import numpy as np
import PIL
import torch
import torchvision

from genset import __version__
from genset.score.engines import ENGINES


def this_device() -> str:
    """The name of this process's GPU; "cpu" where there is none."""
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def device_of(engine: str) -> str:
    """What an engine runs on here: "cpu", or a GPU's name."""
    return this_device() if engine == "torch" else "cpu"


def versions(engine: str) -> dict[str, str]:
    """The versions of what an engine's answers depend on."""
    found = {
        "genset": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "torchvision": torchvision.__version__,
        "pillow": PIL.__version__,
    }
    if engine != "torch":
        found[ENGINES[engine].package] = ENGINES[engine].version
    return found
