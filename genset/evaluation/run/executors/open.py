"""The executor that options and environment ask for."""

from pkgutil import resolve_name

from genset.errors import BadInput
from genset.evaluation.run.executors import CLUSTERS
from genset.evaluation.run.executors.distributed import Distributed
from genset.evaluation.run.executors.executor import Executor
from genset.evaluation.run.executors.worker_pool import WorkerPool
from genset.evaluation.run.options import ScoringOptions
from genset.evaluation.run.startup import under_torchrun


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
