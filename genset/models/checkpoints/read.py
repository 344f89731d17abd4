"""Read a checkpoint's file, or a folder's, without running anything that it holds."""

import json
import pickle
import re
import struct
import sys
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
from genset.models.checkpoints.find import tensors_in

SAVE = "save it with torch.save(model.state_dict(), PATH)"
AGAIN = "copy or download it again"

# What is wrong, and its mend, by how a file begins.
_BEGINNINGS = {
    b"version https://git-lfs": (
        "it is Git LFS's pointer to the file",
        "fetch the file itself with git lfs pull",
    ),
    b"\x1f\x8b": ("it is packed with gzip", "unpack it with gunzip"),
    b"\x93NUMPY": ("it is an array of numpy", SAVE),
    b"\x89HDF": ("it is HDF5, as Keras writes it", "convert it to PyTorch first"),
}
_WEB = (b"<!doctype", b"<html", b"<head")

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
    if head.lstrip().startswith((b"<?xml", b"<net ")):
        if b"<net " in head:
            return "it is a network of OpenVINO's", "name it export:PATH.xml"
        return "it is XML", "name the file of weights"
    if head.startswith(b"PK"):
        return _zip(path)
    if tarfile.is_tarfile(path):
        return "it is a tar archive", "unpack it"
    if path.suffix.lower() == ".onnx":
        return "it is ONNX", "name it onnx:PATH"
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
        if "model.weights.h5" in names:
            return "it is Keras's", "convert it to PyTorch or ONNX first"
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


StandInFor = tuple[Callable[..., Any], str]

# Of Python's own modules, those whose classes are plain data; whatever else of Python's a file
# names is refused, and what others' packages define is read as an empty stand-in.
_DATA = {
    *("argparse", "collections", "datetime", "decimal", "enum", "fractions", "functools"),
    *("pathlib", "types", "typing", "uuid"),
}
# getattr is how a method is kept, as those of MMEngine's history: what stands for it gets nothing.
_PLAIN = "bool int float str bytes list tuple dict frozenset range slice object getattr"
_BUILTINS = {f"builtins.{name}" for name in _PLAIN.split()}
_KINDS_OF_DICT = re.compile(r"([dD]ict|CfgNode)$")

_MOST_NAMES = 500


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
        content, stand_ins = _unpickled(path)
    except ModelError:
        raise
    except Exception as error:  # noqa: BLE001 - torch raises what it likes on a bad file
        raise _refusal(path, *_reason(error)) from None
    plain = (*sys.stdlib_module_names, "numpy")
    names = [name for stand_in, name in stand_ins if stand_in is StandIn]
    if others := [name for name in names if name.partition(".")[0] not in plain]:
        try:
            tensors_in(content)
        except ModelError:
            raise _refusal(path, _no_weights(others[0]), SAVE) from None
    return content


def stand_ins_of(path: Path) -> list[StandInFor]:
    """What a file of torch.save's names that is no weight, for `torch.serialization.safe_globals`.

    Raises:
        Exception: whatever torch does on a file that it cannot read.
    """
    with path.open("rb") as file:
        return [] if file.read(9)[8:] == b"{" else _unpickled(path)[1]


def _unpickled(path: Path) -> tuple[Any, list[StandInFor]]:
    """What a file holds, and what stands in it for objects that are no weights."""
    stand_ins: list[StandInFor] = []
    while True:
        try:
            with torch.serialization.safe_globals([*stand_ins]), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                # A checkpoint comes from a stranger, and unpickling one runs what it says.
                mapped = zipfile.is_zipfile(path)  # so that reading again costs nothing
                return torch.load(path, "cpu", weights_only=True, mmap=mapped), stand_ins
        except pickle.UnpicklingError as error:
            name = _unknown(str(error))
            if "persistent_load" in str(error) and stand_ins:  # a whole network, of before 1.6
                raise _refusal(path, _no_weights(stand_ins[0][1]), SAVE) from None
            top = name.partition(".")[0]
            plain = name in _BUILTINS or top in _DATA or top not in sys.stdlib_module_names
            if not name or not plain or len(stand_ins) >= _MOST_NAMES:
                raise
            stand_ins.append((_stand_in(name), name))


def _unknown(message: str) -> str:
    """What torch asks to be allowed, with its module."""
    found = re.search(r"GLOBAL (\S+) was not an allowed", message)
    name = found[1] if found else ""
    return name if "." in name or not name else f"builtins.{name}"


def _stand_in(name: str) -> Callable[..., Any]:
    if name == "collections.deque":
        return ListStandIn
    return DictStandIn if _KINDS_OF_DICT.search(name) else StandIn


def _no_weights(name: str) -> str:
    return f"it holds {clean(name, 80)}, which is neither weights nor plain data"


def _refusal(path: Path, reason: str, mend: str) -> ModelError:
    return ModelError(f"{path} is no file of weights alone ({reason}); {mend}")


def _reason(error: Exception) -> tuple[str, str]:
    """Why torch did not read a file, without its advice; and the mend."""
    message = str(error)
    step = _UNKNOWN_STEP.search(message)
    if isinstance(error, EOFError | IndexError | struct.error) or "unexpected EOF" in message:
        return "it is cut off or damaged", AGAIN
    if found := _REFUSED.search(message):
        return _no_weights(found[1] or found[2]), SAVE
    if step and int(step[1]) >= _FIRST_OF_PROTOCOL_4:
        return "it was saved with pickle_protocol=4 or later; the default is 2", SAVE
    if step or "magic number" in message:
        return "it was not written by torch.save", SAVE
    # The rest of what torch says is advice to load it all the same.
    reason = message.partition("WeightsUnpickler error: ")[2] or message
    return clean(next(iter(reason.strip().splitlines()), type(error).__name__)), SAVE
