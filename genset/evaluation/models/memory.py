"""A network that a caller has in memory, as a model that can be scored."""

from collections.abc import Callable, Sequence
from typing import Any

from PIL import Image
from torch import nn

from genset.errors import BadInput, first_line
from genset.evaluation.models.architectures import timm_preprocessing
from genset.evaluation.models.classes import class_order
from genset.evaluation.models.load import LoadedModel, hash_of_weights
from genset.evaluation.models.preprocessing import (
    CustomTransform,
    Geometry,
    Preprocessing,
    numbers_of,
)
from genset.evaluation.models.spec import ModelSpec


def model_in_memory(
    network: nn.Module, preprocessing: Preprocessing, name: str, classes: Sequence[str] | None
) -> LoadedModel:
    """Take a network for a model, as it is: on its device, in its precision.

    Args:
        network: takes N x 3 x H x W, gives N x classes scores.
        preprocessing: how a photo becomes such an input.
        name: in tables; "": the name of its class.
        classes: what each output stands for; None: ImageNet's 1,000 classes.

    Raises:
        BadInput: a class is there twice.
    """
    order = class_order() if classes is None else tuple(map(str, classes))
    if len(set(order)) < len(order):
        raise BadInput("classes= names a class twice")
    name = name or type(network).__name__
    weight = next(network.parameters(), None)
    return LoadedModel(
        spec=ModelSpec(name, "memory", name, "", name, classes="" if classes is None else "given"),
        network=network,
        preprocessing=preprocessing,
        weights_hash=hash_of_weights(network.state_dict()),
        order=order,
        exports_to_onnx=False,
        device="cpu" if weight is None else str(weight.device),
    )


def preprocessing_of(
    network: nn.Module, transform: Callable[[Any], Any] | None, photo: Image.Image
) -> Preprocessing:
    """How a caller's transform, or the network itself, wants photos.

    torchvision's presets and timm's own settings are read; any other transform is called.

    Args:
        network: the caller's.
        transform: the caller's, if there is one.
        photo: one of the set, to see what the transform gives.

    Raises:
        BadInput: it is no network, nothing says how, or the transform fails.
    """
    if not isinstance(network, nn.Module):
        raise BadInput(
            f"a model is a torch.nn.Module or a spec, as in 'torchvision:resnet50', not a "
            f"{type(network).__name__}"
        )
    if transform is None:
        if hasattr(network, "pretrained_cfg"):
            return timm_preprocessing(network)
        raise BadInput(
            "evaluate needs the model's transform=, from a photo to 3 x H x W: the wrong one "
            "costs points of accuracy. With torchvision's weights it is weights.transforms()"
        )
    if type(transform).__name__ == "ImageClassification" and getattr(transform, "antialias", False):
        return Preprocessing.of_torchvision(transform)
    try:
        given = transform(photo)
    except Exception as error:  # noqa: BLE001 - it is the caller's own code
        raise BadInput(f"the transform fails on a photo: {first_line(error)}") from None
    shape = numbers_of(given).shape
    geometry: Geometry = CustomTransform(
        resize=shape[1], crop=shape[2], function=transform, shape=shape
    )
    return Preprocessing(geometry)
