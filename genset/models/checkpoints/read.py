"""Read a checkpoint's file, or a folder's, without running anything that it holds."""

import json
import pickle
import pickletools
import re
import struct
import warnings
import zipfile
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from genset.core.errors import BadInput, ModelError
from genset.core.numbers import count
from genset.core.safe import clean
from genset.models.checkpoints.allowed import STAND_INS
from genset.models.checkpoints.kinds import AGAIN, SAVE, what_else

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

# A stranger's file may have steps without end, of which torch did the first ones alone.
_MOST_STEPS = 1_000_000  # a second's; ten thousand tensors have 390,000
_MOST_OF_SMALL = 1_000


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
    said = str(error)
    step = _UNKNOWN_STEP.search(said)
    if isinstance(error, EOFError) or _is_cut(path, error):
        return "it is cut off or damaged", AGAIN
    if found := _REFUSED.search(said):
        name = clean(found[1] or found[2], 80)
        if name == _whole(path):
            return f"it is a whole object of {name}, whose code would have to be run", SAVE
        return f"it holds {name}, which is neither weights nor plain data", SAVE
    if step and int(step[1]) >= _FIRST_OF_PROTOCOL_4:
        return "it was saved with pickle_protocol=4 or later; the default is 2", SAVE
    if step or "magic number" in said:
        return "it was not written by torch.save", SAVE
    # The rest of what torch says is advice to load it all the same.
    told = said.partition("WeightsUnpickler error: ")[2] or said
    return clean(next(iter(told.strip().splitlines()), type(error).__name__)), SAVE


def _is_cut(path: Path, error: Exception) -> bool:
    """Whether a file from before PyTorch 1.6 ends before its pickles, or the bytes after them."""
    with path.open("rb") as file:
        head = file.read(len(_BEFORE_1_6))
    if not _BEFORE_1_6.startswith(head):
        return False
    if isinstance(error, IndexError | struct.error) or "unexpected EOF" in str(error):
        return True
    try:
        deque(islice(_steps(path), _MOST_STEPS), maxlen=0)
    except ValueError:  # a name that is cut is one that torch does not know
        return True
    return False


def _whole(path: Path) -> str:
    """The class of the object that a file holds, where that is no dictionary or list."""
    with suppress(Exception):  # a damaged file is named otherwise
        for name, given in islice(_steps(path), 8):
            if name == "GLOBAL":
                return clean(str(given).replace(" ", "."), 80)
            if name in ("EMPTY_DICT", "EMPTY_LIST"):
                return ""
    return ""


def _steps(path: Path) -> Iterator[tuple[str, Any]]:
    """What the pickle of a file does, step by step; none of it is done."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
            with archive.open(name) as file:
                yield from ((code.name, given) for code, given, _ in pickletools.genops(file))
        return
    with path.open("rb") as file:  # before 1.6: three small pickles stand before
        for _ in range(3):
            deque(islice(pickletools.genops(file), _MOST_OF_SMALL), maxlen=0)
        yield from ((code.name, given) for code, given, _ in pickletools.genops(file))
