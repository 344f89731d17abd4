"""The tensors of a checkpoint, wherever they lie in it.

A nested dictionary is read as one more part of a name: what lies in ``state`` under ``model`` under
``conv.weight`` is called ``state.model.conv.weight``. So a place in a checkpoint and a prefix of
names are one thing.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from genset.core.errors import ModelError

# Put in the middle of names where only a part of the network was wrapped.
_WRAPPER = re.compile(
    r"(?<![^.])(module|_orig_mod|_forward_module|_fsdp_wrapped_module|_checkpoint_wrapped_module)\."
)

# torchvision's own files of DenseNets name a layer norm.1 that its code names norm1.
_DENSENET = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")

_DEEPEST = 6  # dictionaries in dictionaries
_MOST = 1_000_000  # names


@dataclass(frozen=True, slots=True)
class Held:
    """The tensors of a checkpoint by their full names, and the dictionary in which each lies."""

    tensors: dict[str, Tensor] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)

    def renamed(self) -> "Held":
        """The same without the names of wrappers; nothing where two names become one."""
        names = {_WRAPPER.sub("", _DENSENET.sub(r"\1\2", name)): name for name in self.tensors}
        if len(names) < len(self.tensors):
            return Held()
        return Held(
            {name: self.tensors[old] for name, old in names.items()},
            {name: _WRAPPER.sub("", self.homes[old]) for name, old in names.items()},
        )


def tensors_in(content: Any) -> Held:
    """The tensors in a checkpoint's dictionaries.

    Raises:
        ModelError: there are none, or far too many.
    """
    held = Held()
    _gather(content, "", held, _DEEPEST)
    if not held.tensors:
        raise ModelError("holds no state_dict")
    return held


def _gather(content: Any, home: str, held: Held, deeper: int) -> None:
    for key, value in content.items() if isinstance(content, dict) else ():
        if not isinstance(key, str):
            continue
        if isinstance(value, Tensor) and not value.is_meta:
            held.tensors[home + key] = value
            held.homes[home + key] = home
        elif deeper:
            _gather(value, f"{home}{key}.", held, deeper - 1)
    if len(held.tensors) > _MOST:
        raise ModelError("holds more weights than any network")
