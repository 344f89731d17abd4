"""A model's own class names: what its outputs are called, without its weights.

They come from the list that the spec names (`classes=FILE`), the configuration of a folder in
Hugging Face's form (`id2label`, timm's `label_names`), torchvision's notes on its weights, or
timm's lists of ImageNet's 21,841 classes and of parts of them.
"""

from typing import NamedTuple

from genset.classes import imagenet1k
from genset.classes.classes import is_wnid
from genset.core.errors import BadInput
from genset.models.classes import BACKGROUND, class_order, timm_list
from genset.models.huggingface.folder import open_folder
from genset.models.huggingface.labels import as_a_whole, is_none, match_labels, tidy
from genset.models.kinds.architectures import weights_enum
from genset.models.spec import ModelSpec, errors_of


class OutputName(NamedTuple):
    """An output: the name that a class of it gets, and what the model itself calls it."""

    name: str
    output: str


def class_names(spec: ModelSpec) -> list[OutputName]:
    """What a model's outputs are called, in their order, without those that are no class.

    Names that are ImageNet's 1,000, some of them, or one of timm's larger lists, are given by their
    wnids. Outputs that share a name are one.

    Raises:
        BadInput: the model does not say it.
        ModelError: its configuration cannot be fetched.
    """
    if spec.classes:
        order = class_order(spec.classes, spec.background)
        return [OutputName(wnid, wnid) for wnid in order if wnid != BACKGROUND]
    with errors_of(spec.text):
        names = _NAMES.get(spec.kind, _none)(spec)
    if spec.background is not None and spec.background < len(names):
        del names[spec.background]
    names = [tidy(name) for name in names if not is_none(name)]
    if whole := as_a_whole(names):
        return [OutputName(wnid, wnid) for wnid in whole]
    names = list(dict.fromkeys(filter(None, names)))
    return list(map(OutputName, _wnids_of(names) or names, names))


def _wnids_of(names: list[str]) -> list[str]:
    """The wnids of names that are some of ImageNet's 1,000; none where they are not."""
    if all(map(is_wnid, names)) or all(name.isdigit() for name in names):
        return []
    try:
        matched = match_labels(names)
    except BadInput:
        return []
    return [] if matched.selected else list(matched.order)


def _none(spec: ModelSpec) -> list[str]:
    raise BadInput(
        "does not say what its outputs are called: list them in a file, one a "
        'line below "# not ImageNet", and name it by classes=FILE'
    )


def _of_torchvision(spec: ModelSpec) -> list[str]:
    name, _, tag = spec.target.partition("@")
    members = weights_enum(name).__members__
    weights = members.get(tag or "DEFAULT")
    if weights is None:
        raise BadInput(f"{name} has no weights {tag}")
    return [str(category) for category in weights.meta["categories"]]


def _of_timm(spec: ModelSpec) -> list[str]:
    from timm.models import get_pretrained_cfg

    if ":" in spec.target:
        return _none(spec)
    try:
        config = get_pretrained_cfg(spec.target, allow_unregistered=False)
    except RuntimeError:  # it has no such tag
        config = None
    if config is None:
        raise BadInput("timm has no weights of that name")
    if config.label_names:
        return [str(name) for name in config.label_names]
    sorted_order = class_order() if config.num_classes == len(imagenet1k()) else None
    return list(sorted_order or timm_list(config.num_classes) or _none(spec))


def _of_folder(spec: ModelSpec) -> list[str]:
    folder = open_folder(spec)
    if names := folder.labels():
        return _none(spec) if all(name.startswith("LABEL_") for name in names) else names
    if folder.is_of_timm and folder.config.get("num_classes") == len(imagenet1k()):
        return [cls.wnid for cls in imagenet1k()]
    return _none(spec)


_NAMES = {"torchvision": _of_torchvision, "timm": _of_timm, "hf": _of_folder}
