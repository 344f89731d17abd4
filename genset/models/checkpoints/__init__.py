"""Checkpoints as trainers write them: read without running what they hold, and fitted to a network.

::

    read        a file, a folder or shards to what they hold
    find        where in that a network's weights are, and what is missing there
    put         both, for a spec and its network
"""
