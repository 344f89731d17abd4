"""The processes of a Ray cluster score the shards of a set.

Ray starts them, one a core or one a GPU, hands out the shards, and has those scored again that were
in the hands of a process or a machine that died. The answers come back through Ray, and this
process alone keeps them. The photos and the models do not travel: each machine reads them under the
paths that they have here, and one that does not see the same files is refused.
"""

import importlib
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, redirect_stdout
from types import TracebackType
from typing import Any, Self, TypeVar

from genset.errors import GensetError, MissingExtra, first_line
from genset.evaluation.run.executors import ray_worker
from genset.evaluation.run.executors.cluster_worker import pack
from genset.evaluation.run.executors.executor import Executor, not_written
from genset.evaluation.run.job import Job, MissingShard, ShardReport
from genset.evaluation.run.shards import Answers, save_shard, shard_file

T = TypeVar("T")

# How often Ray has a shard scored again whose process died: a network may be what kills it.
_RETRIES = 3

_NO_CLUSTER = "no Ray cluster is running here, or where RAY_ADDRESS says"
_START = "start one with `ray start --head --disable-usage-stats`"


class RayExecutor(Executor):
    """The Ray cluster that runs already."""

    def __init__(self) -> None:
        """Import Ray; the cluster is joined by ``with``.

        Raises:
            MissingExtra: Ray is not installed.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            self.ray: Any = importlib.import_module("ray")
        except ModuleNotFoundError:
            raise MissingExtra("--engine-cluster ray", "ray") from None
        self.machines: list[dict[str, float]] = []
        self._joined = ExitStack()

    def __enter__(self) -> Self:
        """Join the cluster.

        Raises:
            GensetError: there is none.
        """
        if not self.ray.is_initialized():
            try:
                _reach(os.environ.get("RAY_ADDRESS", ""))
                self.ray.init("auto", log_to_driver=False, logging_level=logging.CRITICAL)
            except (OSError, RuntimeError, ValueError, self.ray.exceptions.RayError) as error:
                raise GensetError(f"{_NO_CLUSTER} ({first_line(error)}): {_START}") from None
            self._joined.callback(self.ray.shutdown)
        self.machines = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        self._joined.enter_context(redirect_stdout(sys.stderr))  # Ray prints which processes died
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._joined.close()

    @property
    def has_gpus(self) -> bool:
        return super().has_gpus or self._gpus > 0

    def isolated(self, work: Callable[..., T], *arguments: Any) -> T:
        return work(*arguments)  # beside Ray's threads nothing can be split off

    def reports(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        on_gpus = self._gpus > 0 and job.wants_gpu
        cores = self._cores_beside_a_gpu() if on_gpus else 1
        # A process that has a GPU keeps it, and the models on it, for its next shard.
        score = self.ray.remote(
            num_cpus=cores, num_gpus=int(on_gpus), max_calls=0, max_retries=_RETRIES
        )(ray_worker.score)
        work = self.ray.put(pack(job, max(1, cores) if on_gpus else 0))
        waiting = [score.remote([work], missing.shard, missing.tasks) for missing in todo]
        try:
            while waiting:
                (done,), waiting = self.ray.wait(waiting)
                report, answers = self._received(done)
                for number, answer in answers.items():
                    save_shard(shard_file(job.tasks[number].shards, report.shard), answer)
                yield report
        except OSError as error:
            raise not_written(error) from None
        finally:
            for each in waiting:
                self.ray.cancel(each)

    def _received(self, done: Any) -> tuple[ShardReport, dict[int, Answers]]:
        try:
            found = self.ray.get(done)
        except self.ray.exceptions.RayTaskError as error:
            reason = str(error).strip().splitlines()[-1]
            raise GensetError(f"a process of the Ray cluster failed: {reason}") from None
        except self.ray.exceptions.RayError as error:
            raise GensetError(
                f"processes of the Ray cluster that scored the same photos died {_RETRIES + 1} "
                f"times ({type(error).__name__}); if memory is short, let Ray have fewer cores "
                "(--num-cpus). What is finished is kept: run the same command again"
            ) from None
        if isinstance(found, str):
            raise GensetError(found)
        return found  # type: ignore[no-any-return]

    @property
    def _gpus(self) -> int:
        return sum(int(machine.get("GPU", 0)) for machine in self.machines)

    def _cores_beside_a_gpu(self) -> int:
        """How many cores each GPU can have, on whichever machine it is."""
        return min(int(m.get("CPU", 0) // m["GPU"]) for m in self.machines if m.get("GPU", 0) >= 1)


def _reach(address: str) -> None:
    """See that somebody is there, which Ray itself tries for minutes.

    Raises:
        OSError: nobody is.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
