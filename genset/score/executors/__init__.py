"""Executors: who scores which shards of a set.

::

    executor       what an executor is
    in_process     this process
    worker_pool    processes that are split off from it
    distributed    torchrun's processes
    ray            those of a Ray cluster
    cluster_worker what a process of a cluster does, whichever cluster it is
    open           the one that options and environment ask for
"""

# By the name that ``--engine-cluster`` gives it: MODULE:CLASS of an executor that is made without
# arguments. Its packages are imported where it is asked for.
CLUSTERS = {
    "ray": "genset.score.executors.ray:RayExecutor",
}
