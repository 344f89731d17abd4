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
from typing import Any

# Seconds between two looks at whether everybody is there.
_LOOK = 1.0

_NO_MACHINE = (
    "the Ray cluster has no machine left that scores. What is finished is kept: start one, and run "
    "the same command again"
)


def main() -> None:
    """Serve the process at the other end of the pipe until it closes that."""
    pipe = Connection(int(sys.argv[1]))
    sys.argv, sys.path[:], address = pipe.recv()
    ray = importlib.import_module("ray")
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL)
        pipe.send([node["Resources"] for node in ray.nodes() if node["Alive"]])
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        pipe.send(error.__class__.__name__ if not str(error) else str(error))
        return
    # That the pipe is closed says to the other end that Ray is gone, and to this one to end.
    with contextlib.suppress(EOFError, OSError):
        while True:
            _serve(ray, pipe, *pipe.recv())


def _serve(
    ray: Any,
    pipe: Connection,
    work: bytes,
    todo: list[tuple[int, list[int]]],
    need: dict[str, int],
    retries: int,
) -> None:
    """Have shards scored; send each one's answers as they come, or why there are none.

    Args:
        ray: the package.
        pipe: where answers go.
        work: what is scored, pickled.
        todo: shards, and the models by number that lack their answers.
        need: how much "CPU" and "GPU" each process gets.
        retries: how often a shard is scored again whose process died.
    """
    # A process that has a GPU keeps it, and the models on it, for its next shard.
    how = {"num_cpus": need["CPU"], "num_gpus": need["GPU"], "max_calls": 0, "max_retries": retries}
    score, reference = ray.remote(**how)(run), ray.put(work)
    waiting = [score.remote([reference], shard, tasks) for shard, tasks in todo]
    while waiting:
        done, waiting = ray.wait(waiting, timeout=_LOOK)
        if not _somebody_scores(ray, pipe, need):
            pipe.send(_NO_MACHINE)
            return
        for scored in done:
            pipe.send(_received(ray, scored, retries))
    pipe.send(None)


def _somebody_scores(ray: Any, pipe: Connection, need: dict[str, int]) -> bool:
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
    return any(all(n["Resources"].get(k, 0) >= v for k, v in need.items()) for n in alive)


def _received(ray: Any, done: Any, retries: int) -> bytes | str:
    try:
        found: bytes | str = ray.get(done)
        return found
    except ray.exceptions.RayTaskError as error:
        return f"a process of the Ray cluster failed: {str(error).strip().splitlines()[-1]}"
    except ray.exceptions.RayError as error:
        return (
            f"processes of the Ray cluster that scored the same photos died {retries + 1} times "
            f"({type(error).__name__}); if memory is short, let Ray have fewer cores (--num-cpus). "
            "What is finished is kept: run the same command again"
        )


def run(work: list[Any], shard: int, tasks: list[int]) -> bytes | str:
    """What Ray calls in a process of the cluster: see `remote.score`."""
    try:
        scored = importlib.import_module("genset.score.workers.remote").score(work, shard, tasks)
    except ImportError as error:
        scored = f"{error}: install the same packages on all machines"
    if isinstance(scored, bytes):
        return scored
    address = importlib.import_module("ray").util.get_node_ip_address()
    return f"machine {socket.gethostname()} ({address}) of the Ray cluster: {scored}"


if __name__ == "__main__":
    main()
