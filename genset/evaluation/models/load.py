"""Load what a model spec names: the network, its weights, its own preprocessing."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from genset.errors import BadInput
from genset.evaluation.models.architectures import bare, pretrained
from genset.evaluation.models.checkpoints.put import put_weights
from genset.evaluation.models.classes import class_order
from genset.evaluation.models.exported import load_exported
from genset.evaluation.models.preprocessing import Preprocessing
from genset.evaluation.models.spec import ModelSpec
from genset.files import sha256_of


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A network ready to score.

    Attributes:
        spec: what it was loaded from.
        network: in evaluation mode, float32: N x 3 x H x W in, N x outputs logits out.
        preprocessing: how a photo becomes such an input.
        weights_hash: a sha256 over the weights, whatever file they came in; of a model that comes
            as one file, over that.
        order: the wnid of each output, "" for one that is no class.
        batch: how many photos it takes at once, where that is fixed.
        notes: what to say of it beside its results.
        is_program: it came as a program, whose layers cannot be taken apart.
        onnx: the file, for a model that comes as ONNX.
        exports_to_onnx: whether PyTorch can write the network as ONNX.
        salt: makes its runs unlike all others, where it may be another model than that of an
            earlier run; "" for any model that comes from a file.
        device: "cpu", or another device's name, where the network must stay there; "" where it may
            be moved to a GPU.
    """

    spec: ModelSpec
    network: nn.Module
    preprocessing: Preprocessing
    weights_hash: str
    order: tuple[str, ...]
    batch: int | None = None
    notes: list[str] = field(default_factory=list)
    is_program: bool = False
    onnx: Path | None = None
    exports_to_onnx: bool = True
    device: str = ""
    salt: str = ""


def load_model(spec: ModelSpec, allow_code: bool = False) -> LoadedModel:
    """Load the model that a spec names; one that is code only if `allow_code`.

    Raises:
        BadInput: the spec names something that is not there.
        ModelError: the weights do not come, or do not fit.
    """
    order = class_order(spec.classes, spec.background)
    return LOADERS[spec.kind](spec, order, allow_code)


def _pretrained(spec: ModelSpec, order: tuple[str, ...], allow_code: bool) -> LoadedModel:
    network, preprocessing = pretrained(spec)
    return _network(spec, order, network, preprocessing, [])


def _checkpoint(spec: ModelSpec, order: tuple[str, ...], allow_code: bool) -> LoadedModel:
    network, preprocessing = bare(spec, len(order))
    notes = put_weights(spec, network)
    return _network(spec, order, network, preprocessing, notes)


def _network(
    spec: ModelSpec,
    order: tuple[str, ...],
    network: nn.Module,
    preprocessing: Preprocessing,
    notes: list[str],
) -> LoadedModel:
    network = network.float().eval()
    return LoadedModel(
        spec=spec,
        network=network,
        preprocessing=_changed(spec, preprocessing),
        weights_hash=hash_of_weights(network.state_dict()),
        order=order,
        notes=notes,
    )


def _exported(spec: ModelSpec, order: tuple[str, ...], allow_code: bool) -> LoadedModel:
    exported = load_exported(spec, allow_code)
    preprocessing = _changed(spec, Preprocessing.usual(exported.side or 224))
    crop = preprocessing.geometry.crop
    if exported.side not in (None, crop):
        raise BadInput(f"model {spec.text!r}: it takes {exported.side} pixels, not {crop}")
    batch = exported.batch
    if spec.kind == "torchscript" and batch is None and not _takes_two(exported.network, crop):
        batch = 1
    return LoadedModel(
        spec=spec,
        network=exported.network,
        preprocessing=preprocessing,
        weights_hash=f"sha256:{sha256_of(Path(spec.target))}",
        order=order,
        batch=batch,
        is_program=True,
        onnx=exported.onnx,
        exports_to_onnx=exported.exports_to_onnx,
        device=exported.device,
    )


# How each kind of `spec.KINDS` that is a network is loaded.
LOADERS: dict[str, Callable[[ModelSpec, tuple[str, ...], bool], LoadedModel]] = {
    "torchvision": _pretrained,
    "timm": _pretrained,
    "file": _checkpoint,
    "export": _exported,
    "onnx": _exported,
    "torchscript": _exported,
}


def _takes_two(network: nn.Module, side: int) -> bool:
    """Whether a traced network takes more photos than the one that it was traced with."""
    try:
        with torch.inference_mode():
            return len(network(torch.zeros(2, 3, side, side))) == 2
    except Exception:  # noqa: BLE001 - TorchScript raises what it likes
        return False


def _changed(spec: ModelSpec, preprocessing: Preprocessing) -> Preprocessing:
    try:
        return preprocessing.changed(spec.preprocessing)
    except BadInput as error:
        raise BadInput(f"model {spec.text!r}: {error}") from None


def hash_of_weights(weights: Mapping[str, Tensor]) -> str:
    """A sha256 over names, kinds, shapes and values, in the order of the names."""
    digest = hashlib.sha256()
    for key, value in sorted(weights.items()):
        digest.update(f"{key} {value.dtype} {list(value.shape)}\n".encode())
        if value.is_quantized:
            value = value.dequantize()
        values = value.detach().cpu().contiguous().reshape(-1)
        digest.update(values.view(torch.uint8).numpy().tobytes())  # numpy knows no bfloat16
    return f"sha256:{digest.hexdigest()}"
