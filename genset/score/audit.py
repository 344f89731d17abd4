"""Is a model's declared preprocessing the one it was trained with? Try others on a sample."""

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import ModelError, PhotoRejected
from genset.core.numbers import count
from genset.models.load import LoadedModel
from genset.models.preprocessing import CustomTransform, Pixels, Preprocessing
from genset.models.spec import parse_preprocessing
from genset.score.engines.runner import Runner
from genset.score.engines.select import SelectedEngine
from genset.score.pixels import crops
from genset.sets.photos import PhotoSet
from genset.statistics.paired import exact_mcnemar

_PHOTOS = 400
_BATCH = 8

# Another preprocessing is clearly better if so many points of accuracy, which chance would give so
# rarely among all that are tried.
_POINTS = 0.02
_CHANCE = 0.05

_NORMALIZATIONS = (
    "mean=0.485,0.456,0.406&std=0.229,0.224,0.225",
    "mean=0.5&std=0.5",
    "mean=0&std=1",
)
_SHARES = (0.875, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """A preprocessing: what it changes, as options of a spec, and how many photos it gets right."""

    options: str
    correct: int
    p_value: float


@dataclass(frozen=True, slots=True)
class Audit:
    """What was tried on a sample of so many photos.

    Attributes:
        model: its name.
        photos: how many photos the sample has.
        correct: how many the declared preprocessing gets right.
        tried: the others.
        better: the best of those that are clearly better, if any is.
    """

    model: str
    photos: int
    correct: int
    tried: tuple[Trial, ...]
    better: Trial | None

    def __str__(self) -> str:
        """One line."""
        declared = (
            f"{self.model}: of {count(self.photos, 'photo')}, its preprocessing gets {self.correct}"
        )
        if self.better is None:
            return f"{declared} right; none of {len(self.tried)} others is clearly better"
        return (
            f"{declared} right, and {self.better.options} gets {self.better.correct} "
            f"(p = {self.better.p_value:.2g}): its preprocessing is probably wrong"
        )


def audit(model: LoadedModel, photos: PhotoSet) -> Audit:
    """Score a sample of the set with the declared preprocessing and with other plausible ones.

    Others differ in one thing: the normalization, the interpolation, or how much is cut off. The
    sample is every n-th photo of a class that the model has. One that is better is judged by
    McNemar's exact test, with as many tests allowed for (Bonferroni).

    Raises:
        ModelError: the network fails, or no photo of the sample can be read.
    """
    known = {wnid: place for place, wnid in enumerate(model.columns) if wnid in model.known}
    countable = [photo for photo in photos.photos if photo.wnid in known]
    sample = countable[:: max(1, ceil(len(countable) / _PHOTOS))]
    variants = {"": model.preprocessing, **_variants(model.preprocessing)}
    geometries = list(dict.fromkeys(variant.geometry for variant in variants.values()))
    found: list[list[Pixels]] = []
    truth = []
    for photo in sample:
        try:
            found.append(crops(photo, geometries))
        except PhotoRejected:
            continue
        truth.append(known[photo.wnid])
    if not found:
        raise ModelError(f"model {model.spec.text!r}: no photo of the sample can be read")
    right: dict[str, NDArray[np.bool_]] = {}
    for options, preprocessing in variants.items():
        number = geometries.index(preprocessing.geometry)
        pixels = np.stack([pixels_of[number] for pixels_of in found])
        best = _best(replace(model, preprocessing=preprocessing), pixels)
        right[options] = best == np.array(truth)
    declared = right.pop("")
    tried = []
    for options, found_right in right.items():
        alone, lost = int((found_right & ~declared).sum()), int((declared & ~found_right).sum())
        tried.append(Trial(options, int(found_right.sum()), exact_mcnemar(alone, lost)))
    clearly = [
        trial
        for trial in tried
        if trial.correct >= declared.sum() + _POINTS * len(truth)
        and trial.p_value * len(tried) < _CHANCE
    ]
    return Audit(
        model=model.spec.name,
        photos=len(truth),
        correct=int(declared.sum()),
        tried=tuple(tried),
        better=max(clearly, key=lambda trial: trial.correct, default=None),
    )


def _variants(declared: Preprocessing) -> dict[str, Preprocessing]:
    """Other preprocessings, by the options that give them; none that is the declared one."""
    if isinstance(declared.geometry, CustomTransform):  # used as it is, normalization and all
        return {}
    crop = declared.geometry.crop
    options = [
        *_NORMALIZATIONS,
        "interpolation=bicubic",
        "interpolation=bilinear",
        *(f"resize={round(crop / share)}" for share in _SHARES),
    ]
    changed = {option: declared.changed(parse_preprocessing(option)) for option in options}
    return {option: other for option, other in changed.items() if other != declared}


def _best(model: LoadedModel, pixels: Pixels) -> NDArray[np.int64]:
    scores = Runner(model, SelectedEngine("torch"), "float32", _BATCH).launch(pixels)()
    best: NDArray[np.int64] = (model.mapping.shares(scores) if model.mapping else scores).argmax(1)
    return best
