"""The processes of a Ray cluster, which score the shards of a set.

Ray starts them, one a core or one a GPU, hands out the shards, and has those scored again that were
in the hands of a process or a machine that died. The answers come back through Ray, and this
process alone keeps them. The photos and the models do not travel: each machine reads them under the
paths that they have here, and one that does not see the same files is refused.
"""

import importlib
import importlib.metadata
import logging
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genset import __version__
from genset.errors import GensetError, MissingExtra, first_line
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.run.allocator import tune_allocator
from genset.evaluation.run.options import Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from genset.evaluation.run.score import Contender, ShardReport, Stream
    from genset.evaluation.run.shards import Answers

# How often Ray has a shard scored again whose process died: a network may be what kills it.
_AGAIN = 3

_NO_CLUSTER = "no Ray cluster is running here, or where RAY_ADDRESS says"
_START = "start one with `ray start --head --disable-usage-stats`"

_SAME_FILES = "all machines must see the same files under the same paths"

# What a shard's answers depend on.
_PACKAGES = ("torch", "torchvision", "pillow", "numpy")


@dataclass(frozen=True, slots=True)
class _Model:
    """A model as another process loads it."""

    spec: str
    weights_hash: str
    engine: str
    exported: Path | None
    probe: "NDArray[np.uint8]"


@dataclass(frozen=True, slots=True)
class _Work:
    """What every process of the cluster is told: plain values, without any of PyTorch's.

    Attributes:
        folder: where paths begin that do not begin at the root.
        sizes: how many bytes each photo has.
        versions: of the packages that answers depend on.
        ahead: threads that read ahead of a GPU; 0: there is none.
    """

    folder: str
    photos: PhotoSet
    sizes: list[int]
    models: list[_Model]
    options: Options
    versions: dict[str, str]
    ahead: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster that this process has joined, and what each of its machines has."""

    ray: Any
    machines: list[dict[str, float]]

    @property
    def gpus(self) -> int:
        """How many there are."""
        return sum(int(machine.get("GPU", 0)) for machine in self.machines)

    def score(
        self,
        photos: PhotoSet,
        contenders: "Sequence[Contender]",
        options: Options,
        todo: Sequence[tuple[int, list[int]]],
    ) -> "Iterator[tuple[ShardReport, dict[int, Answers]]]":
        """Score shards with the contenders that are named by number, in no particular order.

        Yields what became of each shard, and the answers, which are not kept yet.

        Raises:
            GensetError: a machine does not see the photos or the models, or has other versions; or
                processes died again and again.
        """
        on_gpus = self.gpus > 0 and any(each.engine == "torch" for each in contenders)
        cores = self._cores_beside_a_gpu() if on_gpus else 1
        work = _Work(
            folder=str(Path.cwd()),
            photos=photos,
            sizes=[_size(photo.path) for photo in photos.photos],
            models=[
                _Model(c.model.spec.text, c.model.weights_hash, c.engine, c.exported, c.probe)
                for c in contenders
            ],
            options=options,
            versions=_versions([contender.engine for contender in contenders]),
            ahead=max(1, cores) if on_gpus else 0,
        )
        # A process that has a GPU keeps it, and the models on it, for its next shard.
        score = self.ray.remote(
            num_cpus=cores, num_gpus=int(on_gpus), max_calls=0, max_retries=_AGAIN
        )(_score)
        told = self.ray.put(work)
        waiting = [score.remote([told], shard, wanted) for shard, wanted in todo]
        try:
            while waiting:
                (done,), waiting = self.ray.wait(waiting)
                yield self._received(done)
        finally:
            for each in waiting:
                self.ray.cancel(each)

    def _received(self, done: Any) -> "tuple[ShardReport, dict[int, Answers]]":
        try:
            found = self.ray.get(done)
        except self.ray.exceptions.RayTaskError as error:
            reason = str(error).strip().splitlines()[-1]
            raise GensetError(f"a process of the Ray cluster failed: {reason}") from None
        except self.ray.exceptions.RayError as error:
            raise GensetError(
                f"processes of the Ray cluster that scored the same photos died {_AGAIN + 1} times "
                f"({type(error).__name__}); if memory is short, let Ray have fewer cores "
                "(--num-cpus). What is finished is kept: run the same command again"
            ) from None
        if isinstance(found, str):
            raise GensetError(found)
        return found  # type: ignore[no-any-return]

    def _cores_beside_a_gpu(self) -> int:
        """How many cores each GPU can have, on whichever machine it is."""
        return min(int(m.get("CPU", 0) // m["GPU"]) for m in self.machines if m.get("GPU", 0) >= 1)


@contextmanager
def joined_cluster(kind: str) -> Iterator[Cluster | None]:
    """The Ray cluster that runs already, for the time of a block; None where none is asked for.

    Raises:
        MissingExtra: Ray is not installed.
        GensetError: there is no cluster.
    """
    if not kind:
        yield None
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray: Any = importlib.import_module("ray")
    except ModuleNotFoundError:
        raise MissingExtra("--engine-cluster ray", "ray") from None
    ours = not ray.is_initialized()
    if ours:
        try:
            _reach(os.environ.get("RAY_ADDRESS", ""))
            ray.init("auto", log_to_driver=False, logging_level=logging.CRITICAL)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise GensetError(f"{_NO_CLUSTER} ({first_line(error)}): {_START}") from None
    try:
        machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        with redirect_stdout(sys.stderr):  # where Ray tells of processes that died
            yield Cluster(ray, machines)
    finally:
        if ours:
            ray.shutdown()


def _reach(address: str) -> None:
    """See that somebody is there, which Ray itself tries for minutes.

    Raises:
        OSError: nobody is.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _size(path: Path) -> int:
    """A file's bytes; -1 where there is no such file."""
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _versions(engines: Sequence[str]) -> dict[str, str]:
    found = {"genset": __version__}
    for package in (*_PACKAGES, *engines):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "none"
    return found


def _score(
    told: list[Any], shard: int, wanted: list[int]
) -> "tuple[ShardReport, dict[int, Answers]] | str":
    """A shard's answers, in a process of the cluster; or why this machine cannot give them."""
    try:
        stream = _stream(told[0])
    except GensetError as error:
        return f"machine {socket.gethostname()} of the Ray cluster: {error}"
    return stream.answers(shard, wanted)


@lru_cache(maxsize=1)
def _stream(told: Any) -> "Stream":
    """What this process of the cluster scores with, made for its first shard.

    Raises:
        GensetError: the machine does not see what it needs.
    """
    import ray

    work: _Work = ray.get(told)
    _see(work)
    tune_allocator()  # before PyTorch is there
    import torch

    from genset.evaluation.engines.select import write_export
    from genset.evaluation.models.load import load_model
    from genset.evaluation.run.score import Contender, Stream, job_of

    if not work.ahead:
        torch.set_num_threads(1)
    contenders = []
    for each in work.models:
        model = load_model(each.spec, work.options.allow_code)
        if model.weights_hash != each.weights_hash:
            raise GensetError(f"model {each.spec!r} has other weights there: {_SAME_FILES}")
        if each.exported:
            write_export(model, each.exported)
        contenders.append(Contender(model, each.engine, each.exported, Path(), each.probe))
    # Threads, since beside Ray's own nothing can be split off.
    return Stream(job_of(work.photos, contenders, work.options, work.ahead, split_off=False))


def _see(work: _Work) -> None:
    """Make sure that this machine has the same versions, folder and photos."""
    here = _versions([model.engine for model in work.models])
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
