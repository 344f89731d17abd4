"""transformers' image classifiers: a folder to a network that gives logits."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from PIL import Image
from torch import Tensor, nn

from genset.classes import Taxonomy
from genset.core.errors import BadInput, ModelError, first_line
from genset.core.numbers import count
from genset.core.safe import clean
from genset.models.checkpoints.read import why_unread
from genset.models.huggingface.folder import ModelFolder
from genset.models.huggingface.labels import LabelMatch, match_labels, order_on
from genset.models.load import Parts
from genset.models.preprocessing import Geometry, Preprocessing, as_geometry
from genset.models.spec import ModelSpec

_FILES = ("preprocessor_config.json", "processor_config.json")


def processor_of(folder: ModelFolder, transformers: Any) -> Any:
    """The folder's own image processor.

    Raises:
        BadInput: there is none, or it cannot be read.
    """
    if not any((folder.path / name).is_file() for name in _FILES):
        raise BadInput(
            f"{folder.path} has no {_FILES[0]}, which says how it wants "
            "photos; copy it from where the model is from"
        )
    try:
        return transformers.AutoImageProcessor.from_pretrained(
            str(folder.path), backend="pil", trust_remote_code=False, local_files_only=True
        )
    except Exception as error:  # noqa: BLE001 - transformers raises what it likes
        reason = first_line(error)
        raise BadInput(f"its processor cannot be read: {reason}") from None


def preprocessing_of(processor: Any) -> Preprocessing:
    """What a processor does to a photo.

    Raises:
        BadInput: it fails, or gives no square of a fixed size.
    """
    call = ProcessorCall.of(processor)
    return as_geometry(call, call.identity, _candidates(processor))


@dataclass(frozen=True, slots=True)
class ProcessorCall:
    """A processor that is called with one photo; `identity` is a hash over its settings.

    Two with the same settings are the same.
    """

    processor: Any = field(compare=False)
    identity: str

    @classmethod
    def of(cls, processor: Any) -> "ProcessorCall":
        """Take a processor."""
        settings = json.dumps(processor.to_dict(), sort_keys=True, default=str)
        return cls(processor, f"sha256:{hashlib.sha256(settings.encode()).hexdigest()}")

    def __call__(self, photo: Image.Image) -> Any:
        """Channels x height x width."""
        return self.processor(images=photo, return_tensors="pt")["pixel_values"][0]

    def __repr__(self) -> str:
        return f"transformers.{type(self.processor).__name__.removesuffix('Pil')}"


def _candidates(processor: Any) -> Iterator[Preprocessing]:
    """What the settings may mean: a crop of a shorter side, or both sides resized."""
    try:
        mean, std = _normalization(processor)
        size = _sides(processor.size)
        crop = _sides(getattr(processor, "crop_size", None)).get("height")
        name = Image.Resampling(int(processor.resample)).name.lower()
    except (AttributeError, TypeError, ValueError, ZeroDivisionError):
        return
    shorter, high = size.get("shortest_edge"), size.get("height")
    share = getattr(processor, "crop_pct", None) or 1
    sides = [shorter, int(shorter / share), int(shorter * 256 / 224)] if shorter else []
    found = [
        ("shorter" if shorter else "both", side, square)
        for square in dict.fromkeys((crop, shorter, high))
        for side in (*sides, *((high,) if high else ()))
        if square and side >= square
    ]
    found += [("both", shorter, shorter)] if shorter else []
    for fit, side, square in dict.fromkeys(found):
        whole = fit == "both" and side == square  # then nothing is cut off
        yield Preprocessing(Geometry(side, square, name, fit, floored=not whole), mean, std)


def _sides(size: Any) -> dict[str, int]:
    """The sizes that are set, by their names."""
    return {key: int(value) for key, value in dict(size or {}).items() if value}


def _normalization(processor: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of values from 0 to 1."""
    factor = processor.rescale_factor if processor.do_rescale else 1.0
    offset = 1.0 if processor.do_rescale and getattr(processor, "rescale_offset", False) else 0.0
    mean, std = _three(0), _three(1)
    if processor.do_normalize:
        mean, std = _three(processor.image_mean), _three(processor.image_std)
    scale = 1.0 if isclose(factor * 255, 1) else factor * 255
    # What is normalized is value * scale - offset, for a value from 0 to 1.
    return tuple((value + offset) / scale for value in mean), tuple(value / scale for value in std)


def _three(value: Any) -> tuple[float, ...]:
    return tuple(map(float, value)) if isinstance(value, (list, tuple)) else (float(value),) * 3


class Classifier(nn.Module):
    """One of transformers' classifiers: N x 3 x H x W in, N x outputs logits out."""

    def __init__(self, classifier: Any, outputs: tuple[int, ...] | None = None) -> None:
        """Take a classifier.

        Args:
            classifier: transformers' own.
            outputs: the outputs that are given, by number; None: all.
        """
        super().__init__()
        self.classifier = classifier
        self.selected = outputs

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits for normalized pixels."""
        logits: Tensor = self.classifier(pixel_values=pixels).logits
        return logits if self.selected is None else logits[:, list(self.selected)]


def load_classifier(
    spec: ModelSpec,
    folder: ModelFolder,
    order: tuple[str, ...] | None,
    custom: Taxonomy | None,
    transformers: Any,
) -> Parts:
    """The parts of an image classifier.

    Args:
        spec: the model's.
        folder: where it lies.
        order: what its outputs are, if the spec says so; None: its labels say it.
        custom: the classes of the set, where they are not ImageNet's.
        transformers: the package.

    Raises:
        BadInput: it is none, or its labels do not say what the outputs are.
        ModelError: the weights are not there or do not fit.
    """
    if spec.texts:
        raise BadInput(
            f"it is a classifier, with classes of its own: "
            f"{', '.join(spec.texts)} is for models that compare photos with texts"
        )
    matched = LabelMatch(order) if order is not None else _by_labels(spec, folder, custom)
    auto = transformers.AutoModelForImageClassification
    classifier, notes = load_weights(spec, folder, auto)
    return Parts(
        network=Classifier(classifier, matched.selected),
        preprocessing=preprocessing_of(processor_of(folder, transformers)),
        order=matched.order,
        architecture=folder.architecture,
        notes=[*notes, *filter(None, [matched.note])],
        packages=("transformers",),
    )


def load_weights(spec: ModelSpec, folder: ModelFolder, auto: Any) -> tuple[Any, list[str]]:
    """The folder's network with its weights, in float32; and what to note of it.

    Args:
        spec: the model's.
        folder: where it lies.
        auto: the class of transformers' that opens it.

    Raises:
        BadInput: it is no such model.
        ModelError: weights are missing, of another shape, or no weights alone.
    """
    try:
        network, info = auto.from_pretrained(
            str(folder.path),
            trust_remote_code=False,
            local_files_only=True,
            use_safetensors=folder.is_safe,
            weights_only=True,  # a pickle that wants more than weights is refused
            dtype="float32",
            ignore_mismatched_sizes=True,  # they are named, and refused, below
            output_loading_info=True,
        )
    except Exception as error:  # noqa: BLE001 - transformers raises what it likes
        reason = clean(first_line(error), 300)
        if reason.startswith("Unrecognized configuration class"):
            kind = folder.kind or "model of no kind that transformers knows"
            raise BadInput(f"a {kind} classifies no photos") from None
        # Of a pickle torch says how to run it all the same, which a stranger's file should not get.
        reason = (not folder.is_safe and why_unread(folder.path)) or reason
        raise ModelError(f"cannot be loaded: {reason}") from None
    missing, wrong = sorted(info["missing_keys"]), [key[0] for key in info["mismatched_keys"]]
    if missing or wrong:  # transformers would put random ones in their place
        named = ", ".join((missing or wrong)[:3]) + (", ..." if len(missing or wrong) > 3 else "")
        what = "missing" if missing else "of another shape"
        weights = count(len(missing or wrong), "of its weights is", "of its weights are")
        raise ModelError(f"{weights} {what} ({named})")
    notes = []
    if unused := sorted(info["unexpected_keys"]):
        weights = count(len(unused), "weight of its folder has", "weights of its folder have")
        notes.append(f"{weights} no place in it ({unused[0]}).")
    return network, notes


def _by_labels(spec: ModelSpec, folder: ModelFolder, custom: Taxonomy | None) -> LabelMatch:
    ordered = folder.labels()
    if not ordered:
        raise BadInput(
            "its config.json has no id2label; say what its outputs stand for with classes=FILE, or "
            "classes=imagenet1k for ImageNet's 1,000 in sorted order"
        )
    background = spec.background
    if background is not None:
        if background >= len(ordered):
            raise BadInput(f"it has no output {background}")
        ordered[background] = "background"
    return match_labels(ordered) if custom is None else LabelMatch(order_on(ordered, custom))
