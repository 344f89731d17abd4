"""Runs: the loop that scores models on a set, and what shares it out.

::

    evaluate      the door: specs in, runs out
    score         the loop: start here
    options       how models are scored
    plan          which models, by which engine, on which shards
    job           what workers are given, and what they report
    workers/      who scores which shards
    engines/      what runs a network
    loader        photos' pixels, batch by batch
    pixels        from a photo's file to pixels, and the cache of these
    shards        answers, stored until all of a set's are there
    assemble      shards to a run
    results/      runs: written, read, named, checked
    predictions/  answers that were computed elsewhere
    latency       one photo at a time, timed
    latency_entries  the same as entries of DAWNBench, with prices
    audit         is a model's preprocessing the right one?
    allocator     memory of a process that scores
"""
