"""A folder's own processor: genset's pixels are its pixels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from PIL import Image

from genset.models.huggingface.processor import preprocessing_of
from genset.models.preprocessing import CustomTransform
from genset.score.pixels import crops

EDGE: dict[str, Any] = {"size": {"shortest_edge": 40}}
CROP: dict[str, Any] = {"crop_size": {"height": 32, "width": 32}}
SQUARE: dict[str, Any] = {"size": {"height": 32, "width": 32}}


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("photos")
    found = []
    for number, (width, height) in enumerate([(120, 91), (77, 130), (33, 64), (300, 45), (20, 20)]):
        small = np.random.default_rng(number).integers(0, 256, (9, 12, 3), np.uint8)
        found.append(folder / f"{number}.jpg")
        Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC).save(found[-1])
    return found


@pytest.mark.parametrize(
    ("kind", "settings", "mapped"),
    [
        ("ViT", SQUARE, True),
        ("ViT", {**SQUARE, "do_normalize": False}, True),
        ("ViT", {**SQUARE, "rescale_factor": 1 / 127.5, "image_mean": 1.0, "image_std": 1.0}, True),
        ("DeiT", {**EDGE, **CROP}, True),
        ("CLIP", {**EDGE, **CROP}, True),
        ("CLIP", {"size": {"shortest_edge": 45}, **CROP}, True),  # an odd pixel is cut off
        ("Siglip", SQUARE, True),
        ("Bit", {**EDGE, **CROP, "resample": 1}, True),
        ("ConvNext", {"size": {"shortest_edge": 32}, "crop_pct": 0.9}, True),
        ("ConvNext", {"size": {"shortest_edge": 384}}, True),
        ("Levit", {"size": {"shortest_edge": 35}, **CROP}, True),
        ("EfficientNet", {**SQUARE, "do_center_crop": False}, False),  # normalizes twice
        ("MobileViT", {**EDGE, **CROP}, False),  # blue, green, red
        ("CLIP", {"size": {"shortest_edge": 24}, **CROP}, False),  # fills up with black
    ],
)
def test_genset_gives_what_the_processor_gives(
    photos: list[Path], kind: str, settings: dict[str, Any], mapped: bool
) -> None:
    processor = getattr(transformers, f"{kind}ImageProcessorPil")(**settings)
    preprocessing = preprocessing_of(processor)
    assert isinstance(preprocessing.geometry, CustomTransform) is not mapped
    for path in photos:
        (given,) = crops(path, [preprocessing.geometry])
        if mapped:
            assert given.dtype == np.uint8
            given = (given / 255 - np.array(preprocessing.mean)) / np.array(preprocessing.std)
            given = given.transpose(2, 0, 1)
        with Image.open(path) as photo:
            expected = processor(images=photo, return_tensors="np")["pixel_values"][0]
        assert np.abs(given - expected).max() < 1e-5  # of one pixel's value: 0.015
