"""What Ray calls in a process of its cluster. As in `cluster_worker`, PyTorch comes late."""

import pickle
import socket
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from genset.core.errors import GensetError
from genset.score.executors.cluster_worker import ClusterWork, open_worker

if TYPE_CHECKING:
    from genset.score.score import Worker


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
        return f"{_place()} of the Ray cluster: {error}"


def _place() -> str:
    from ray import util

    found: str = util.get_node_ip_address()  # type: ignore[no-untyped-call]
    return f"machine {socket.gethostname()} ({found})"


@lru_cache(maxsize=1)
def _worker(reference: Any) -> "Worker":
    """Made for the first shard, and kept for the next ones."""
    import ray

    work: ClusterWork = pickle.loads(ray.get(reference))  # noqa: S301 - the command's own
    return open_worker(work)
