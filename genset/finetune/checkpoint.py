"""Save a network with its new head as a checkpoint that ``genset evaluate`` loads."""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from genset.classes import imagenet1k
from genset.core.errors import BadInput, ModelError
from genset.core.files import write_text, written_whole
from genset.finetune.heads import Head, nearly_same, with_head
from genset.models.classes import OTHERS
from genset.models.kinds.architectures import bare
from genset.models.load import LoadedModel
from genset.models.preprocessing import Preprocessing
from genset.models.spec import errors_of, parse_spec


def save_head(
    folder: Path,
    model: LoadedModel,
    head: Head,
    weights: NDArray[np.float32],
    bias: NDArray[np.float32],
    classes: Sequence[str],
    name: str = "",
) -> str:
    """Write NAME.pth and NAME.classes.txt; return the spec that loads them.

    The network is first built from the spec, and its outputs for noise are checked. Only then are
    the files written.

    Args:
        folder: where the files go.
        model: the model whose head is replaced.
        head: its last linear layer.
        weights: of the new head, shape (C, D), float32.
        bias: of the new head, shape (C,), float32.
        classes: C names, in label order.
        name: of the files; "" for the model's own name.

    Returns:
        The model spec.

    Raises:
        BadInput: the name of the folder or of a class cannot be written in a spec or a class list.
        ModelError: the architecture cannot be built with this number of classes or this head.
    """
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name or model.spec.name).strip("-.") or "model"
    file, listing = folder / f"{stem}.pth", folder / f"{stem}.classes.txt"
    if "?" in str(file):
        raise BadInput(f"{folder}: a model spec cannot name a folder with a ? in it")
    listed = _listed(classes)
    text = f"file:{file}?arch={_quoted(_arch(model))}&classes={_quoted(str(listing))}"
    with errors_of(text):
        network, usual = bare(parse_spec(text), len(classes))
    text += _overrides(usual, model.preprocessing)
    if usual.changed(parse_spec(text).preprocessing) != model.preprocessing:
        raise ModelError(f"model {model.spec.text!r}: no spec can describe its preprocessing")
    _take_weights(network, with_head(model, head, weights, bias), model)
    write_text(listing, listed)
    with written_whole(file) as opened:
        torch.save(network.state_dict(), opened)
    return text


def _listed(classes: Sequence[str]) -> str:
    """A class list, as `genset.models.classes` reads it."""
    for name in classes:
        if not name or name != " ".join(name.splitlines()).strip():
            raise BadInput(f"the class {name!r} cannot be in a list with one class per line")
    taxonomy = imagenet1k()
    others = [] if all(name in taxonomy for name in classes) else [OTHERS]
    return "\n".join([*others, *classes]) + "\n"


def _arch(model: LoadedModel) -> str:
    spec = model.spec
    return spec.arch or f"{spec.kind}:{spec.target.partition('@')[0]}"


def _overrides(usual: Preprocessing, target: Preprocessing) -> str:
    """The options of a spec where the preprocessing differs from the architecture's default."""
    values = target.described()
    return "".join(
        f"&{name}={','.join(map(str, values[name])) if name in ('mean', 'std') else values[name]}"
        for name in ("resize", "crop", "interpolation", "mean", "std")
        if values[name] != usual.described()[name]
    )


def _quoted(text: str) -> str:
    return quote(text, safe="/:.,@")


def _take_weights(network: nn.Module, source: nn.Module, model: LoadedModel) -> None:
    """Load the weights of `source` into a newly built network, and compare their outputs.

    Raises:
        ModelError: the outputs differ, as where the head's weights do not fit.
    """
    weights, expected = source.state_dict(), network.eval().state_dict()
    # Other differences are heads that only training uses (GoogLeNet's auxiliary heads, which its
    # pretrained weights lack, and those of Inception, which have 1,000 classes).
    network.load_state_dict(
        {key: _fitting(weights.get(key), value) for key, value in expected.items()}
    )
    side = model.preprocessing.geometry.crop
    noise = torch.randn((2, 3, side, side), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        if not nearly_same(network(noise), source(noise)):
            raise ModelError(
                f"model {model.spec.text!r}: {_arch(model)}, newly built, does not answer as it "
                "should with this head: it must take num_classes, and have a bias"
            )


def _fitting(weight: Tensor | None, expected: Tensor) -> Tensor:
    fits = weight is not None and weight.shape == expected.shape
    return weight.contiguous() if weight is not None and fits else torch.zeros_like(expected)
