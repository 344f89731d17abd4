"""Runs: the loop that scores models on a set, and what shares it out.

::

    score         the loop: start here
    options       how models are scored
    plan          which models, by which engine, on which shards
    job           what workers are given, and what they report
    agreement     several machines are about to score the same, or do not begin
    executors     who scores which shards
    shards        answers, kept until all of a set's are there
    settled       which engine has a run that is not finished
    assemble      shards to a run
    in_memory     the same for a network that a caller has in memory
    latency       one photo at a time, timed
    audit         is a model's preprocessing the right one?
    startup       PyTorch, started quickly and with its memory tuned
    packages      versions, read without importing anything
    environment   versions and device, kept with every result
"""
