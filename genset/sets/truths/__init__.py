"""All classes that each photo of a set shows: a set's multi-label truth.

::

    truth    what it holds
    read     from a file that others made
    keep     under the set's content hash, for every later command
    give     both: a file becomes a set's truth
"""
