"""A network that a caller has in memory, as a model that can be scored."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import torch
from PIL import Image
from torch import Tensor, nn

from genset.core.errors import BadInput, first_line
from genset.models.classes import class_order
from genset.models.kinds.architectures import timm_preprocessing
from genset.models.load import LoadedModel, hash_of_weights
from genset.models.preprocessing import (
    CustomTransform,
    Geometry,
    Preprocessing,
    identity_of,
    numbers_of,
)
from genset.models.spec import ModelSpec


def model_in_memory(
    network: nn.Module, preprocessing: Preprocessing, name: str, classes: Sequence[str] | None
) -> LoadedModel:
    """Take a network for a model, as it is: on its device, in its precision.

    Args:
        network: takes N x 3 x H x W, gives N x classes scores.
        preprocessing: how a photo becomes such an input.
        name: in tables; "": the name of its class, and its run is like no other.
        classes: what each output stands for; None: ImageNet's 1,000 classes.

    Raises:
        BadInput: a class is there twice, or the weights cannot be read.
    """
    order = class_order() if classes is None else tuple(map(str, classes))
    if len(set(order)) < len(order):
        raise BadInput("classes= names a class twice")
    geometry = preprocessing.geometry
    known = not isinstance(geometry, CustomTransform) or bool(geometry.identity)
    salt = "" if name and known else uuid4().hex
    name = name or type(network).__name__
    weight = next(network.parameters(), None)
    try:
        weights_hash = hash_of_weights(_weights(network))
    except Exception as error:  # noqa: BLE001 - of lazy and meta tensors, torch raises what it likes
        raise BadInput(f"the model's weights cannot be read: {first_line(error)}") from None
    double = weight is not None and weight.dtype == torch.float64
    return LoadedModel(
        spec=ModelSpec(name, "memory", name, "", name, classes="" if classes is None else "given"),
        network=network,
        preprocessing=preprocessing,
        weights_hash=weights_hash,
        order=order,
        notes=["The network runs in float64."] if double else [],
        exports_to_onnx=False,
        device="cpu" if weight is None else str(weight.device),
        salt=salt,
    )


def precision_of(network: nn.Module) -> str:
    """The precision of a network's weights, by the name that runs are kept with."""
    weight = next(
        (parameter for parameter in network.parameters() if parameter.is_floating_point()), None
    )
    names = {torch.bfloat16: "bf16", torch.float16: "fp16"}
    return names.get(weight.dtype, "float32") if weight is not None else "float32"


def _weights(network: nn.Module) -> dict[str, Tensor]:
    """All tensors of a network: also buffers that are not saved, and what quantized layers pack."""
    found: dict[str, Tensor] = dict(network.named_buffers())
    for name, value in network.state_dict().items():
        parts = value if isinstance(value, (tuple, list)) else [value]
        tensors = [part for part in parts if isinstance(part, Tensor)]
        found |= {f"{name}.{n}" if n else name: part for n, part in enumerate(tensors)}
    return found


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
        if type(network).__module__.startswith("timm.") and hasattr(network, "pretrained_cfg"):
            return timm_preprocessing(network)
        raise BadInput(
            "evaluate needs the model's transform=, from a photo to 3 x H x W: the wrong one "
            "costs points of accuracy. With torchvision's weights it is weights.transforms()"
        )
    if type(transform).__name__ == "ImageClassification" and getattr(transform, "antialias", False):
        return Preprocessing.of_torchvision(transform)
    try:
        sample = transform(photo)
    except Exception as error:  # noqa: BLE001 - it is the caller's own code
        raise BadInput(f"the transform fails on a photo: {first_line(error)}") from None
    shape = numbers_of(sample).shape
    geometry: Geometry = CustomTransform(
        resize=shape[1],
        crop=shape[2],
        function=transform,
        shape=shape,
        identity=identity_of(transform),
    )
    return Preprocessing(geometry)
