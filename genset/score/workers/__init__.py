"""Workers: who scores which shards of a set.

::

    executor     this process, processes of this machine (one a core, one a GPU), or a cluster
    worker       scores a shard, in whichever process
    remote       a worker in a process that was not forked from the command
    ray          those of a Ray cluster, by way of `ray_driver`
"""

# By the name that ``--engine-cluster`` gives it: MODULE:CLASS of an executor that is made without
# arguments. Its packages are imported where it is asked for.
CLUSTERS = {
    "ray": "genset.score.workers.ray:RayExecutor",
}
