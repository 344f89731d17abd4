"""What a run is made of, and what it leaves: the code's commit, and the checkpoint's hash."""

import hashlib
import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genset.core.files import sha256_of

_WORDS = 20  # of a command, in which its program stands
_SECONDS = 20  # that git may take
_COARSE = 2.0  # seconds: some file systems know times no finer


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file of weights.

    Attributes:
        file: its name, without its folders.
        sha256: of its bytes, 64 hexadecimal digits.
        bytes: how many.
    """

    file: str
    sha256: str
    bytes: int


def read_checkpoint(path: Path, since: float) -> tuple[Checkpoint | None, str]:
    """Hash the file of weights that a command left.

    Args:
        path: where it was to be.
        since: when the command began, in seconds since 1970: an older file is of another run.

    Returns:
        It and ""; or None and why: there is no such file, it is older, or it cannot be read.
    """
    try:
        if path.is_dir():
            return None, f"{path} is a folder: name the file of weights in it"
        status = path.stat()
        if status.st_mtime < since - _COARSE:
            return None, f"{path} is older than this run, and so of another one"
        return Checkpoint(path.name, sha256_of(path), status.st_size), ""
    except OSError as error:
        return None, f"no checkpoint at {path}: {error.strerror}"


def mark_of(command: Sequence[str]) -> str:
    """By what two commands are told apart: 16 bits of a hash.

    That is too little to find a secret among the words by trying: every 65,536th guess fits.
    """
    return hashlib.sha256("\0".join(command).encode("utf-8", "surrogateescape")).hexdigest()[:4]


def code_of(command: Sequence[str]) -> dict[str, Any] | None:
    """The commit that a command's program is at, and whether files differ from it.

    The repository is that of the first word which is a file that git tracks, else that of the
    current folder. Files that git does not track do not count as changes.

    Returns:
        ``commit`` and ``changed``, or None where there is no repository with a commit, or no git.
    """
    for folder in _folders(command):
        if commit := _git(folder, "rev-parse", "--verify", "HEAD"):
            changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
            return {"commit": commit, "changed": bool(changes) if changes is not None else None}
    return None


def _folders(command: Sequence[str]) -> Iterator[Path]:
    for word in command[:_WORDS]:
        path = Path(word)
        try:
            is_file = path.is_file()
        except (OSError, ValueError):  # too long for a name
            continue
        if is_file and _git(path.parent, "ls-files", "--error-unmatch", "--", path.name):
            yield path.parent
    yield Path()


def _git(folder: Path, *words: str) -> str | None:
    """What git says, without the end of its line; None where it fails."""
    # It may not wait for a person, nor lock the repository that somebody works in.
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(  # noqa: S603 - our words, and names of the user's files
            ["git", *words],  # noqa: S607 - the user's own
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
            env=environment,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


_MAKER = Path("/sys/class/dmi/id/sys_vendor")
_PRODUCT = Path("/sys/class/dmi/id/product_name")
_CLOUDS = ("Amazon EC2", "Google", "Microsoft Corporation", "Alibaba Cloud")


def hardware() -> str:
    """Accelerators, memory, processors and cloud machine: "8 Tesla V100 / 480 GB / 64 CPU"."""
    found = _gpus()
    places = visible(list(found), os.environ.get("CUDA_VISIBLE_DEVICES"))
    gpus = Counter(list(found.values())[place] for place in places)
    parts = [f"{count} {name}" for name, count in gpus.items()]
    if memory := _memory_gb():
        parts.append(f"{memory} GB")
    parts.append(f"{_processors()} CPU" + ("" if gpus else f" ({_processor()})"))
    return " / ".join(parts) + _cloud()


def _gpus() -> dict[str, str]:
    """The names of NVIDIA's GPUs by their UUIDs."""
    words = ["nvidia-smi", "--query-gpu=uuid,name", "--format=csv,noheader"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return {}
    rows = [line.partition(",") for line in done.stdout.splitlines()]
    return {uuid: name.strip().removeprefix("NVIDIA ") for uuid, _, name in rows if name}


def visible(uuids: Sequence[str], chosen: str | None) -> list[int]:
    """The places of the GPUs that CUDA_VISIBLE_DEVICES leaves to a program.

    CUDA reads it to the first word that is no GPU. A part of one (``MIG-...``) is taken for the
    next: its name does not tell.
    """
    if chosen is None:
        return list(range(len(uuids)))
    found: list[int] = []
    for word in map(str.strip, chosen.split(",")):
        if word.startswith("MIG-"):
            word = str(len(found))
        is_uuid = word.startswith("GPU-")
        names = [uuid[: len(word)] if is_uuid else str(at) for at, uuid in enumerate(uuids)]
        if word not in names:
            break
        found.append(names.index(word))
    return found


def _memory_gb() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError, AttributeError):
        return None


def _processors() -> int:
    """Those that this program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", _read(Path("/proc/cpuinfo")), re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def _cloud() -> str:
    maker, product = _read(_MAKER).strip(), _read(_PRODUCT).strip()
    return f" ({maker} [{product}])" if maker in _CLOUDS and product else ""


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
