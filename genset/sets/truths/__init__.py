"""All classes that each photo of a set shows: a set's multi-label truth.

::

    truth    what it holds
    files    from a file that others made
    store    under the set's content hash, for every later command
"""
