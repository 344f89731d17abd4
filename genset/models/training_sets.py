"""The latest date that a photo of a training set can have, and which sets weights' names say.

``training_sets.csv`` has the dates, with a source for each: when the set's photos were collected
where that is told, else when the set, or the first model of it, was published. Of a range it is
the end. Weights of which the first stage of training is not known have no date.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from genset.core.files import packaged_rows


class TrainingSet(NamedTuple):
    """A set that models are trained on: its date, its source, and the words of weights' names."""

    name: str
    until: str
    words: str
    source: str


_ROWS = packaged_rows(Path(__file__).with_suffix(".csv"))
SETS = {row["name"]: TrainingSet(**row) for row in _ROWS}
KNOWN = {name: known.until for name, known in SETS.items()}
_OF_WORD = {word: known for known in SETS.values() for word in known.words.split()}


def newest_set(kind: str, target: str, weights: str = "") -> TrainingSet | None:
    """The training set with the newest photos that weights' names say.

    >>> newest_set("timm", "convnext_base.clip_laion2b_augreg_ft_in12k_in1k").name
    'laion-5b'
    >>> newest_set("timm", "hf-hub:timm/resnet50.fb_wsl_ig1b_ft_in1k").until
    '2018-05'
    >>> newest_set("timm", "beit3_base_patch16_224.in22k_ft_in1k").name  # its own name tells more
    'cc12m'
    >>> newest_set("timm", "efficientnet_b1.ft_in1k")  # from what, nobody says
    >>> newest_set("timm", "hf-hub:somebody/resnet50.in1k")
    >>> newest_set("file", "resnet50.in1k.pth")
    >>> newest_set("torchvision", "vit_b_16@IMAGENET1K_SWAG_LINEAR_V1").name
    'swag'
    >>> newest_set("openclip", "ViT-B-32", "ViT-B-32-laion2b_s34b_b79k.safetensors").until
    '2022-03'
    >>> newest_set("openclip", "ViT-B-32", "open_clip_pytorch_model.bin")  # as most are called

    Args:
        kind, target: of a spec, with the name of the weights, as in "timm" and
            "convnext_base.clip_laion2b_augreg_ft_in12k_in1k".
        weights: the file of ``openclip:``'s.

    Returns:
        None where nothing is known.
    """
    if kind == "torchvision":  # of which all classifiers are trained on ImageNet
        return _newest(_words(target.partition("@")[2]))
    if kind == "openclip":  # a file named as open_clip names weights: MODEL-TAG, or the tag alone
        named = Path(weights).stem.lower().removeprefix(target.lower())
        return _newest(_words(named)[:1])
    if kind not in ("timm", "hf"):
        return None
    owner, slash, name = target.removeprefix("hf-hub:").rpartition("/")
    if owner in ("laion", "openai"):
        return _newest(_words(f"{owner}-{name}"))
    if owner != "timm" and (slash or kind != "timm"):
        return None
    architecture, _, tag = name.partition(".")
    first_stage, fine_tuned, _ = f"_{tag}".partition("_ft_")
    if fine_tuned and not _OF_WORD.keys() & _words(first_stage):
        return None
    return _newest([*_words(tag), architecture.partition("_")[0]])


def _words(name: str) -> list[str]:
    return re.findall("[a-z0-9]+", name.lower())


def _newest(words: Iterable[str]) -> TrainingSet | None:
    found = (_OF_WORD[word] for word in words if word in _OF_WORD)
    return max(found, key=lambda known: f"{known.until}-12"[:7], default=None)
