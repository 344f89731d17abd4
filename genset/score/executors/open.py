"""The executor that options and environment ask for."""

from pkgutil import resolve_name

from genset.core.errors import BadInput
from genset.score.executors import CLUSTERS
from genset.score.executors.distributed import Distributed
from genset.score.executors.executor import Executor
from genset.score.executors.worker_pool import WorkerPool
from genset.score.options import ScoringOptions
from genset.score.startup import under_torchrun


def open_executor(options: ScoringOptions) -> Executor:
    """The cluster that is asked for; else torchrun's processes, if there are; else a pool.

    Raises:
        BadInput: there are torchrun's processes, and a cluster.
    """
    if not options.cluster:
        return Distributed(options.workers) if under_torchrun() else WorkerPool(options.workers)
    if under_torchrun():
        raise BadInput(
            f"torchrun and --engine-cluster {options.cluster} each share out the photos: "
            "leave out one"
        )
    executor: Executor = resolve_name(CLUSTERS[options.cluster])()
    return executor
