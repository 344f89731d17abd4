"""What an entry says of itself: task, author, machine, the code's commit, the weights' hash."""

import hashlib
import itertools
import json
import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.files import sha256_of, write_text
from genset.tta.logs.dawnbench import read_json
from genset.tta.logs.dawnbench_json import PER_CENT, EntryFile
from genset.tta.logs.metrics import task_above
from genset.tta.record.recorder import SCORE_WORDS
from genset.tta.runs import SCORES, TASKS, TOP1, Task

_HOUR = 3_600_000  # milliseconds


@dataclass(frozen=True, slots=True)
class Header:
    """What the author says of an entry; empty where nothing is said."""

    task: Task
    author: str
    author_email: str
    model: str
    hardware: str
    framework: str = ""
    code_url: str = ""
    cost_per_hour: float | None = None

    def as_json(self, day: date, misc: Mapping[str, Any], **measured: float | None) -> str:
        """The JSON file of an entry of this day, without what is not known."""
        fields: dict[str, Any] = {
            "version": "v1.0",
            "author": self.author,
            "authorEmail": self.author_email,
            "framework": self.framework,
            "codeURL": self.code_url,
            "model": self.model,
            "hardware": self.hardware,
            "costPerHour": self.cost_per_hour,
            **measured,
            "timestamp": day.isoformat(),
            "misc": misc,
        }
        known = {name: value for name, value in fields.items() if value not in ("", None)}
        return json.dumps(known, indent=4, ensure_ascii=False) + "\n"


def choose_task(name: str, score: str, threshold: float | None, output: Path) -> Task:
    """The task that was named; else that of what was recorded there before; else the folder's.

    Args:
        name: DAWNBench's, or one of the user's own; "" where it was not said.
        score: the word of `SCORE_WORDS` that the task is judged by; "" where it was not said:
            top1, if the task is the user's own.
        threshold: to reach; None for the task's own.
        output: the entry without its suffix, or the folder of several runs.

    Raises:
        BadInput: nothing says the task, it has no threshold, or another score decides it.
    """
    column = SCORE_WORDS[score] if score else ""
    if name:
        task = TASKS.get(name.lower()) or Task(name, column or TOP1, None)
    elif (found := _before(output) or task_above(output)) is not None:
        task = found
    else:
        known = ", ".join(f"{task.name} ({task.threshold:g} %)" for task in TASKS.values())
        raise BadInput(
            "which task is this? say one of your own with --task NAME --threshold PERCENT, or one "
            f"of DAWNBench's: --task {known}"
        )
    if column and column != task.score:
        raise BadInput(f"{task.name} is judged by {task.score}, not by {column}: leave --score out")
    return replace(task, threshold=task.threshold_or(threshold))


def _before(output: Path) -> Task | None:
    """The task of an earlier recording of this name, or in this folder."""
    paths = sorted(output.glob("*.json")) if output.is_dir() else [Path(f"{output}.json")]
    return next((task for entry in recordings(paths) if (task := entry.task(SCORES))), None)


def recordings(paths: Iterable[Path]) -> Iterator[EntryFile]:
    """The JSON files, of these, that are recordings', finished or not."""
    for path in paths:
        with suppress(BadInput):
            if (entry := read_json(path)).recorded:
                yield entry


def names(output: Path) -> Iterator[Path]:
    """``NAME.tsv``, ``NAME-2.tsv``, ... as far as there are entries, and the first that is free."""
    for number in itertools.count(1):
        path = output.with_name(f"{output.name}{'' if number == 1 else f'-{number}'}.tsv")
        yield path
        if not exists(path):
            return


def exists(path: Path) -> bool:
    """Whether an entry has one of its files."""
    return path.exists() or path.with_suffix(".json").exists()


def cost_of(latency: float, cost_per_hour: float | None) -> float | None:
    """What one photo costs if it takes so many milliseconds: US dollars, as DAWNBench counts."""
    return None if cost_per_hour is None else latency * cost_per_hour / _HOUR


def write_inference(
    folder: Path,
    header: Header,
    latency: float,
    scores: Mapping[str, float],
    misc: Mapping[str, Any],
) -> Path:
    """Write ``MODEL.json`` to a folder; ``MODEL-2.json`` where there is one already, and so on.

    Args:
        folder: of entries.
        header: what the entry says of itself.
        latency: of one photo, in milliseconds.
        scores: in per cent, by DAWNBench's names.
        misc: what else to say.

    Raises:
        OSError: it cannot be written.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", header.model).strip("-.") or "model"
    *_, free = names(folder / name)
    path = free.with_suffix(".json")
    text = header.as_json(
        datetime.now(UTC).date(),
        {"task": header.task.name, "scores": PER_CENT, **misc},
        latency=latency,
        cost=cost_of(latency, header.cost_per_hour),
        **scores,
    )
    write_text(path, text)
    return path


_WORDS = 20  # of a command, in which its program stands
_SECONDS = 20  # that git may take
_COARSE = 2.0  # seconds: some file systems know times no finer


def read_checkpoint(path: Path, since: float) -> tuple[dict[str, Any], str]:
    """Hash the file of weights that a command left.

    Args:
        path: where it was to be.
        since: when the command began, in seconds since 1970: an older file is of another run.

    Returns:
        Its name without folders, the sha256 of its bytes (64 hexadecimal digits), and how many
        they are, and ""; or {} and why: there is no such file, it is older, or cannot be read.
    """
    try:
        if path.is_dir():
            return {}, f"{path} is a folder: name the file of weights in it"
        status = path.stat()
        if status.st_mtime < since - _COARSE:
            return {}, f"{path} is older than this run, and so of another one"
        return {"file": path.name, "sha256": sha256_of(path), "bytes": status.st_size}, ""
    except OSError as error:
        return {}, f"no checkpoint at {path}: {error.strerror}"


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
    # Not Path.is_file, which fails where a word is too long for a name.
    files = [Path(word) for word in command[:_WORDS] if os.path.isfile(word)]  # noqa: PTH113
    ask = "ls-files", "--error-unmatch", "--"
    folder = next((file.parent for file in files if _git(file.parent, *ask, file.name)), Path())
    if not (commit := _git(folder, "rev-parse", "--verify", "HEAD")):
        return None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "changed": bool(changes) if changes is not None else None}


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
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    parts.append(f"{round(memory / 2**30)} GB")
    model = re.search(r"^model name\s*:\s*(.+)$", _read(Path("/proc/cpuinfo")), re.MULTILINE)
    processor = model[1].strip() if model else platform.processor() or platform.machine()
    parts.append(f"{_processors()} CPU" + ("" if gpus else f" ({processor})"))
    maker, product = _read(_MAKER).strip(), _read(_PRODUCT).strip()
    cloud = f" ({maker} [{product}])" if maker in _CLOUDS and product else ""
    return " / ".join(parts) + cloud


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


def _processors() -> int:
    """Those that this program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
