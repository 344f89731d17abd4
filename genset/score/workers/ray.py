"""The processes of a Ray cluster score the shards of a set.

Ray starts them, one a core or one a GPU, hands out the shards, and has those scored again that were
in the hands of a process or a machine that died. The answers come back through Ray, and this
process alone keeps them. The photos and the models do not travel: each machine reads them under the
paths that they have here, and one that does not see the same files is refused.
"""

import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any, Self

from genset.core.errors import GensetError, MissingExtra, first_line
from genset.score.job import Job, MissingShard
from genset.score.workers import ray_driver
from genset.score.workers.executor import Executor
from genset.score.workers.remote import pack
from genset.score.workers.worker import ScoredShard

_NO_CLUSTER = "no Ray cluster is running here, or where RAY_ADDRESS says"
_START = "start one with `ray start --head --disable-usage-stats`"
_LOST = (
    "the Ray cluster is out of reach: Ray on this machine, or its first machine, was ended. What "
    "is finished is kept: start Ray and run the same command again"
)


# How often Ray has a shard scored again whose process died: a network may be what kills it.
_RETRIES = 3

# Seconds for Ray to take its leave.
_TO_END = 10


class RayExecutor(Executor):
    """The Ray cluster that runs already, by way of a process of ours: see `ray_driver`."""

    def __init__(self) -> None:
        """Look for Ray; the cluster is joined by ``with``.

        Raises:
            MissingExtra: Ray is not installed.
        """
        if find_spec("ray") is None:
            raise MissingExtra("--engine-cluster ray", "ray")
        self.machines: list[dict[str, float]] = []  # the resources of each

    def __enter__(self) -> Self:
        """Join the cluster.

        Raises:
            GensetError: there is none.
        """
        address = _address()
        try:
            # That somebody is there, Ray itself tries for minutes.
            host, colon, port = address.removeprefix("ray://").rpartition(":")
            if colon and port.isdigit():
                socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except OSError as error:
            raise GensetError(f"{_NO_CLUSTER} ({first_line(error)}): {_START}") from None
        self._start()
        self._send((sys.argv, sys.path, address or "auto"))
        found = self._receive()
        if isinstance(found, str):
            self.__exit__()
            raise GensetError(f"{_NO_CLUSTER} ({first_line(RuntimeError(found))}): {_START}")
        self.machines = found
        return self

    def __exit__(self, *exception: object) -> None:
        """End the process that speaks with Ray; Ray then drops what it was asked for."""
        self._pipe.close()
        try:
            self._driver.wait(timeout=_TO_END)
        except subprocess.TimeoutExpired:
            self._driver.kill()
            self._driver.wait()

    @property
    def has_gpus(self) -> bool:
        return super().has_gpus or self._gpus > 0

    def scored(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ScoredShard]:
        on_gpus = self._gpus > 0 and job.wants_gpu
        cores = self._cores_per_gpu() if on_gpus else 1
        work = pack(job, max(1, cores) if on_gpus else 0)
        shards = [tuple(missing) for missing in todo]
        need = {"CPU": cores, "GPU": int(on_gpus)}
        self._send((pickle.dumps(work), shards, need, _RETRIES))
        while (found := self._receive()) is not None:
            if isinstance(found, str):
                raise GensetError(found)
            yield pickle.loads(found)  # noqa: S301 - of a process of ours

    def _start(self) -> None:
        """Start the process that speaks with Ray."""
        near, far = socket.socketpair()
        with far:
            self._driver = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", ray_driver.__name__, str(far.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # Ray prints which processes died, and its log
                stderr=subprocess.DEVNULL,
                pass_fds=[far.fileno()],
                start_new_session=True,  # Ctrl-C is for us, who then end it
                env={
                    **os.environ,
                    "RAY_USAGE_STATS_ENABLED": os.environ.get("RAY_USAGE_STATS_ENABLED", "0"),
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                },
            )
        self._pipe = Connection(near.detach())

    def _send(self, what: object) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # which the next answer tells
            self._pipe.send(what)

    def _receive(self) -> Any:
        """The machines' resources, or a shard's answers; a string says why there are none."""
        try:
            return self._pipe.recv()
        except (EOFError, ConnectionResetError):
            raise GensetError(_LOST) from None

    @property
    def _gpus(self) -> int:
        return sum(int(resources.get("GPU", 0)) for resources in self.machines)

    def _cores_per_gpu(self) -> int:
        """How many cores each GPU can have, on whichever machine it is."""
        return min(
            int(resources.get("CPU", 0) // resources["GPU"])
            for resources in self.machines
            if resources.get("GPU", 0) >= 1
        )


def _address() -> str:
    """The cluster's: of RAY_ADDRESS, or that which the caller of our API has joined; else ""."""
    ray = sys.modules.get("ray")
    if ray is not None and ray.is_initialized():
        return str(ray.get_runtime_context().gcs_address)
    return os.environ.get("RAY_ADDRESS", "")
