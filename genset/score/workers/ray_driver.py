"""The process that speaks with Ray: a program that `genset.score.workers.ray` starts.

Ray ends its driver, with a page of log, where the cluster's process on this machine is killed; and
nothing can be split off beside its threads. So neither happens to the command itself, which talks
with this process through a pipe. Ray pickles a program's own functions by value, so that a machine
without genset can still say so.
"""

import contextlib
import importlib
import logging
import socket
import sys
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

# Seconds between two looks at whether everybody is there; and for a machine to say what it has.
_LOOK, _PROBE = 1.0, 120.0

# Shards, and the models by number that want them.
Todo = list[tuple[int, list[int]]]

_NO_MACHINE = (
    "the Ray cluster has no machine left that scores. What is finished is kept: start one, and run "
    "the same command again"
)


class Resources(NamedTuple):
    """What each process of the cluster gets, and how often one that dies is started again."""

    cores: int
    gpus: int
    retries: int


def main() -> None:
    """Serve the process at the other end of the pipe until it closes that."""
    pipe = Connection(int(sys.argv[1]))
    sys.argv, sys.path[:], address, packages = pipe.recv()
    ray = importlib.import_module("ray")
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL)
        pipe.send(("machines", _machines(ray, packages)))
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        pipe.send(("failed", str(error)))
        return
    # That the pipe is closed says to the other end that Ray is gone, and to this one to end.
    with contextlib.suppress(EOFError, OSError):
        while True:
            work, todo, resources = pipe.recv()
            _serve(ray, pipe, work, todo, Resources(*resources))


def _machines(ray: Any, packages: list[str]) -> list[dict[str, Any]]:
    """What each machine of the cluster has: its resources, its place and its versions."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    there = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
    probes = {
        ray.remote(num_cpus=0, scheduling_strategy=there(node["NodeID"], soft=False))(probe).remote(
            packages
        ): node
        for node in nodes
    }
    ray.wait([*probes], num_returns=len(probes), timeout=_PROBE)
    found = []
    for answer, node in probes.items():
        with contextlib.suppress(ray.exceptions.RayError):  # it is gone meanwhile
            there_now = ray.get(answer, timeout=0)
            place = f"machine {there_now['host']} ({node['NodeManagerAddress']})"
            found.append({**there_now, "place": place, "resources": node["Resources"]})
    return found


def probe(packages: list[str]) -> dict[str, Any]:
    """Where this runs, and the versions of packages there; "none" where one is missing."""
    import importlib.metadata

    versions = {}
    for package in packages:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "none"
    try:
        versions["genset"] = importlib.import_module("genset").__version__
    except ImportError:
        versions["genset"] = "none"
    return {"host": socket.gethostname(), "versions": versions}


def _serve(ray: Any, pipe: Connection, work: bytes, todo: Todo, resources: Resources) -> None:
    """Have shards scored; send each one's answers as they come, or why there are none."""
    # A process that has a GPU keeps it, and the models on it, for its next shard.
    score = ray.remote(
        num_cpus=resources.cores,
        num_gpus=resources.gpus,
        max_calls=0,
        max_retries=resources.retries,
    )(run)
    reference = ray.put(work)
    waiting = [score.remote([reference], shard, tasks) for shard, tasks in todo]
    while waiting:
        done, waiting = ray.wait(waiting, timeout=_LOOK)
        if not _somebody_scores(ray, pipe, resources):
            pipe.send(("failed", _NO_MACHINE))
            return
        for scored in done:
            pipe.send(_received(ray, scored, resources.retries))
    pipe.send(("end", None))


def _somebody_scores(ray: Any, pipe: Connection, resources: Resources) -> bool:
    """Whether a machine is there that can score.

    Raises:
        EOFError: nobody asks for it any more.
        OSError: Ray on this machine is gone.
    """
    if pipe.poll():
        raise EOFError
    alive = [node for node in ray.nodes() if node["Alive"]]
    here = ray.get_runtime_context().get_node_id()
    for node in alive:
        if node["NodeID"] == here:
            with socket.socket(socket.AF_UNIX) as raylet:
                raylet.connect(node["RayletSocketName"])
    need = {"CPU": resources.cores, "GPU": resources.gpus}
    return any(all(n["Resources"].get(k, 0) >= v for k, v in need.items()) for n in alive)


def _received(ray: Any, done: Any, retries: int) -> tuple[str, Any]:
    try:
        return "shard", ray.get(done)
    except ray.exceptions.RayTaskError as error:
        reason = str(error).strip().splitlines()[-1]
        return "failed", f"a process of the Ray cluster failed: {reason}"
    except ray.exceptions.RayError as error:
        return "failed", (
            f"processes of the Ray cluster that scored the same photos died {retries + 1} times "
            f"({type(error).__name__}); if memory is short, let Ray have fewer cores (--num-cpus). "
            "What is finished is kept: run the same command again"
        )


def run(work: list[Any], shard: int, tasks: list[int]) -> bytes | str:
    """What Ray calls in a process of the cluster: see `ray_worker.score`."""
    try:
        worker = importlib.import_module("genset.score.workers.remote")
    except ImportError as error:
        return f"machine {socket.gethostname()} of the Ray cluster: {error}"
    scored: bytes | str = worker.score(work, shard, tasks)
    return scored


if __name__ == "__main__":
    main()
