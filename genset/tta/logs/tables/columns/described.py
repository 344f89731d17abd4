"""What columns of a table, the same in every row of a run, say of how it was trained."""

import re
from collections.abc import Mapping, Sequence

# What `About` has a place for, by the names that its columns go by.
_ABOUT = {
    "model": ("model", "arch", "architecture", "model_name", "net"),
    "framework": ("framework",),
    "hardware": ("hardware", "gpu", "device_name"),
    "author": ("author", "user"),
}
_ABOUT_OF = {name: field for field, names in _ABOUT.items() for name in names}

# What is the same from a run's beginning to its end: not a learning rate, which follows a
# schedule, and not seeds, paths, times and addresses.
_SETTINGS = {
    "batch_size",
    "global_batch_size",
    "train_batch_size",
    "max_epochs",
    "num_epochs",
    "total_epochs",
    "optimizer",
    "optim",
    "weight_decay",
    "momentum",
    "label_smoothing",
    "warmup_epochs",
    "image_size",
    "img_size",
    "resolution",
    "dataset",
    "precision",
    "amp",
    "world_size",
    "num_gpus",
    "base_lr",
    "max_lr",
    "peak_lr",
}


def describing(names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """The columns that describe a run, each by its name."""
    return tuple(
        (name, at)
        for at, name in enumerate(names)
        if _last(name) in _SETTINGS or _last(name) in _ABOUT_OF
    )


def described(said: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Fields of `About`, and settings, of what is said of a run by name."""
    fields: dict[str, str] = {}
    settings: dict[str, str] = {}
    for name, text in said.items():
        field = _ABOUT_OF.get(_last(name))
        if not text:
            continue
        if field and field not in fields:
            fields[field] = text
        elif not field:
            settings[name] = text
    return fields, settings


def _last(name: str) -> str:
    """A name without the groups before it: ``config/batch_size`` and ``training.batch_size``."""
    return re.sub(r"[ -]+", "_", re.split(r"[./]", name.lower())[-1])
