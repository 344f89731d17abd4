"""What trainers keep beside the weights and is data, by the names under which it is pickled.

None of it is imported or built: for each name torch's restricted unpickler is given an empty
stand-in. So a checkpoint can be read that holds the options of a library which is not installed,
and the objects of numpy and of pathlib, some of which no machine can build, are never made.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any


class Aside:
    """Stands for an object that is no weight. It takes any arguments and keeps none of them."""

    def __new__(cls, *given: object) -> "Aside":
        return super().__new__(cls)

    def __setstate__(self, state: object) -> None:
        """Drop what the object held."""


class AsideDict:
    """Stands for a kind of dict, whose entries may be weights: torch fills an OrderedDict."""

    def __new__(cls, *given: object) -> Any:
        return OrderedDict()


class AsideList:
    """Stands for a kind of list, which torch fills entry by entry: a list."""

    def __new__(cls, *given: object) -> Any:
        return []


_PATHS = ("Path", "PurePath", "PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath")
_NUMBERS = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 str_"
_NODES = "Any String Integer Float Boolean Bytes Path Enum"

# Each with its module, as in a pickle, which names Python 2's modules and torch translates them.
_OBJECTS = {
    "argparse": ("Namespace",),
    "types": ("SimpleNamespace",),
    # As the types of options, and as what a defaultdict makes.
    "builtins": (
        "bool",
        "int",
        "float",
        "str",
        "bytes",
        "list",
        "tuple",
        "dict",
        "frozenset",
        "range",
    ),
    "datetime": ("date", "datetime", "time", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "uuid": ("UUID",),
    "typing": ("Any",),
    "pathlib": _PATHS,
    "pathlib._local": _PATHS,  # Python 3.13
    "numpy": ("dtype", "ndarray", *_NUMBERS.split()),
    "numpy.core.multiarray": ("scalar", "_reconstruct"),
    "numpy._core.multiarray": ("scalar", "_reconstruct"),  # numpy 2
    "torch.torch_version": ("TorchVersion",),
    "torchvision.transforms.functional": ("InterpolationMode",),
    "omegaconf.dictconfig": ("DictConfig",),
    "omegaconf.listconfig": ("ListConfig",),
    "omegaconf.base": ("Metadata", "ContainerMetadata", "UnionNode"),
    "omegaconf.nodes": tuple(f"{kind}Node" for kind in _NODES.split()),
    # Before 1.5, Lightning kept the state of each callback under its class.
    "pytorch_lightning.callbacks.model_checkpoint": ("ModelCheckpoint",),
    "pytorch_lightning.callbacks.early_stopping": ("EarlyStopping",),
}
_DICTS = {
    "collections": ("defaultdict",),
    "lightning.fabric.utilities.data": ("AttributeDict",),
    "lightning.pytorch.utilities.parsing": ("AttributeDict",),
    "lightning_fabric.utilities.data": ("AttributeDict",),
    "pytorch_lightning.utilities.parsing": ("AttributeDict",),
    "yacs.config": ("CfgNode",),
    "fvcore.common.config": ("CfgNode",),
    "easydict": ("EasyDict",),
}
_LISTS = {"collections": ("deque",)}

# For `torch.serialization.safe_globals`: a stand-in and the name that it stands for.
STAND_INS: list[Callable[..., Any] | tuple[Callable[..., Any], str]] = [
    (stand_in, f"{module}.{name}")
    for stand_in, modules in ((Aside, _OBJECTS), (AsideDict, _DICTS), (AsideList, _LISTS))
    for module, names in modules.items()
    for name in names
]
