"""Read a checkpoint's file, or a folder's, without running anything that it holds."""

import json
import pickle
import re
import struct
import tarfile
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from genset.core.errors import BadInput, ModelError
from genset.core.numbers import count
from genset.core.safe import clean

SAVE = "save it with torch.save(model.state_dict(), PATH)"
AGAIN = "copy or download it again"

# What is wrong, and its mend, by how a file begins.
_BEGINNINGS = {
    b"version https://git-lfs": (
        "it is Git LFS's pointer to the file",
        "fetch the file itself with git lfs pull",
    ),
    b"\x1f\x8b": ("it is packed with gzip", "unpack it with gunzip"),
    b"BZh": ("it is packed with bzip2", "unpack it with bunzip2"),
    b"\xfd7zXZ": ("it is packed with xz", "unpack it with unxz"),
    b"\x28\xb5\x2f\xfd": ("it is packed with zstd", "unpack it with unzstd"),
    b"\x93NUMPY": ("it is an array of numpy", SAVE),
    b"\x89HDF": ("it is HDF5, as Keras writes it", "convert it to PyTorch first"),
}
_WEB = (b"<!doctype", b"<html", b"<head", b"<?xml")

# torch.export's archives hold one of these, in a folder or not.
_OF_EXPORT = {"archive_format", "serialized_exported_program.json"}


def what_else(path: Path) -> tuple[str, str] | None:
    """What is wrong with a file, and its mend; None where it may well be torch.save's.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(512)
    if not head:
        return "it is empty", AGAIN
    for beginning, problem in _BEGINNINGS.items():
        if head.startswith(beginning):
            return problem
    if head.lstrip().lower().startswith(_WEB):
        return "it is a web page", "download the file itself"
    if head.startswith(b"PK"):
        return _zip(path)
    if tarfile.is_tarfile(path):
        return "it is a tar archive", "unpack it"
    return None


def _zip(path: Path) -> tuple[str, str] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return "it is cut off or damaged", AGAIN
    names = [entry.filename for entry in entries]
    inner = {name.partition("/")[2] for name in names}
    if "constants.pkl" in inner:
        return "it is TorchScript", "name it torchscript:PATH"
    if "data.pkl" not in inner:
        if any(name.endswith(".npy") for name in names):
            return "it is an archive of numpy", SAVE
        if inner & _OF_EXPORT or _OF_EXPORT & set(names):
            return "it is a whole program", "name it export:PATH"
        return "it is a zip archive of other files", "unpack it"
    if sum(entry.file_size for entry in entries) > path.stat().st_size:
        # torch.save packs nothing, and a few bytes can be packed that fill the memory.
        return "its content is compressed, which torch.save never does", SAVE
    return None


class StandIn:
    """Stands for an object that is no weight. It takes any arguments and keeps none of them."""

    def __new__(cls, *args: object) -> "StandIn":
        return super().__new__(cls)

    def __setstate__(self, state: object) -> None:
        """Drop what the object held."""


class DictStandIn:
    """Stands for a kind of dict, whose entries may be weights: torch fills an OrderedDict."""

    def __new__(cls, *args: object) -> Any:
        return OrderedDict()


class ListStandIn:
    """Stands for a kind of list, which torch fills entry by entry: a list."""

    def __new__(cls, *args: object) -> Any:
        return []


_PATHS = ("Path", "PurePath", "PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath")
_NUMBERS = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 str_"
_BUILTINS = ("bool", "int", "float", "str", "bytes", "list", "tuple", "dict", "frozenset", "range")
_NODES = "Any String Integer Float Boolean Bytes Path Enum"

# Each with its module, as in a pickle, which names Python 2's modules and torch translates them.
_OBJECTS = {
    "argparse": ("Namespace",),
    "types": ("SimpleNamespace",),
    # As the types of options, and as what a defaultdict makes.
    "builtins": _BUILTINS,
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
    for stand_in, modules in ((StandIn, _OBJECTS), (DictStandIn, _DICTS), (ListStandIn, _LISTS))
    for module, names in modules.items()
    for name in names
]


# Which file of a folder has the weights, as transformers' save_pretrained and Accelerate's
# save_model and save_state name them; an index says which shard holds what.
_INDEX = ".index.json"
_OF_A_FOLDER = (
    "model.safetensors",
    f"model.safetensors{_INDEX}",
    "pytorch_model.bin",
    f"pytorch_model.bin{_INDEX}",
)
_LONGEST_INDEX = 64 << 20  # bytes

# How torch names what it does not build, beside advice that a stranger's file should not get.
_REFUSED = re.compile(r"GLOBAL (\S+) (?:was not an allowed|whose module)|``(\S+)`` must be import")
_UNKNOWN_STEP = re.compile(r"Unsupported operand (\d+)")
_FIRST_OF_PROTOCOL_4 = 0x8C

# How a file begins that torch.save wrote before PyTorch 1.6, or writes when it is asked to.
_BEFORE_1_6 = pickle.dumps(torch.serialization.MAGIC_NUMBER, protocol=2)


def read_checkpoint(path: Path) -> Any:
    """What a checkpoint holds: mostly dictionaries, tensors and numbers.

    Other data that trainers keep is read as an empty stand-in. Nothing in the file is executed.

    Args:
        path: of PyTorch or safetensors: a file, an index of shards, or a folder with one of these.

    Raises:
        BadInput: there is no such file.
        ModelError: it cannot be read, or holds what would have to be executed.
    """
    if path.is_dir():
        path = _of_folder(path)
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    return _shards(path) if path.name.endswith(_INDEX) else _file(path)


def why_unread(path: Path) -> str:
    """Why a checkpoint cannot be read, and the mend; "" where it can. Nothing in it is executed.

    Args:
        path: as of `read_checkpoint`.
    """
    try:
        read_checkpoint(path)
    except (BadInput, ModelError) as error:
        return str(error)
    return ""


def _of_folder(folder: Path) -> Path:
    for name in _OF_A_FOLDER:
        if (folder / name).is_file():
            return folder / name
    if (folder / ".metadata").is_file():
        raise ModelError(
            f"{folder} is a distributed checkpoint; make one file of it with python -m "
            "torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER FILE"
        )
    if (folder / "zero_to_fp32.py").is_file():
        raise ModelError(f"{folder} is DeepSpeed's; make one file of it with its zero_to_fp32.py")
    raise BadInput(f"{folder} holds no model.safetensors or pytorch_model.bin; name the file in it")


def _shards(index: Path) -> dict[str, Tensor]:
    """The weights of all shards that an index lists."""
    try:
        if index.stat().st_size > _LONGEST_INDEX:
            raise ValueError("too long")
        listed = json.loads(index.read_bytes())["weight_map"]
        names = sorted(set(listed.values()))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"{index} is no index of shards") from None
    weights: dict[str, Tensor] = {}
    for name in names:
        # A stranger wrote the index: it may not name files elsewhere.
        if not isinstance(name, str) or Path(name).name != name:
            raise ModelError(f"{index} lists {clean(repr(name), 60)}, not a file beside it")
        if not (index.parent / name).is_file():
            raise ModelError(f"{index.parent} lacks the shard {clean(name, 80)}")
        shard = _file(index.parent / name)
        if not isinstance(shard, dict):
            raise ModelError(f"{index.parent / name} holds no state_dict")
        weights |= shard
    if lacking := listed.keys() - weights.keys():
        weight = count(len(lacking), "weight")
        raise ModelError(f"the shards of {index} lack {weight}, as {clean(min(lacking), 80)}")
    return weights


def _file(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            head = file.read(9)
        if head[8:] == b"{":  # the length of a JSON header, then that
            from safetensors.torch import load_file

            return load_file(path)
        if other := what_else(path):
            raise _refusal(path, *other)
        with torch.serialization.safe_globals(STAND_INS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A checkpoint comes from a stranger, and unpickling one runs what it says.
            return torch.load(path, map_location="cpu", weights_only=True)
    except ModelError:
        raise
    except Exception as error:  # noqa: BLE001 - torch raises what it likes on a bad file
        raise _refusal(path, *_reason(path, error)) from None


def _refusal(path: Path, reason: str, mend: str) -> ModelError:
    return ModelError(f"{path} is no file of weights alone ({reason}); {mend}")


def _reason(path: Path, error: Exception) -> tuple[str, str]:
    """Why torch did not read a file, without its advice; and the mend."""
    message = str(error)
    step = _UNKNOWN_STEP.search(message)
    if isinstance(error, EOFError) or _is_cut(path, error):
        return "it is cut off or damaged", AGAIN
    if found := _REFUSED.search(message):
        name = clean(found[1] or found[2], 80)
        return f"it holds {name}, which is neither weights nor plain data", SAVE
    if step and int(step[1]) >= _FIRST_OF_PROTOCOL_4:
        return "it was saved with pickle_protocol=4 or later; the default is 2", SAVE
    if step or "magic number" in message:
        return "it was not written by torch.save", SAVE
    # The rest of what torch says is advice to load it all the same.
    reason = message.partition("WeightsUnpickler error: ")[2] or message
    return clean(next(iter(reason.strip().splitlines()), type(error).__name__)), SAVE


def _is_cut(path: Path, error: Exception) -> bool:
    """Whether a file from before PyTorch 1.6 ends before its pickles, or the bytes after them."""
    with path.open("rb") as file:
        is_old = _BEFORE_1_6.startswith(file.read(len(_BEFORE_1_6)))
    return is_old and (
        isinstance(error, IndexError | struct.error) or "unexpected EOF" in str(error)
    )
