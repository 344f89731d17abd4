"""What a process of a Ray cluster does. Nothing here imports PyTorch before its memory is tuned."""

import importlib.metadata
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genset import __version__
from genset.errors import GensetError
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.models.spec import ModelSpec
from genset.evaluation.run.options import ScoringOptions
from genset.evaluation.run.startup import tune_allocator

if TYPE_CHECKING:
    from genset.evaluation.data.transforms import Pixels
    from genset.evaluation.run.job import ShardReport
    from genset.evaluation.run.score import Worker
    from genset.evaluation.run.shards import Answers

_SAME_FILES = "all machines must see the same files under the same paths"

# What a shard's answers depend on.
_PACKAGES = ("torch", "torchvision", "pillow", "numpy")


@dataclass(frozen=True, slots=True)
class RayModel:
    """A task as another process loads it: see `genset.evaluation.run.job.ModelTask`."""

    spec: ModelSpec
    weights_hash: str
    engine: str
    onnx: Path | None
    logits: bool
    probe: "Pixels"


@dataclass(frozen=True, slots=True)
class RayWork:
    """What every process of the cluster is given: plain values, without any of PyTorch's.

    Attributes:
        folder: where paths begin that do not begin at the root.
        photos: the set.
        sizes: how many bytes each photo has.
        models: what is scored.
        options: how it is scored.
        versions: of the packages that answers depend on.
        readers: threads that read ahead of a GPU; 0: there is none.
    """

    folder: str
    photos: PhotoSet
    sizes: list[int]
    models: list[RayModel]
    options: ScoringOptions
    versions: dict[str, str]
    readers: int


def score(
    work: list[Any], shard: int, tasks: list[int]
) -> "tuple[ShardReport, dict[int, Answers]] | str":
    """A shard's answers, which are not kept yet; or why this machine cannot give them.

    Args:
        work: Ray's reference to a `RayWork`, in a list, so that Ray does not fetch it each time.
        shard: the shard's number.
        tasks: the models, by number.
    """
    try:
        worker = _worker(work[0])
    except GensetError as error:
        return f"machine {socket.gethostname()} of the Ray cluster: {error}"
    from genset.evaluation.run.job import MissingShard

    return worker.score(MissingShard(shard, tasks))


def size_of(path: Path) -> int:
    """A file's bytes; -1 where there is no such file."""
    try:
        return path.stat().st_size
    except OSError:
        return -1


def versions(engines: Iterable[str]) -> dict[str, str]:
    """Of the packages that answers depend on here."""
    found = {"genset": __version__}
    for package in (*_PACKAGES, *engines):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "none"
    return found


@lru_cache(maxsize=1)
def _worker(reference: Any) -> "Worker":
    """What this process of the cluster scores with, made for its first shard.

    Raises:
        GensetError: the machine does not see what it needs.
    """
    import ray

    work: RayWork = ray.get(reference)
    _check_machine(work)
    tune_allocator()  # before PyTorch is there
    import torch

    from genset.evaluation.engines.export import write_onnx
    from genset.evaluation.engines.select import Selected
    from genset.evaluation.models.load import load_model
    from genset.evaluation.run.job import Job, ModelTask
    from genset.evaluation.run.score import Worker

    if not work.readers:
        torch.set_num_threads(1)
    tasks = []
    for each in work.models:
        model = load_model(each.spec, work.options.allow_code)
        if model.weights_hash != each.weights_hash:
            raise GensetError(f"model {each.spec.text!r} has other weights there: {_SAME_FILES}")
        if each.onnx:
            write_onnx(model, each.onnx)
        # The folder stays unused: who asked keeps the answers.
        task = ModelTask(model, "", Path(), {}, each.logits, Selected(each.engine, each.onnx))
        task.probe = each.probe
        tasks.append(task)
    job = Job(work.photos, tasks, work.options)
    # Threads, since beside Ray's own nothing can be split off.
    return Worker(job, job.dataset(), work.readers, fork=False)


def _check_machine(work: RayWork) -> None:
    """Make sure that this machine has the same versions, folder and photos."""
    here = versions(model.engine for model in work.models)
    for package, version in work.versions.items():
        if here[package] != version:
            raise GensetError(
                f"it has {package} {here[package]}, not {version}: install the same on all machines"
            )
    try:
        os.chdir(work.folder)
    except OSError:
        raise GensetError(f"there is no folder {work.folder}: {_SAME_FILES}") from None
    for photo, size in zip(work.photos.photos, work.sizes, strict=True):
        if size_of(photo.path) != size:
            raise GensetError(f"{photo.path} is not there, or another photo: {_SAME_FILES}")
