"""A folder's image processor, and what it does to a photo."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import isclose
from typing import Any

from PIL import Image

from genset.core.errors import BadInput, first_line
from genset.models.huggingface.folder import ModelFolder
from genset.models.preprocessing import Geometry, Preprocessing, as_geometry

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
        sizes, crops = _sides(processor.size), _sides(getattr(processor, "crop_size", None))
        share = getattr(processor, "crop_pct", None) or 1
        larger = [int(side * by) for side in sizes for by in (1 / share, 256 / 224)]
        name = Image.Resampling(int(processor.resample)).name.lower()
    except (AttributeError, TypeError, ValueError, ZeroDivisionError):
        return
    for fit, side, square in product(("shorter", "both"), [*sizes, *larger], [*crops, *sizes]):
        if side >= square:
            whole = fit == "both" and side == square  # then nothing is cut off
            yield Preprocessing(Geometry(side, square, name, fit, floored=not whole), mean, std)


def _sides(size: Any) -> list[int]:
    """The sizes that are set."""
    return [int(value) for value in dict(size or {}).values() if value]


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
