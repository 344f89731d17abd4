"""What a caller has in memory, scored in this process: a network, a pipeline, a function.

A run of it is found again only where all that it does is known: its weights, the code of its
layers, its answer to one input, and its transform.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from genset.comparison.evaluated import Evaluation
from genset.core.errors import BadInput, GensetError, PhotoRejected, first_line
from genset.models.classes import class_order
from genset.models.huggingface.labels import LabelMatch, match_outputs
from genset.models.huggingface.load import Classifier
from genset.models.huggingface.processor import preprocessing_of as preprocessing_of_processor
from genset.models.kinds.architectures import size_notes, timm_preprocessing
from genset.models.load import LoadedModel, code_of, hash_of_weights
from genset.models.preprocessing import (
    CustomTransform,
    Geometry,
    Preprocessing,
    identity_of,
    numbers_of,
)
from genset.models.spec import ModelSpec
from genset.score.options import ScoringOptions
from genset.score.pixels import opened
from genset.score.plan import ScoringPlan
from genset.score.results.runs import run_folder
from genset.score.score import score_models
from genset.score.workers.executor import InProcess
from genset.sets.photos import PhotoSet

_DOUBLE = "The network runs in float64."
_HIGHEST = 20  # of values that are normalized, or from 0 to 1; photos as they are have 255


def model_in_memory(
    photos: PhotoSet,
    model: Any,
    transform: Callable[[Any], Any] | None,
    name: str,
    classes: Sequence[str] | None,
) -> LoadedModel:
    """Take what a caller has for a model, as it is: on its device, in its precision.

    Args:
        photos: the set; a transform is tried on the first that can be read.
        model: a network, N x 3 x H x W to N x classes scores; a pipeline of transformers' for image
            classification; or a function from an RGB image of Pillow's to a score for each class.
        transform: from such an image to 3 x H x W; None: the model's own, if it has one.
        name: in tables; "": the name of its class, and its run is like no other.
        classes: what each output stands for; None: ImageNet's 1,000 classes, or a pipeline's own.

    Raises:
        BadInput: it is none of these, the set only lists photos, nothing says how photos are
            prepared, a class is there twice, or the weights cannot be read.
        GensetError: no photo can be read.
    """
    network, preprocessing, order = _taken(photos, model, transform, tuple(map(str, classes or ())))
    named = model.model if isinstance(network, Classifier) else model
    title = name or getattr(named, "__name__", type(named).__name__)
    weight = next(network.parameters(), None)
    try:
        weights_hash = hash_of_weights(_weights(network))
    except Exception as error:  # noqa: BLE001 - of lazy and meta tensors, torch raises what it likes
        raise BadInput(f"the model's weights cannot be read: {first_line(error)}") from None
    geometry, code = preprocessing.geometry, code_of(network)
    # A notebook's classes have no file that says what they do.
    known = bool(getattr(geometry, "identity", "known")) and code.get("__main__") != ""
    spec = ModelSpec(title, "memory", title, "", title, classes="" if classes is None else "given")
    double = weight is not None and weight.dtype == torch.float64
    notes = [_DOUBLE] * double + _range_notes(geometry if transform else None, photos)
    if _is_of_timm(network) and transform is None:
        notes += size_notes(replace(spec, kind="timm"), network, preprocessing)
    return LoadedModel(
        spec=spec,
        network=network,
        preprocessing=preprocessing,
        weights_hash=weights_hash,
        order=order,
        notes=notes,
        exports_to_onnx=False,
        device="cpu" if weight is None else str(weight.device),
        salt="" if name and known else uuid4().hex,
        identity={"code": code, "probe": _probe(network, geometry)},
    )


def _range_notes(geometry: Geometry | None, photos: PhotoSet) -> list[str]:
    """A remark on a transform that leaves photos as they are, or none."""
    if not isinstance(geometry, CustomTransform):
        return []
    highest = float(numbers_of(geometry.function(_first(photos)[1])).max())
    unscaled = f"The transform gives values up to {highest:.0f}: does the network expect them?"
    return [unscaled] * (highest > _HIGHEST)


def _taken(
    photos: PhotoSet,
    model: Any,
    transform: Callable[[Any], Any] | None,
    order: tuple[str, ...],
) -> tuple[nn.Module, Preprocessing, tuple[str, ...]]:
    """The network of what a caller has, how it wants photos, and what its outputs stand for."""
    if photos.listed:
        raise BadInput(f"{photos.name} lists photos that are not here: only predictions= count")
    if len(set(order)) < len(order):
        raise BadInput("classes= names a class twice")
    if getattr(model, "task", "") == "image-classification" and hasattr(model, "image_processor"):
        prepared = preprocessing_of_processor(transform or model.image_processor)
        labels = [label for _, label in sorted(model.model.config.id2label.items())]
        matched = LabelMatch(order) if order else match_outputs(labels, photos.custom_taxonomy)
        return Classifier(model.model, matched.selected), prepared, matched.order
    if isinstance(model, nn.Module):
        return model, _preprocessing_of(model, transform, photos), order or class_order()
    if callable(model) and transform is None:
        prepared = _custom(_as_transform(model), photos, "the function")
        return nn.Flatten(), prepared, order or class_order()
    raise BadInput(
        "a model is a torch.nn.Module, a spec, as in 'torchvision:resnet50', a pipeline, or a "
        f"function from a photo to scores, without a transform=; not a {type(model).__name__}"
    )


def _probe(network: nn.Module, geometry: Geometry) -> str:
    """A hash of a network's answer to one input, by which other code shows; "" where it fails."""
    shape = geometry.shape if isinstance(geometry, CustomTransform) else geometry.shape[::-1]
    weight = next(network.parameters(), torch.empty(0))
    values = torch.linspace(-2, 2, int(np.prod(shape))).reshape(1, *shape).to(weight)
    try:
        with _as_it_was(network), torch.inference_mode():
            answer = network(values)
        while not isinstance(answer, Tensor):
            answer = next(iter(answer.values() if hasattr(answer, "values") else answer))
        rounded = [f"{value:.3g}" for value in answer.flatten().tolist()]
    except Exception:  # noqa: BLE001 - what is wrong with it is said when it is scored
        return ""
    return hashlib.sha256(" ".join(rounded).encode()).hexdigest()


def score_in_memory(
    photos: PhotoSet, model: LoadedModel, runs: Path | None, options: ScoringOptions
) -> Evaluation:
    """Score a network in memory.

    Args:
        photos: the set.
        model: of `model_in_memory`.
        runs: the folder where its run is kept and looked for; None: it is not kept.
        options: how it is scored.

    Raises:
        BadInput: the options are for models that are loaded.
        ModelError: the network fails.
        GensetError: no photo can be read, or the run cannot be written.
    """
    if options.engine not in ("auto", "torch") or options.cluster:
        raise BadInput(
            "a network in memory is run by PyTorch in this process: leave out engine= and cluster="
        )
    types = (weight.dtype for weight in model.network.parameters() if weight.is_floating_point())
    names = {torch.bfloat16: "bf16", torch.float16: "fp16"}
    # Of half precision, it runs in that whatever is said.
    native = names.get(next(types, torch.float32), "float32")
    precision = options.precision if native == "float32" else native
    options = replace(options, engine="torch", precision=precision)
    with _as_it_was(model.network):
        if runs is not None:
            return _score(photos, model, runs, options)
        with TemporaryDirectory(prefix="genset-") as folder:
            found = _score(photos, model, Path(folder), options)
            return Evaluation(found.record, photos, None, list(found.predictions))


def _first(photos: PhotoSet) -> tuple[str, Image.Image]:
    """The first photo that can be read, and its id."""
    for photo in photos.photos:
        try:
            return photo.id, opened(photo)
        except PhotoRejected:
            continue
    raise GensetError(f"not one photo of {photos.name} can be read")


def _score(photos: PhotoSet, model: LoadedModel, runs: Path, options: ScoringOptions) -> Evaluation:
    plan = ScoringPlan(photos, runs, options, InProcess(options.workers))
    (found,) = score_models(plan, [model])
    if isinstance(found, GensetError):
        raise found
    folder = run_folder(runs, photos.name, found.model, found.key)
    return Evaluation(found, photos, folder)


@contextmanager
def _as_it_was(network: nn.Module) -> Iterator[None]:
    """Have the network in evaluation mode; put back what that changed."""
    modes = [(module, module.training) for module in network.modules()]
    network.eval()
    try:
        yield
    finally:
        for layer, training in modes:
            layer.training = training


def _weights(network: nn.Module) -> dict[str, Tensor]:
    """All tensors of a network: also buffers that are not saved, and what quantized layers pack."""
    found: dict[str, Tensor] = dict(network.named_buffers())
    for name, value in network.state_dict().items():
        parts = value if isinstance(value, (tuple, list)) else [value]
        tensors = [part for part in parts if isinstance(part, Tensor)]
        found |= {f"{name}.{n}" if n else name: part for n, part in enumerate(tensors)}
    return found


def _preprocessing_of(
    network: nn.Module, transform: Callable[[Any], Any] | None, photos: PhotoSet
) -> Preprocessing:
    """How a caller's transform, or the network itself, wants photos.

    torchvision's presets and timm's own settings are read; any other transform is called.

    Raises:
        BadInput: nothing says how, or the transform fails.
        GensetError: no photo can be read.
    """
    if transform is None:
        if _is_of_timm(network):
            return timm_preprocessing(network)
        raise BadInput(
            "evaluate needs the model's transform=, from a photo to 3 x H x W: the wrong one "
            "costs points of accuracy. With torchvision's weights it is weights.transforms()"
        )
    if type(transform).__name__ == "ImageClassification" and getattr(transform, "antialias", False):
        return Preprocessing.of_torchvision(transform)
    return _custom(transform, photos, "the transform")


def _is_of_timm(network: nn.Module) -> bool:
    return type(network).__module__.startswith("timm.") and hasattr(network, "pretrained_cfg")


def _custom(function: Callable[[Any], Any], photos: PhotoSet, what: str) -> Preprocessing:
    """A function of the caller's, tried on a photo."""
    id, photo = _first(photos)
    try:
        sample = function(photo)
    except Exception as error:  # noqa: BLE001 - it is the caller's own code
        raise BadInput(f"{what} fails on {id}: {first_line(error)}") from None
    shape = numbers_of(sample).shape
    identity = identity_of(function)
    return Preprocessing(
        CustomTransform(
            resize=shape[1], crop=shape[2], function=function, shape=shape, identity=identity
        )
    )


def _as_transform(function: Callable[[Image.Image], Any]) -> Callable[[Image.Image], Any]:
    """A function from photos to scores, as a transform: the network has nothing left to do."""

    def scores(photo: Image.Image) -> NDArray[np.float32]:
        found = function(photo)
        try:
            found = found.detach().cpu() if hasattr(found, "detach") else found
            return np.asarray(found, np.float32).reshape(1, 1, -1)
        except (TypeError, ValueError):
            raise BadInput(f"it gives {found!r:.60}, not a score for each class") from None

    return scores
