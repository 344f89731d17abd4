"""What a process does that was not forked from the command: one of a cluster, or of a GPU.

An executor makes a `ClusterWork` of its job and sends it; a process opens it with `open_worker` and
scores shards. Nothing here imports PyTorch before the process's memory is tuned.
"""

import importlib.metadata
import os
import pickle
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genset import __version__
from genset.core.errors import GensetError
from genset.models.spec import ModelSpec
from genset.score.allocator import tune_allocator
from genset.score.engines import ENGINES
from genset.score.options import ScoringOptions
from genset.sets.photos import PhotoSet

if TYPE_CHECKING:
    from genset.models.preprocessing import Pixels
    from genset.score.job import Job
    from genset.score.workers.worker import Worker


_PACKAGES = ("torch", "torchvision", "timm", "transformers", "open-clip-torch", "pillow", "numpy")


def package_versions(more: Iterable[str] = ()) -> dict[str, str]:
    """The version of each package here, "none" where it is not installed; `more` beside ours."""
    found = {"genset": __version__}
    for package in (*_PACKAGES, *more):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "none"
    return found


_SAME_FILES = "all machines must see the same files under the same paths"


@dataclass(frozen=True, slots=True)
class ClusterModel:
    """A task as another process loads it: see `genset.score.job.ModelTask`."""

    spec: ModelSpec
    weights_hash: str
    code: object
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
        models: what is scored.
        options: how it is scored.
        versions: of the packages that answers depend on.
        readers: threads that read ahead of a GPU; 0: there is none.
    """

    folder: str
    photos: PhotoSet
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
        models=[
            ClusterModel(
                spec=task.model.spec,
                weights_hash=task.model.weights_hash,
                code=task.model.identity.get("code"),
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


def _engines(names: Iterable[str]) -> list[str]:
    return [ENGINES[name].package for name in names]


def score_on_gpu(end: Connection, work: ClusterWork, gpu: str) -> None:
    """Score what comes through a pipe on one GPU, and send back each shard's report and answers.

    Args:
        end: of the pipe: shards come, until None.
        work: what is scored.
        gpu: as CUDA_VISIBLE_DEVICES names it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which then ends us
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the command is gone
        try:
            worker = open_worker(work, here=True)
            importlib.import_module("genset.score.workers.worker").serve(end, worker)
        except GensetError as error:
            end.send(error)


def open_worker(work: ClusterWork, here: bool = False) -> "Worker":
    """What this process scores with. It is not safe to share among threads.

    Args:
        work: what is scored.
        here: whether this process is on the command's machine and not one of a cluster's, beside
            whose threads nothing can be forked.

    Raises:
        GensetError: the machine does not see what it needs.
    """
    if not here:
        _check_machine(work)
    tune_allocator()  # before PyTorch is there
    import torch

    from genset.score.engines.onnx import write_onnx
    from genset.score.engines.select import SelectedEngine
    from genset.score.job import Job, ModelTask, load_for
    from genset.score.workers.worker import Worker

    if not work.readers:
        torch.set_num_threads(1)
    tasks = []
    for item in work.models:
        model = load_for(work.photos, item.spec, work.options)
        if model.weights_hash != item.weights_hash:
            raise GensetError(f"model {item.spec.text!r} has other weights there: {_SAME_FILES}")
        if model.identity.get("code") != item.code:
            raise GensetError(f"model {item.spec.text!r} is other code there: {_SAME_FILES}")
        if item.onnx:
            write_onnx(model, item.onnx)
        # Its folder is not used: the executor keeps the answers.
        task = ModelTask(model, "", Path(), {}, item.logits, SelectedEngine(item.engine, item.onnx))
        task.probe = item.probe
        tasks.append(task)
    job = Job(work.photos, tasks, work.options)
    return Worker(job, job.dataset(remote=not here), work.readers, fork=here)


def _check_machine(work: ClusterWork) -> None:
    """Make sure that this machine has the same versions and folder."""
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


def score(work: list[Any], shard: int, tasks: list[int]) -> bytes | str:
    """A shard's answers, which are not kept yet; or why this machine cannot give them.

    Args:
        work: Ray's reference to a pickled `ClusterWork`, in a list: Ray would fetch it each time.
        shard: the shard's number.
        tasks: the models, by number.

    Returns:
        A report and the answers of each task, pickled: who hands them on need not know them.
    """
    try:
        worker = _worker(work[0])
        from genset.score.job import MissingShard

        return pickle.dumps(worker.score(MissingShard(shard, tasks)))
    except GensetError as error:
        return str(error)


@lru_cache(maxsize=1)
def _worker(reference: Any) -> "Worker":
    """Made for the first shard, and kept for the next ones."""
    import ray

    work: ClusterWork = pickle.loads(ray.get(reference))  # noqa: S301 - the command's own
    return open_worker(work)
