"""Load what a model spec names: the network, its weights, its own preprocessing."""

import hashlib
import importlib
import re
import sys
from collections.abc import Callable, Container
from contextlib import redirect_stdout
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torchvision import models as zoo
from torchvision.transforms import InterpolationMode

from genset.errors import BadInput, ModelError
from genset.evaluate.spec import ModelSpec, parse_spec

# Where training scripts put the weights, beside the epoch and the optimizer's state.
_NESTED_UNDER = ("state_dict", "model", "model_state_dict")

# Put before each name by DataParallel and by torch.compile.
_PREFIX = re.compile(r"^(module\.|_orig_mod\.)+")

# torchvision's own files of DenseNets name a layer norm.1 that its code names norm1.
_DENSENET = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")

# Networks that take ImageNet's normalization back to the one they were trained with; torchvision
# turns this on with its own weights, so a checkpoint of these needs it as well.
_NORMALIZE_AGAIN = ("googlenet", "inception_v3")


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A network ready to score.

    Attributes:
        spec: what it was loaded from.
        network: in evaluation mode, float32: N x 3 x H x W in, N x 1000 logits out.
        transform: a PIL image in RGB to a 3 x H x W tensor.
        preprocessing: the same in words, kept with every result.
        weights_hash: a sha256 over the weights, whatever file they came in.
    """

    spec: ModelSpec
    network: nn.Module
    transform: Callable[[Any], Tensor]
    preprocessing: dict[str, object]
    weights_hash: str


def load_model(text: str) -> LoadedModel:
    """Load the model that a spec names.

    Raises:
        BadInput: the spec is wrong, or names something that is not there.
        ModelError: the weights do not come, or do not fit.
    """
    spec = parse_spec(text)
    if spec.kind == "torchvision":
        network, preset = _pretrained(spec)
    else:
        network, preset = _architecture(spec)
        _put_weights(spec, network)
    transform = preset(**_as_torchvision(spec.preprocessing))
    preprocessing = _describe(transform)
    resize, crop = preprocessing["resize"], preprocessing["crop"]
    if crop > resize:  # torchvision would fill up with black
        raise BadInput(f"model {text!r}: a crop of {crop} is larger than a resize of {resize}")
    return LoadedModel(
        spec=spec,
        network=network.float().eval(),
        transform=transform,
        preprocessing=preprocessing,
        weights_hash=_weights_hash(network),
    )


def _pretrained(spec: ModelSpec) -> tuple[nn.Module, Callable[..., Any]]:
    name, _, wanted = spec.target.partition("@")
    weights_of = _weights_enum(spec, name)
    try:
        weights = weights_of[wanted] if wanted else weights_of.DEFAULT
    except KeyError:
        known = ", ".join(weights_of.__members__)
        raise BadInput(
            f"model {spec.text!r}: {name} has no weights {wanted}; it has {known}"
        ) from None
    file = Path(torch.hub.get_dir()) / "checkpoints" / weights.url.rpartition("/")[2]
    try:
        with redirect_stdout(sys.stderr):  # torch announces a download on standard output
            # torchvision unpickles whatever lies in that file: see first that it is weights alone.
            weights.get_state_dict(check_hash=True, weights_only=True)
            return zoo.get_model(name, weights=weights), weights.transforms
    except Exception as error:  # noqa: BLE001 - torch raises what it likes on a bad file
        reason = first_line(error)
        if file.exists():
            raise ModelError(
                f"model {spec.text!r}: {file} does not hold its weights ({reason}); delete it"
            ) from None
        raise ModelError(
            f"model {spec.text!r}: its weights could not be downloaded ({reason}). Offline, copy "
            f"{file.name} into {file.parent}, or name a checkpoint: "
            f"file:{file.name}?arch=torchvision:{name}"
        ) from None


def _architecture(spec: ModelSpec) -> tuple[nn.Module, Callable[..., Any]]:
    """A network without its weights, and the preprocessing that its kind was published with."""
    module, _, name = spec.arch.partition(":")
    if module == "torchvision":
        # The first weights named are those of the original recipe, which most checkpoints follow.
        first = next(iter(_weights_enum(spec, name)))
        options = {"transform_input": True, "init_weights": False}
        again = options if name in _NORMALIZE_AGAIN else {}
        return zoo.get_model(name, weights=None, **again), first.transforms
    return _call(spec, module, name), zoo.ResNet18_Weights.IMAGENET1K_V1.transforms


def _weights_enum(spec: ModelSpec, name: str) -> Any:
    classifiers = zoo.list_models(module=zoo)
    if name not in classifiers:
        near = ", ".join(get_close_matches(name, classifiers)) or "resnet50, ..."
        raise BadInput(f"model {spec.text!r}: torchvision has no classifier {name!r}; try {near}")
    return zoo.get_model_weights(name)


def _call(spec: ModelSpec, module: str, name: str) -> nn.Module:
    """What the user's own function returns; its module may lie in the current folder."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:  # noqa: BLE001 - it is the user's own code
        raise BadInput(
            f"model {spec.text!r}: cannot import {spec.arch}: {first_line(error)}"
        ) from None
    try:
        network = function()
    except Exception as error:  # noqa: BLE001 - it is the user's own code
        raise BadInput(f"model {spec.text!r}: {spec.arch}() fails: {first_line(error)}") from None
    if not isinstance(network, nn.Module):
        raise BadInput(f"model {spec.text!r}: {spec.arch}() returned no torch.nn.Module")
    return network


def _put_weights(spec: ModelSpec, network: nn.Module) -> None:
    """Read the checkpoint and load it, every weight in its place and none left over."""
    wanted = network.state_dict()
    weights = {_own_name(key, wanted): value for key, value in _read_weights(spec).items()}
    # BatchNorm's count of batches has no part in scoring, and old checkpoints lack it.
    counters = {key for key in wanted if key.endswith("num_batches_tracked")}
    missing = sorted(wanted.keys() - weights.keys() - counters)
    unexpected = sorted(weights.keys() - wanted.keys())
    if missing or unexpected:
        found = [
            f"{len(keys)} {what} ({', '.join(keys[:3])}{', ...' if len(keys) > 3 else ''})"
            for keys, what in ((missing, "missing"), (unexpected, "unexpected"))
            if keys
        ]
        raise ModelError(f"model {spec.text!r}: weights do not fit {spec.arch}: {'; '.join(found)}")
    wrong = [key for key in weights if weights[key].shape != wanted[key].shape]
    if wrong:
        shapes = f"{list(weights[wrong[0]].shape)}, not {list(wanted[wrong[0]].shape)}"
        raise ModelError(f"model {spec.text!r}: {wrong[0]} is {shapes}: another {spec.arch}?")
    network.load_state_dict(weights, strict=False)


def _read_weights(spec: ModelSpec) -> dict[str, Tensor]:
    path = Path(spec.target)
    if not path.is_file():
        raise BadInput(f"model {spec.text!r}: there is no file {path}")
    try:
        # A checkpoint comes from a stranger, and unpickling one runs what it says.
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # noqa: BLE001 - torch raises what it likes on a bad file
        raise ModelError(
            f"model {spec.text!r}: {path} is no file of weights alone ({first_line(error)}); "
            "save it with torch.save(model.state_dict(), PATH)"
        ) from None
    for name in _NESTED_UNDER:
        if isinstance(content, dict) and isinstance(content.get(name), dict):
            content = content[name]
            break
    if not isinstance(content, dict) or not all(
        isinstance(key, str) and isinstance(value, Tensor) for key, value in content.items()
    ):
        raise ModelError(f"model {spec.text!r}: {path} holds no state_dict")
    return content


def _own_name(key: str, wanted: Container[str]) -> str:
    """What the network calls this weight, whatever was put before it when it was saved."""
    if key in wanted:
        return key
    return _DENSENET.sub(r"\1\2", _PREFIX.sub("", key))


def first_line(error: Exception) -> str:
    """What an exception of someone else's code says, in one line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _as_torchvision(overrides: dict[str, object]) -> dict[str, object]:
    names = {"resize": "resize_size", "crop": "crop_size"}
    found = {names.get(name, name): value for name, value in overrides.items()}
    if "interpolation" in found:
        found["interpolation"] = InterpolationMode(found["interpolation"])
    return found


def _describe(transform: Any) -> dict[str, Any]:
    return {
        "resize": transform.resize_size[0],
        "crop": transform.crop_size[0],
        "interpolation": transform.interpolation.value,
        "mean": list(transform.mean),
        "std": list(transform.std),
    }


def _weights_hash(network: nn.Module) -> str:
    digest = hashlib.sha256()
    for key, value in sorted(network.state_dict().items()):
        digest.update(f"{key} {value.dtype} {list(value.shape)}\n".encode())
        digest.update(value.cpu().contiguous().numpy().tobytes())
    return f"sha256:{digest.hexdigest()}"
