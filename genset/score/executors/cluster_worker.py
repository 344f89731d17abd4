"""What a process of a cluster does, whichever cluster it is.

A cluster's executor makes a `ClusterWork` of its job and sends it; a process opens it with
`open_worker` and scores shards. Nothing here imports PyTorch before the process's memory is tuned.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.errors import GensetError
from genset.models.spec import ModelSpec
from genset.score.engines import ENGINES
from genset.score.options import ScoringOptions
from genset.score.packages import package_versions
from genset.score.startup import tune_allocator
from genset.sets.photos import PhotoSet

if TYPE_CHECKING:
    from genset.score.job import Job
    from genset.score.score import Worker
    from genset.score.transforms import Pixels

_SAME_FILES = "all machines must see the same files under the same paths"


@dataclass(frozen=True, slots=True)
class ClusterModel:
    """A task as another process loads it: see `genset.score.job.ModelTask`."""

    spec: ModelSpec
    weights_hash: str
    engine: str
    onnx: Path | None
    logits: bool
    probe: "Pixels"


@dataclass(frozen=True, slots=True)
class ClusterWork:
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
    models: list[ClusterModel]
    options: ScoringOptions
    versions: dict[str, str]
    readers: int


def pack(job: "Job", readers: int) -> ClusterWork:
    """A job as a cluster's processes are given it.

    Args:
        job: what is scored.
        readers: threads that read ahead of a GPU; 0: there is none.
    """
    return ClusterWork(
        folder=str(Path.cwd()),
        photos=job.photos,
        sizes=[_size(photo.path) for photo in job.photos.photos],
        models=[
            ClusterModel(
                spec=task.model.spec,
                weights_hash=task.model.weights_hash,
                engine=task.engine.name,
                onnx=task.engine.onnx,
                logits=task.logits,
                probe=task.probe,
            )
            for task in job.tasks
        ],
        options=job.options,
        versions=package_versions(_engines(task.engine.name for task in job.tasks)),
        readers=readers,
    )


def _size(path: Path) -> int:
    """A file's bytes; -1 where there is no such file."""
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _engines(names: Iterable[str]) -> list[str]:
    return [ENGINES[name].package for name in names]


def open_worker(work: ClusterWork) -> "Worker":
    """What this process scores with. It is not safe to share among threads.

    Raises:
        GensetError: the machine does not see what it needs.
    """
    _check_machine(work)
    tune_allocator()  # before PyTorch is there
    import torch

    from genset.score.engines.export import write_onnx
    from genset.score.engines.select import SelectedEngine
    from genset.score.job import Job, ModelTask
    from genset.score.meeting import load_for
    from genset.score.score import Worker

    if not work.readers:
        torch.set_num_threads(1)
    tasks = []
    for each in work.models:
        model = load_for(work.photos, each.spec, work.options)
        if model.weights_hash != each.weights_hash:
            raise GensetError(f"model {each.spec.text!r} has other weights there: {_SAME_FILES}")
        if each.onnx:
            write_onnx(model, each.onnx)
        # Its folder is not used: the executor keeps the answers.
        task = ModelTask(model, "", Path(), {}, each.logits, SelectedEngine(each.engine, each.onnx))
        task.probe = each.probe
        tasks.append(task)
    job = Job(work.photos, tasks, work.options)
    # Threads, since nothing can be split off beside a cluster's own.
    return Worker(job, job.dataset(elsewhere=True), work.readers, fork=False)


def _check_machine(work: ClusterWork) -> None:
    """Make sure that this machine has the same versions, folder and photos."""
    here = package_versions(_engines(model.engine for model in work.models))
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
        if _size(photo.path) != size:
            raise GensetError(f"{photo.path} is not there, or another photo: {_SAME_FILES}")
