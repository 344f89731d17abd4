"""What Ray calls in a process of its cluster. As in `cluster_worker`, PyTorch comes late."""

import socket
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from genset.errors import GensetError
from genset.evaluation.run.executors.cluster_worker import ClusterWork, open_worker

if TYPE_CHECKING:
    from genset.evaluation.run.job import ShardReport
    from genset.evaluation.run.score import Worker
    from genset.evaluation.run.shards import Answers


def score(
    work: list[Any], shard: int, tasks: list[int]
) -> "tuple[ShardReport, dict[int, Answers]] | str":
    """A shard's answers, which are not kept yet; or why this machine cannot give them.

    Args:
        work: Ray's reference to a `ClusterWork`, in a list: Ray would fetch it each time.
        shard: the shard's number.
        tasks: the models, by number.
    """
    try:
        worker = _worker(work[0])
    except GensetError as error:
        return f"machine {socket.gethostname()} of the Ray cluster: {error}"
    from genset.evaluation.run.job import MissingShard

    return worker.score(MissingShard(shard, tasks))


@lru_cache(maxsize=1)
def _worker(reference: Any) -> "Worker":
    """Made for the first shard, and kept for the next ones."""
    import ray

    work: ClusterWork = ray.get(reference)
    return open_worker(work)
