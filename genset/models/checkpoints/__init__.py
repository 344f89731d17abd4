"""Checkpoints as trainers write them: read without running what they hold, and fitted to a network.

::

    kinds       what a file is that is given for a checkpoint and is none
    allowed     the data beside the weights that may be read, and the stand-ins that it becomes
    read        a file, a folder or shards to what they hold
    held        the tensors in that, by their full names
    places      where the names of a network lie in it
    find        the place to take, and what is missing there
    translate   ... by timm, where their names are those of a network's first code
    put         all of these steps, for a spec and its network
"""
