"""Put the weights of a checkpoint into a network: none missing, none unexpected."""

import math
import re
import sys
import zipfile
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, nn

from genset.core.errors import ModelError, first_line
from genset.core.safe import clean
from genset.models.checkpoints.find import (
    CheckpointTensors,
    FoundWeights,
    common_prefixes,
    find_weights,
    likely_home,
    tensors_in,
)
from genset.models.checkpoints.read import read_checkpoint
from genset.models.classes import OF_TIMM
from genset.models.spec import ModelSpec

# What torch quotes, and shapes that it compares, where it does not load weights.
_QUOTED = re.compile('"(.+?)"').findall
_SHAPES = re.compile(r"size mismatch for (\S+):.*?Size\(\[(.*?)\]\).*Size\(\[(.*?)\]\)").findall


def translated(
    checkpoint: CheckpointTensors, network: nn.Module, ema: bool | None, prefix: str | None
) -> FoundWeights | None:
    """A checkpoint's weights by timm's names, from those of the code that a network comes from.

    timm has a `checkpoint_filter_fn` for most networks that others published before: ConvNeXt,
    Swin, DINO's. Weights that it had to stretch for another size of photos are not taken.

    Args:
        checkpoint: a checkpoint's tensors.
        network: one of timm's.
        ema: whether to take averaged weights.
        prefix: what stands before the names, where it was said.

    Returns:
        What was found; None where timm translates nothing, or not all.

    Raises:
        ModelError: there are no averaged weights.
    """
    module = sys.modules[type(network).__module__]
    if not (function := getattr(module, "checkpoint_filter_fn", None)):
        return None
    required = network.state_dict()
    home = likely_home(checkpoint, ema) if prefix is None else f"{prefix.removesuffix('.')}."
    names = {
        name.removeprefix(home): value
        for name, value in checkpoint.tensors.items()
        if checkpoint.homes[name] == home or (prefix is not None and name.startswith(home))
    }
    for start in ("", *common_prefixes(names)):
        weights = {name.removeprefix(start): value for name, value in names.items()}
        try:
            with redirect_stdout(sys.stderr):
                translation = dict(function(dict(weights), network))
        except Exception:  # noqa: BLE001, S112 - it expects the names of certain files
            continue
        result = {name: value for name, value in translation.items() if isinstance(value, Tensor)}
        if _is_stretched(weights, result):
            continue
        found = find_weights(
            CheckpointTensors(result, dict.fromkeys(result, "")), required, prefix=""
        )
        if not found.missing:
            note = f"timm translated the names of the weights, which lay at {home or 'the top'!r}."
            return FoundWeights(found.weights, [], found.unexpected, [note])
    return None


def _is_stretched(source: Mapping[str, Tensor], result: Mapping[str, Tensor]) -> bool:
    """Whether weights, as those of positions, were made for another size of photos."""
    sizes = {value.numel() for value in source.values()}
    moved = set(map(id, result.values()))  # Swin's files name each stage's end by another stage
    return any(
        value.numel() != source[key].numel() and id(source[key]) not in moved
        if key in source
        else "pos" in key and value.numel() not in sizes
        for key, value in result.items()
    )


def put_weights(spec: ModelSpec, network: nn.Module) -> list[str]:
    """Read the checkpoint that a `file:` spec names into a network; return what to note of it.

    The weights may lie in any dictionary of the checkpoint, with anything before their names.
    Numbers of half precision become float32. Nothing in the file is executed.

    Raises:
        BadInput: there is no such file.
        ModelError: it holds no weights, several that fit, or weights are missing, unexpected or of
            another shape.
    """
    path = Path(spec.target)
    if path.suffix == ".npz" and path.is_file() and hasattr(network, "load_pretrained"):
        return _put_arrays(spec, path, network)
    content = read_checkpoint(path)
    required = network.state_dict()
    try:
        checkpoint = tensors_in(content)
        found = find_weights(checkpoint, required, spec.ema, spec.prefix)
        if found.missing and spec.is_of_timm:
            found = translated(checkpoint, network, spec.ema, spec.prefix) or found
    except ModelError as error:
        raise ModelError(f"{path} {error}") from None
    if found.missing or found.unexpected:
        keys = {"missing": found.missing, "unexpected": found.unexpected}
        raise ModelError(f"weights do not fit {spec.arch}: {_differences(keys)}")
    wrong = [key for key, value in found.weights.items() if value.shape != required[key].shape]
    if wrong:
        raise ModelError(_shapes(spec, found.weights, required, wrong))
    try:
        network.load_state_dict(found.weights, strict=False)
    except RuntimeError as error:  # of kinds that cannot be copied: sparse, quantized
        raise ModelError(f"its weights cannot be used: {why_not_loaded(error)}") from None
    return found.notes


def _put_arrays(spec: ModelSpec, path: Path, network: Any) -> list[str]:
    """Read a ViT's or BiT's file of JAX into a network of timm's, by timm's own reader."""
    for value in network.parameters():
        nn.init.constant_(value, math.nan)  # timm passes over what it does not find
    try:
        with zipfile.ZipFile(path) as archive:  # a few bytes can be packed that fill the memory
            if sum(entry.file_size for entry in archive.infolist()) > path.stat().st_size:
                raise ModelError("it is compressed, which files of weights are not")
        with np.load(path, allow_pickle=False) as arrays:
            sizes = {arrays[name].size for name in arrays.files if "pos" in name}
        network.load_pretrained(str(path))
    except Exception as error:  # noqa: BLE001 - it expects the names of certain files
        reason = clean(first_line(error))
        raise ModelError(f"{path} is no file of JAX for {spec.arch} ({reason})") from None
    wrong = [name for name, value in network.named_parameters() if value.isnan().any()]
    wrong += ["pos_embed of this size"] * bool(sizes and network.pos_embed.numel() not in sizes)
    if wrong:
        raise ModelError(f"weights do not fit {spec.arch}: {_differences({'missing': wrong})}")
    return ["timm read the arrays of JAX."]


def why_not_loaded(error: Exception) -> str:
    """Which names and shapes do not fit, of torch's message of many lines; else its first line."""
    if "loading state_dict" not in first_line(error):
        return clean(first_line(error))
    keys = {
        what: [name for line in re.findall(f"{word} key.*", str(error)) for name in _QUOTED(line)]
        for word, what in (("Missing", "missing"), ("Unexpected", "unexpected"))
    }
    shapes = _SHAPES(str(error))
    keys["of another shape"] = [f"{key} is [{one}], not [{other}]" for key, one, other in shapes]
    return _differences(keys)


def _differences(keys: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{len(of)} {what} ({_shown(of)})" for what, of in keys.items() if of)


def _shown(keys: list[str]) -> str:
    return ", ".join(clean(key, 80) for key in keys[:3]) + ", ..." * (len(keys) > 3)


def _shapes(
    spec: ModelSpec, weights: Mapping[str, Tensor], required: Mapping[str, Tensor], wrong: list[str]
) -> str:
    """Which weight has another shape, and what that may mean."""
    shapes = [(list(weights[key].shape), list(required[key].shape)) for key in wrong]
    shape, expected = shapes[0]
    message = f"{wrong[0]} is {shape}, not {expected}: "
    # Weights and bias of the last layer, whose first side is the number of outputs.
    outputs = {(one[0], other[0]) for one, other in shapes if one[1:] == other[1:] and other}
    if len(outputs) != 1 or len(wrong) > 2 or any(a[1:] != b[1:] for a, b in shapes):
        return f"{message}another {spec.arch}?"
    ((more, fewer),) = outputs
    if more == fewer + 1 and spec.background is None:
        return f"{message}one output more; if output 0 is a background class, say &background=0"
    if more in OF_TIMM:
        return f"{message}if its classes are those of timm's list, say &classes={OF_TIMM[more]}"
    return f"{message}another {spec.arch}? If its classes are others, list them with &classes=FILE"
