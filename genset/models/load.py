"""Load what a model spec names: the network, its weights, its own preprocessing."""

import hashlib
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import torch
from torch import Tensor, nn

from genset.classes import Taxonomy
from genset.models.classes import class_order
from genset.models.kinds import kind_of
from genset.models.mapping.pooling import ClassMapping
from genset.models.preprocessing import Preprocessing
from genset.models.spec import ModelSpec, errors_of


def hash_of_weights(weights: Mapping[str, Tensor]) -> str:
    """A sha256 over names, kinds, shapes and values, in the order of the names."""
    digest = hashlib.sha256()
    for key, value in sorted(weights.items()):
        digest.update(f"{key} {value.dtype} {list(value.shape)}\n".encode())
        if value.is_quantized:
            value = value.dequantize()
        values = value.detach().cpu().contiguous().reshape(-1)
        digest.update(values.view(torch.uint8).numpy().tobytes())  # numpy knows no bfloat16
    return f"sha256:{digest.hexdigest()}"


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A network ready to score.

    Attributes:
        spec: what it was loaded from; `arch` is what the network is, wherever its folder lies.
        network: in evaluation mode, float32: N x 3 x H x W in, N x outputs logits out.
        preprocessing: how a photo becomes such an input.
        order: the wnid of each output, "" for one that is no class.
        weights_hash: a sha256 over the weights, whatever file they came in; of a model that comes
            as one file, over that.
        batch: how many photos it takes at once, where that is fixed.
        notes: what to say of it beside its results.
        is_program: it came as a program, whose layers cannot be taken apart.
        onnx: the file, for a model that comes as ONNX, or as OpenVINO's own.
        exports_to_onnx: whether PyTorch can write the network as ONNX.
        salt: makes its runs unlike all others, where it may be another model than that of an
            earlier run; "" for any model that comes from a file.
        identity: what else its answers depend on, beside weights and architecture: part of the key
            of its runs.
        versions: of the packages, beside PyTorch, that its answers depend on.
        device: "cpu", or another device's name, where the network must stay there; "" where it may
            be moved to a GPU.
        mapping: how its outputs meet the classes of the set that it is scored on; None where an
            output stands for its class.
        words: of one that compares photos with texts, on a set of other classes than ImageNet's:
            what each class is called in its sentences.
    """

    spec: ModelSpec
    network: nn.Module
    preprocessing: Preprocessing
    order: tuple[str, ...]
    weights_hash: str = ""
    batch: int | None = None
    notes: list[str] = field(default_factory=list)
    is_program: bool = False
    onnx: Path | None = None
    exports_to_onnx: bool = True
    device: str = ""
    salt: str = ""
    identity: dict[str, object] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    mapping: ClassMapping | None = None
    words: dict[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """What each of its answers stands for: a class's id; "" for no class."""
        return self.mapping.columns if self.mapping else self.order

    @property
    def known(self) -> frozenset[str]:
        """The classes that it can give as an answer, and that photos can be of."""
        return self.mapping.known if self.mapping else frozenset(filter(None, self.order))


@dataclass(frozen=True, slots=True)
class Loading:
    """How models are loaded.

    Attributes:
        allow_code: also those that are code.
        runs: the folder of runs, where what is computed once for all of them is kept too, as the
            features of texts; None: it is computed each time.
        custom: the classes of the set, where they are not ImageNet's: by them a model's own class
            names are understood, and one that compares photos with texts has them.
    """

    allow_code: bool = False
    runs: Path | None = None
    custom: Taxonomy | None = None


Loader = Callable[[ModelSpec, tuple[str, ...], Loading], LoadedModel]
"""Loads a spec of a kind, given the wnid of each output where the spec's file says no other.

It raises what `load_model` does.
"""


def load_model(spec: ModelSpec, how: Loading = Loading()) -> LoadedModel:
    """Load the model that a spec names.

    Args:
        spec: the model's.
        how: what may be loaded, and for which set.

    Raises:
        BadInput: the spec names something that is not there.
        ModelError: the weights do not come, or do not fit.
    """
    order = class_order(spec.classes, spec.background)
    with errors_of(spec.text):
        kind = kind_of(spec.kind)
        assert kind is not None  # since a spec of it was parsed
        load: Loader = resolve_name(kind.loads)
        return load(spec, order, how)


def assembled(model: LoadedModel) -> LoadedModel:
    """A model of what a loader found, ready to score: with what its spec says, and all identity.

    Raises:
        BadInput: the spec asks for a preprocessing that is not possible.
    """
    network, spec = model.network.float().eval(), model.spec
    code = code_of(network, spec.arch.partition(":")[0] if spec.kind == "file" else "")
    # What the spec itself says of its outputs is in a run's key anyway.
    outputs = {"outputs": model.order} if spec.arch and spec.kind != "file" else {}
    arguments = {"model_kwargs": repr(spec.model_kwargs)} if spec.model_kwargs else {}
    return replace(
        model,
        network=network,
        preprocessing=model.preprocessing.changed(spec.preprocessing),
        weights_hash=model.weights_hash or hash_of_weights(network.state_dict()),
        identity={**outputs, **arguments, "code": code, **model.identity},
    )


# The code that a network's answers depend on, beside its weights

_STANDARD = sysconfig.get_path("stdlib")
_INSTALLED = ("site-packages", "dist-packages")  # folders
_NOT_NAMED = ("torch", "genset", "builtins")  # whose versions each run has anyway


def code_of(network: nn.Module, module: str = "") -> dict[str, str]:
    """Versions of the packages that a network's layers are of; hashes of one's own modules.

    Args:
        network: its layers' classes count, and what their modules import of one's own.
        module: that made it, if that is one's own.

    Returns:
        By the names of packages and modules; empty for layers of PyTorch alone.
    """
    names = [module, *(type(layer).__module__ for layer in network.modules())]
    found: dict[str, str] = {}
    while names:
        name = names.pop()
        top = name.partition(".")[0]
        loaded = sys.modules.get(name)
        if loaded is None or name in found or top in _NOT_NAMED:
            continue
        file = getattr(loaded, "__file__", None) or ""
        if not Path(file).is_file() or _is_installed(file):
            found[top] = str(getattr(sys.modules.get(top), "__version__", ""))
            continue
        found[name] = f"sha256:{hashlib.sha256(Path(file).read_bytes()).hexdigest()}"
        names += [used for value in vars(loaded).values() if (used := _local_module_of(value))]
    return dict(sorted(found.items()))


def _local_module_of(value: object) -> str:
    """The module that a name in a module is, or comes from; "" for an installed one."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    file = getattr(sys.modules.get(name) if isinstance(name, str) else None, "__file__", None)
    return str(name) if file and not _is_installed(file) else ""


def _is_installed(file: str) -> bool:
    return file.startswith(_STANDARD) or any(folder in file for folder in _INSTALLED)
