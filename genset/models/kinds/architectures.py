"""Networks by name: torchvision's, timm's, or one of your own; with weights or without."""

import importlib
import inspect
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch
from torch import nn
from torchvision import models as zoo

from genset.core.errors import BadInput, ModelError, first_line, needs_extra
from genset.models.checkpoints.put import put_weights, why_not_loaded
from genset.models.huggingface.labels import timm_order
from genset.models.load import LoadedModel, Loading, assembled
from genset.models.preprocessing import Preprocessing
from genset.models.spec import ModelSpec

# Networks that take ImageNet's normalization back to the one they were trained with; torchvision
# turns this on with its own weights, so a checkpoint of these needs it as well.
_NORMALIZE_AGAIN = ("googlenet", "inception_v3")

Loaded = tuple[nn.Module, Preprocessing]


def pretrained_model(spec: ModelSpec, order: tuple[str, ...], how: Loading) -> LoadedModel:
    """Load ``torchvision:`` and ``timm:``.

    Raises:
        BadInput: there is no such network, or no such weights of it.
        ModelError: the weights do not come, or are not what they should be.
    """
    if spec.kind == "torchvision":
        network, preprocessing = _of_torchvision(spec)
    else:
        options = {"pretrained": True, **spec.model_kwargs}
        network, preprocessing = create_timm(spec.target, spec.at_train_size, **options)
    if spec.kind == "timm" and not spec.classes and spec.background is None:
        order = timm_order(network, how.custom) or order
    notes = size_notes(spec, network, preprocessing)
    return assembled(LoadedModel(spec, network, preprocessing, order, notes=notes))


def checkpoint(spec: ModelSpec, order: tuple[str, ...], how: Loading) -> LoadedModel:
    """Load ``file:``."""
    network, preprocessing = bare(spec, len(order))
    notes = [*put_weights(spec, network), *size_notes(spec, network, preprocessing)]
    return assembled(LoadedModel(spec, network, preprocessing, order, notes=notes))


def bare(spec: ModelSpec, outputs: int) -> Loaded:
    """The network of a `file:` spec without its weights, and its kind's preprocessing.

    `outputs` is how many scores it should give, where its kind takes that as an option.

    Raises:
        BadInput: there is no such network, or the user's own function fails.
    """
    module, _, name = spec.arch.partition(":")
    other = {"num_classes": outputs} if outputs != 1000 else {}
    options = {**other, **spec.model_kwargs}
    if module == "torchvision":
        # The first weights named are those of the original recipe, which most checkpoints follow.
        first = next(iter(weights_enum(name)))
        again = {"transform_input": True, "init_weights": False} if name in _NORMALIZE_AGAIN else {}
        return _without_weights(name, again | options), Preprocessing.of_torchvision(
            first.transforms()
        )
    if module == "timm":
        return create_timm(name, spec.at_train_size, **options)
    if "" not in sys.path:  # the module may lie in the current folder
        sys.path.insert(0, "")
    problem = f"cannot import {spec.arch}"
    try:
        function: Callable[..., object] = getattr(importlib.import_module(module), name)
        parameters = inspect.signature(function).parameters
        problem = f"{spec.arch}() fails"
        # Those of the options that it has a parameter for.
        taken = {key: other[key] for key in other if key in parameters}
        network = function(**taken, **spec.model_kwargs)
    except Exception as error:  # noqa: BLE001 - it is the user's own code
        raise BadInput(f"{problem}: {why_not_loaded(error)}") from None
    if not isinstance(network, nn.Module):
        raise BadInput(f"{spec.arch}() returned no torch.nn.Module")
    return network, Preprocessing.usual()


def _without_weights(name: str, options: dict[str, Any]) -> nn.Module:
    try:
        network: nn.Module = zoo.get_model(name, weights=None, **options)
        return network
    except Exception as error:  # noqa: BLE001 - a network checks its arguments as it likes
        raise BadInput(f"torchvision: {first_line(error)}") from None


def _of_torchvision(spec: ModelSpec) -> Loaded:
    name, _, tag = spec.target.partition("@")
    weights_of = weights_enum(name)
    try:
        weights = weights_of[tag] if tag else weights_of.DEFAULT
    except KeyError:
        known = ", ".join(weights_of.__members__)
        raise BadInput(f"{name} has no weights {tag}; it has {known}") from None
    file = Path(torch.hub.get_dir()) / "checkpoints" / weights.url.rpartition("/")[2]
    try:
        with redirect_stdout(sys.stderr):  # torch announces a download on standard output
            # torchvision unpickles whatever lies in that file: see first that it is weights alone.
            weights.get_state_dict(check_hash=True, weights_only=True)
            network = zoo.get_model(name, weights=weights, **spec.model_kwargs)
            return network, Preprocessing.of_torchvision(weights.transforms())
    except Exception as error:  # noqa: BLE001 - torch raises what it likes on a bad file
        reason = why_not_loaded(error)
        if spec.model_kwargs:
            _without_weights(name, spec.model_kwargs)
        if file.exists():
            mend = "leave out model_kwargs" if spec.model_kwargs else "delete it"
            raise ModelError(f"{file} does not hold its weights ({reason}); {mend}") from None
        raise ModelError(
            f"its weights could not be downloaded ({reason}). Offline, copy "
            f"{file.name} into {file.parent}, or name a checkpoint: "
            f"file:{file.name}?arch=torchvision:{name}"
        ) from None


def weights_enum(name: str) -> Any:
    """torchvision's weights of a classifier. Raises BadInput where there is none of the name."""
    classifiers = zoo.list_models(module=zoo)
    if name not in classifiers:
        near = ", ".join(get_close_matches(name, classifiers)) or "resnet50, ..."
        raise BadInput(f"torchvision has no classifier {name!r}; try {near}")
    return zoo.get_model_weights(name)


def create_timm(name: str, at_train_size: bool = False, **options: Any) -> Loaded:
    """A network of timm's, and the preprocessing that it is tested with, or was trained with."""
    with needs_extra("loading timm's models", "evaluate"):
        import timm
    if ":" not in name and not timm.is_model(name):
        near = ", ".join(get_close_matches(name, timm.list_models())) or "resnet50, ..."
        raise BadInput(f"timm has no model {name!r}; try {near}")
    try:
        hub = quick_hub() if options.get("pretrained") else nullcontext()
        with redirect_stdout(sys.stderr), hub:
            network = timm.create_model(name, **options)
    except Exception as error:  # noqa: BLE001 - the hub's client raises what it likes
        if not options.pop("pretrained", False):
            raise BadInput(f"timm: {first_line(error)}") from None
        if options:  # which may be wrong without weights as well
            create_timm(name, **options)
        raise ModelError(
            f"its weights could not be fetched ({why_not_loaded(error)}). "
            "Offline, name a checkpoint: file:PATH?arch=timm:NAME"
        ) from None
    return network, timm_preprocessing(network, at_train_size, options.get("img_size"))


def timm_preprocessing(
    network: nn.Module, at_train_size: bool = False, size: Any = None
) -> Preprocessing:
    """What a network of timm's says of photos: those of its tests, as in timm's validate.py.

    Many are tested at a larger size than they were trained at, which is better for them. `size` is
    that of one made for another than either.

    Raises:
        BadInput: it does not take square colour photos.
    """
    import timm

    resolve: Any = timm.data.resolve_data_config  # type: ignore[attr-defined]
    sides = size if isinstance(size, tuple | list) else (size, size)
    fixed = {"input_size": (3, *sides)} if size else {}
    return Preprocessing.of_timm(resolve(fixed, model=network, use_test_size=not at_train_size))


def size_notes(spec: ModelSpec, network: nn.Module, preprocessing: Preprocessing) -> list[str]:
    """What to say where a network of timm's is scored at another size than it was trained at."""
    resized = "crop" in spec.preprocessing or "img_size" in spec.model_kwargs
    if not spec.is_of_timm or spec.at_train_size or resized:
        return []
    trained, tested = timm_preprocessing(network, True).geometry.crop, preprocessing.geometry.crop
    note = f"Scored at {tested} pixels, as timm tests it; trained at {trained} (size=train)."
    return [note] if trained != tested else []


@contextmanager
def quiet(logger: str) -> Iterator[None]:
    """Only errors of a logger are shown in the block; "" for the root's."""
    log = logging.getLogger(logger)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


@contextmanager
def quick_hub() -> Iterator[None]:
    """Where the hub's name does not even resolve, its client must not try for minutes.

    It then looks only at what was fetched before. A proxy resolves names itself.
    """
    from huggingface_hub import constants

    host = urlsplit(constants.ENDPOINT).hostname or ""
    by_proxy = any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"))
    before = constants.HF_HUB_OFFLINE
    if not before and not by_proxy:
        try:
            socket.getaddrinfo(host, 443)
        except OSError:
            constants.HF_HUB_OFFLINE = True
    try:
        with quiet("huggingface_hub"):
            yield
    finally:
        constants.HF_HUB_OFFLINE = before
