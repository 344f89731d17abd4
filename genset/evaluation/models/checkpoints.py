"""Load the weights of a checkpoint into a network: none missing, none unexpected."""

import re
from collections.abc import Container
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from genset.errors import BadInput, ModelError, first_line
from genset.evaluation.models.spec import ModelSpec

# Where training scripts put the weights, beside the epoch and the optimizer's state; and where
# they put the average of the weights over the last steps.
_NESTED_UNDER = ("state_dict", "model", "model_state_dict")
_AVERAGED_UNDER = ("state_dict_ema", "model_ema", "ema_state_dict", "ema")

# Put before each name by DataParallel, by torch.compile, by a trainer that holds the network and by
# transformers' TimmWrapper.
_PREFIX = re.compile(r"^(module\.|_orig_mod\.|model\.|timm_model\.)+")

# torchvision's own files of DenseNets name a layer norm.1 that its code names norm1.
_DENSENET = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")

# Counters have no part in scoring: BatchNorm's of batches, which old checkpoints lack, and that of
# an average, which no network has.
_COUNTER = "num_batches_tracked"
_AVERAGES_COUNTER = "n_averaged"


def put_weights(spec: ModelSpec, network: nn.Module) -> list[str]:
    """Read the checkpoint that a `file:` spec names into a network; return what to note of it.

    Names may have ``module.``, ``_orig_mod.`` or ``model.`` before them. Numbers of half precision
    become float32. Nothing in the file is executed.

    Raises:
        BadInput: there is no such file.
        ModelError: it holds no weights, or weights are missing, unexpected or of another shape.
    """
    found, notes = _read_weights(spec)
    wanted = network.state_dict()
    weights = {_own_name(key, wanted): value for key, value in found.items()}
    weights.pop(_AVERAGES_COUNTER, None)
    counters = {key for key in wanted if key.endswith(_COUNTER)}
    missing = sorted(wanted.keys() - weights.keys() - counters)
    unexpected = sorted(weights.keys() - wanted.keys())
    if missing or unexpected:
        differences = [
            f"{len(keys)} {what} ({', '.join(keys[:3])}{', ...' if len(keys) > 3 else ''})"
            for keys, what in ((missing, "missing"), (unexpected, "unexpected"))
            if keys
        ]
        raise ModelError(
            f"model {spec.text!r}: weights do not fit {spec.arch}: {'; '.join(differences)}"
        )
    wrong = [key for key in weights if weights[key].shape != wanted[key].shape]
    if wrong:
        shapes = f"{list(weights[wrong[0]].shape)}, not {list(wanted[wrong[0]].shape)}"
        raise ModelError(f"model {spec.text!r}: {wrong[0]} is {shapes}: another {spec.arch}?")
    network.load_state_dict(weights, strict=False)
    return notes


def _read_weights(spec: ModelSpec) -> tuple[dict[str, Tensor], list[str]]:
    path = Path(spec.target)
    if not path.is_file():
        raise BadInput(f"model {spec.text!r}: there is no file {path}")
    content = _read_file(spec, path)
    plain = _under(content, _NESTED_UNDER)
    averaged = _under(content, _AVERAGED_UNDER)
    notes: list[str] = []
    if spec.ema and averaged is None:
        raise ModelError(f"model {spec.text!r}: {path} holds no averaged weights (EMA)")
    if averaged is not None and (spec.ema or (plain is None and spec.ema is None)):
        content = averaged
        notes.append("These are the averaged weights (EMA) of the checkpoint.")
    elif plain is not None:
        content = plain
        if averaged is not None and spec.ema is None:
            notes.append("The checkpoint also holds averaged weights (EMA): &ema=1 scores these.")
    if not isinstance(content, dict) or not all(
        isinstance(key, str) and isinstance(value, Tensor) for key, value in content.items()
    ):
        raise ModelError(f"model {spec.text!r}: {path} holds no state_dict")
    return content, notes


def _read_file(spec: ModelSpec, path: Path) -> Any:
    try:
        with path.open("rb") as file:
            head = file.read(9)
        if head[8:] == b"{":  # the length of a JSON header, then that
            from safetensors.torch import load_file

            return load_file(path)
        # A checkpoint comes from a stranger, and unpickling one runs what it says.
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # noqa: BLE001 - torch raises what it likes on a bad file
        raise ModelError(
            f"model {spec.text!r}: {path} is no file of weights alone ({first_line(error)}); "
            "save it with torch.save(model.state_dict(), PATH)"
        ) from None


def _under(content: Any, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The dictionary that lies under one of these names."""
    if isinstance(content, dict):
        for name in names:
            if isinstance(nested := content.get(name), dict):
                return nested
    return None


def _own_name(key: str, wanted: Container[str]) -> str:
    """What the network calls this weight, whatever was put before it when it was saved."""
    if key in wanted:
        return key
    return _DENSENET.sub(r"\1\2", _PREFIX.sub("", key))
