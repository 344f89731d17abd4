"""Runs: written, read, named, and what looks wrong with one by itself.

::

    runs       the folder of a run, written and read
    count      answers to a run, and what must be said beside its numbers
    names      what runs are called, and which a name means
    arrays     a run's predictions as arrays
    checks     what looks wrong with answers as a whole
    results    the runs on one set, side by side
"""
